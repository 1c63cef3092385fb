// Run line
//
// Calls that stand beside each other, of a run or of one call that makes calls, and what they have brought. What a call's
// accounting changes waits here and is seen by those that may know of it: calls of later segments and, among calls that a
// call made by itself, those that it made after it was answered.
//
// A change is put into the state for good once every call that runs here may know of it. Where a call makes others by
// several chains of its own, some may know what others may not; those get a state made for them.
//
// Owns:      the members of one line, who sees which change, what is held between admission and accounting.
// Does not:  know what is remembered, or which line a call stands in (run-memory.ts).
//
// Invariants:
//   LI1. Changes are put into a state once each and in call order, what a call's own calls brought before its own.

import { invariant } from "../core/invariant.js";
import { isInRanges, type NumberRange } from "../core/number-ranges.js";
import type { PolicyView } from "./policy.js";
import type { RunChange, RunMemoryParts, Seen, SeenMaker } from "./run-memory-parts.js";

/** What a call may know of, among the calls of its line. */
export type Past = Pick<PolicyView, "segment" | "unanswered">;

/** The call's index in its line. */
export function lastOf({ index, lineage }: PolicyView): number {
	return lineage?.at(-1) ?? index;
}

/** Of what a call may know: the calls before the given one that its maker had been answered. */
export function pastOf({ unanswered }: Pick<PolicyView, "unanswered">, segment: number): Past {
	return unanswered === undefined ? { segment } : { segment, unanswered };
}

/** The segment of calls that were admitted before there was a line. */
const UNSEEN = -1;

export class Member<State, Held> implements Past {
	/** `UNSEEN` where the line was made after its admission: then it knows nothing of the line. */
	readonly segment: number;
	readonly unanswered?: readonly NumberRange[];
	held: Held | undefined;
	/** Nothing of it comes any more: it was accounted, or a policy further down has refused it and a later call knows. */
	isOver = false;
	change: RunChange<State, Held> | undefined;
	/** It counts as a call that never began: what its calls brought, and still bring, does not enter. */
	isDiscarded = false;
	/** What the calls that it makes have brought. */
	line: RunLine<State, Held> | undefined;
	/** Worked out once it makes a call. */
	asMaker: SeenMaker<Held> | undefined;

	constructor(segment: number, unanswered: readonly NumberRange[] | undefined) {
		this.segment = segment;
		if (unanswered !== undefined) this.unanswered = unanswered;
	}

	get wasSeen(): boolean {
		return this.segment !== UNSEEN;
	}
}

export class RunLine<State, Held> {
	readonly state: State;
	/** What calls of the line see of it as a rule. */
	readonly asSeen: readonly Seen<State, Held>[];
	readonly #parts: RunMemoryParts<State, Held>;
	readonly #isNested: boolean;
	/** The calls whose changes are not in the state yet, by index and in its order. */
	readonly #members = new Map<number, Member<State, Held>>();
	/** The admission that came last. */
	#at: { readonly step: number; readonly index: number; readonly segment: number } | undefined;
	/** The last of the calls that are, or were, among the members. */
	#newest = -1;
	/** The last call that was accounted since the line's calls were counted anew. */
	#accounted = -1;

	constructor(parts: RunMemoryParts<State, Held>, isNested = false) {
		this.#parts = parts;
		this.#isNested = isNested;
		this.state = parts.make();
		this.asSeen = [{ state: this.state }];
	}

	/** Whether no call was admitted after this one. */
	isLast(index: number): boolean {
		return this.#at?.index === index && this.#at.segment !== UNSEEN;
	}

	known(index: number): Member<State, Held> | undefined {
		return this.#members.get(index);
	}

	/** The member, made where a call comes to its end, or makes a call, that was admitted before there was a line. */
	at(index: number, step: number): Member<State, Held> {
		this.#at ??= { step, index, segment: UNSEEN };
		return this.#members.get(index) ?? this.#add(index);
	}

	#add(index: number, segment = UNSEEN, unanswered?: readonly NumberRange[]): Member<State, Held> {
		const member = new Member<State, Held>(segment, unanswered);
		this.#members.set(index, member);
		if (index > this.#newest) this.#newest = index;
		else this.#sort();
		return member;
	}

	hold(index: number, held: Held, view: PolicyView): void {
		const member = this.at(index, view.step);
		if (member.held !== undefined)
			throw new TypeError(
				`Something is held for call ${index} already: \`enter\` comes before \`hold\`, and \`hold\` once a call.`,
			);
		this.#parts.hold?.(this.state, held, view);
		member.held = held;
	}

	/** Takes a call in. Says whether the calls of the line are counted anew from here on. */
	admit(index: number, view: PolicyView): boolean {
		const { step, segment, unanswered } = view;
		const at = this.#at;
		// A wave of the run begins, or the maker, after it asked a person: the numbers are lower, or some of the segment was
		// accounted, all of which is admitted before. A wave's first calls may not have come here.
		const begins = at === undefined || at.step !== step || index <= at.index || segment <= this.#accounted;
		if (begins) {
			this.close();
			this.#newest = -1;
			this.#accounted = -1;
		} else if (at.segment !== segment) {
			this.#settle(view);
		}
		this.#at = { step, index, segment };
		this.#add(index, segment, unanswered);
		return begins;
	}

	/** The call was accounted. */
	end(index: number, member: Member<State, Held>): void {
		member.isOver = true;
		this.#accounted = Math.max(this.#accounted, index);
	}

	/** Puts everything into the state: no call of the line runs any more. */
	close(): void {
		let last = -1;
		for (const [index, member] of this.#members) last = this.#apply(index, member, last);
	}

	/** What the calls see of the line that a call of it makes. */
	stateOf(maker: Member<State, Held> | undefined): State {
		if (maker?.wasSeen === true) return this.stateFor(maker);
		// One that was admitted before there was a line knows nothing of it. One of a run may have given its place to a wave of
		// the same run beside its own: of two that are in no order it goes by all there is.
		const isOlder = this.#isNested || this.#at === undefined || this.#at.segment === UNSEEN;
		return isOlder ? this.#parts.make() : this.state;
	}

	/** The state as one may know it who knows that much: itself, or a copy without what others must not know yet. */
	stateFor(past: Past): State {
		const { absorb, make, letGo } = this.#parts;
		const hasLater = letGo !== undefined && this.#at !== undefined && this.#at.segment > past.segment;
		if (!hasLater && !this.#isAnyKnown(past)) return this.state;
		const state = make();
		absorb(state, this.state);
		for (const [index, member] of this.#members) {
			if (isKnown(past, index)) this.#addTo(state, member);
			else if (member.segment > past.segment && member.held !== undefined) letGo?.(state, member.held);
		}
		return state;
	}

	/** The member as the maker of the calls of another line. */
	makerFor(member: Member<State, Held> | undefined): SeenMaker<Held> {
		if (member?.wasSeen !== true) return { held: undefined, beside: 1, of: 1, rank: 0 };
		// It makes calls once its segment was admitted whole, and none of those beside it is ever known to it.
		if (member.asMaker === undefined) this.#placeBeside(member);
		return member.asMaker ?? { held: member.held, beside: 1, of: 1, rank: 0 };
	}

	/** For all of its segment at once: any of them may make calls. */
	#placeBeside(own: Member<State, Held>): void {
		const { shares } = this.#parts;
		const counted = ([index, { held, segment }]: readonly [number, Member<State, Held>]): boolean =>
			held !== undefined && segment <= own.segment && !isKnown(own, index);
		const sharing = ({ held }: Member<State, Held>): boolean => held !== undefined && shares?.(held) !== false;
		const beside = [...this.#members].filter(counted);
		const of = Math.max(1, beside.filter(([, member]) => sharing(member)).length);
		let rank = 0;
		for (const [, member] of beside) {
			const isOfIts = member.segment === own.segment && member.unanswered === own.unanswered;
			if (isOfIts) member.asMaker = { held: member.held, beside: beside.length, of, rank };
			if (sharing(member)) rank += 1;
		}
	}

	#settle(past: Past): void {
		for (const [index, member] of this.#members) member.isOver ||= isKnown(past, index);
		// One that knows nothing of the line does not see its state.
		const running = [...this.#members.values()].filter(({ isOver, wasSeen }) => !isOver && wasSeen);
		let last = -1;
		for (const [index, member] of this.#members) {
			// In call order: what is behind one that waits, waits.
			if (!isKnown(past, index) || !running.every((other) => isKnown(other, index))) return;
			last = this.#apply(index, member, last);
		}
	}

	#apply(index: number, member: Member<State, Held>, last: number): number {
		invariant(index > last, "LI1", `call ${index} is put into a state after call ${last}`);
		// Before its change is made: one that throws is made no second time.
		this.#members.delete(index);
		this.#addTo(this.state, member);
		return index;
	}

	/** What the call and its own calls brought; nothing is held for it any more. */
	#addTo(state: State, { line, held, change, isDiscarded }: Member<State, Held>): void {
		if (line !== undefined && !isDiscarded) {
			line.close();
			this.#parts.absorb(state, line.state, held);
		}
		if (held !== undefined) this.#parts.letGo?.(state, held);
		change?.(state, held);
	}

	#isAnyKnown(past: Past): boolean {
		for (const index of this.#members.keys()) {
			if (isKnown(past, index)) return true;
			// The first is the earliest.
			if (index >= past.segment) return false;
		}
		return false;
	}

	// What calls of a call have brought comes here before what is accounted of calls before it.
	#sort(): void {
		const sorted = [...this.#members].sort(([one], [other]) => one - other);
		this.#members.clear();
		for (const [index, member] of sorted) this.#members.set(index, member);
	}
}

/** Whether the call of this index was accounted, or is over without, as one may know who knows that much. */
export function isKnown({ segment, unanswered }: Past, index: number): boolean {
	return index < segment && (unanswered === undefined || !isInRanges(unanswered, index));
}
