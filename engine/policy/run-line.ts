// Run line
//
// Calls that stand beside each other, of a run or of one call that makes calls, from when they come to admission until they
// are accounted. What a call's accounting changes is seen by those that may know of it: calls of later segments and, among
// calls that a call made by itself, those that it made after it was answered.
//
// Owns:      which calls came, the waves that they came in, the place of those that make calls among the others.
// Does not:  put together what they brought (run-line-states.ts), or know which line a call stands in (run-memory.ts).

import type { PolicyView } from "./policy.js";
import { type LineBelow, Member, UNSEEN } from "./run-line-member.js";
import { LineStates } from "./run-line-states.js";
import type { RunChange, RunMemoryParts, Seen, SeenMaker } from "./run-memory-parts.js";
import type { Past } from "./run-past.js";

/** A maker that nothing is held for. Frozen: hosts are given it. */
const UNHELD = Object.freeze({ held: undefined, beside: 1, sharing: 1, rank: 0 });

/** A call in a line, of which others may be nested in it. */
export type InLine<State, Held> = Member<State, Held, RunLine<State, Held>>;

export class RunLine<State, Held> implements LineBelow<State> {
	/** What calls of the line see of it as a rule. */
	readonly asSeen: readonly Seen<State, Held>[];
	readonly #parts: RunMemoryParts<State, Held>;
	readonly #isNested: boolean;
	readonly #states: LineStates<State, Held, RunLine<State, Held>>;
	/** The admission that came last. */
	#at: { readonly step: number; readonly index: number; readonly segment: number } | undefined;
	/** The last call that was accounted since the line's calls were counted anew. */
	#accounted = -1;

	constructor(parts: RunMemoryParts<State, Held>, isNested = false) {
		this.#parts = parts;
		this.#isNested = isNested;
		this.#states = new LineStates(parts);
		this.asSeen = [{ state: this.state }];
	}

	get state(): State {
		return this.#states.state;
	}

	/** Whether no call was admitted after this one, so that the line may be closed with it, and keeps nothing but its state. */
	isLast(index: number): boolean {
		return this.#at?.index === index && this.#at.segment !== UNSEEN;
	}

	known(index: number): InLine<State, Held> | undefined {
		return this.#states.known(index);
	}

	/** The call, of which more comes; made where it was admitted before there was a line. */
	at(index: number, step: number): InLine<State, Held> {
		this.#at ??= { step, index, segment: UNSEEN };
		const known = this.#states.open(index);
		if (known !== undefined) return known;
		const member: InLine<State, Held> = new Member();
		this.#states.add(index, member);
		return member;
	}

	/** The line of the calls that the call makes. */
	below(maker: InLine<State, Held>): RunLine<State, Held> {
		maker.line ??= new RunLine(this.#parts, true);
		return maker.line;
	}

	/** Takes a call in. Says whether the calls of the line are counted anew from here on. */
	admit(index: number, view: PolicyView): boolean {
		const { step, segment } = view;
		const at = this.#at;
		// A wave of the run begins, or the maker, after it asked a person: the numbers are lower, or some of the segment was
		// accounted, all of which is admitted before. A wave's first calls may not have come here.
		const begins = at === undefined || at.step !== step || index <= at.index || segment <= this.#accounted;
		if (begins) {
			this.close();
			this.#accounted = -1;
		} else if (at.segment !== segment) {
			this.#states.settle(view);
		}
		this.#at = { step, index, segment };
		this.#states.add(index, new Member(view));
		return begins;
	}

	hold(index: number, held: Held, view: PolicyView): void {
		const member = this.#states.open(index);
		if (member?.wasSeen !== true)
			throw new TypeError(
				`Call ${index} has not entered, or its run was forgotten since: \`hold\` comes after \`enter\`, in the same \`admit\`.`,
			);
		if (member.held !== undefined)
			throw new TypeError(`Something is held for call ${index} already, and \`hold\` comes once a call.`);
		this.#states.hold(held, view);
		member.held = held;
	}

	/** The call was accounted: this comes of it, or nothing, as if it had never begun. */
	end(index: number, step: number, change: RunChange<State, Held> | "discarded" | undefined): void {
		const before = this.#states.known(index);
		if (before === undefined && typeof change !== "function") return;
		// A policy need not enter calls that it does not judge: of an earlier wave's at this place nothing is lost.
		if (before?.isOver) this.close();
		const member = this.at(index, step);
		if (change === "discarded") member.discard();
		else member.bring(change);
		this.#accounted = Math.max(this.#accounted, index);
	}

	/** Puts everything into the state: no call of the line runs any more. */
	close(): void {
		this.#states.close();
	}

	/** The state as one may know it who knows that much. */
	stateFor(past: Past): State {
		return this.#states.stateFor(past, this.#hasLater(past));
	}

	#hasLater({ segment }: Past): boolean {
		return this.#at !== undefined && this.#at.segment > segment;
	}

	/** What the calls see of the line that a call of it makes. */
	stateOf(maker: InLine<State, Held> | undefined): State {
		if (maker?.wasSeen === true) return this.#states.stateForMaker(maker, this.#hasLater(maker));
		// One that was admitted before there was a line knows nothing of it. One of a run may have given its place to a wave of
		// the same run beside its own: of two that are in no order it goes by all there is.
		const isOlder = this.#isNested || this.#at === undefined || this.#at.segment === UNSEEN;
		return isOlder ? this.#parts.make() : this.state;
	}

	/** The call as the maker of the calls of another line. */
	makerFor(member: InLine<State, Held> | undefined): SeenMaker<Held> {
		// Those without anything held are not looked for among the others: there may be as many as calls.
		if (member?.wasSeen !== true || member.held === undefined) return UNHELD;
		// It makes calls once its segment was admitted whole, and none of those beside it is ever known to it.
		if (member.asMaker === undefined) this.#placeBeside(member);
		return member.asMaker ?? { ...UNHELD, held: member.held };
	}

	/** For all of its segment at once: any of them may make calls. */
	#placeBeside(own: InLine<State, Held>): void {
		const { shares } = this.#parts;
		const isSharing = ({ held }: InLine<State, Held>): boolean => held !== undefined && shares?.(held) !== false;
		const beside = this.#states.besides(own);
		const sharing = Math.max(1, beside.filter(([, member]) => isSharing(member)).length);
		let rank = 0;
		for (const [, member] of beside) {
			const isOfIts = member.segment === own.segment && member.unanswered === own.unanswered;
			if (isOfIts) member.asMaker = { held: member.held, beside: beside.length, sharing, rank };
			if (isSharing(member)) rank += 1;
		}
	}
}
