// Run line states
//
// What the calls of one line have brought, as those see it that may know of it. A change is put into the line's state for
// good once every call that runs may know of it. Where a call makes others by several chains of its own, some may know
// what others may not; those get a copy made for them.
//
// Owns:      the state, its copies, the calls whose changes are still to enter.
// Does not:  know when a call came or what it may know (run-line.ts), or what is remembered.
//
// Invariants:
//   LI1. Changes are put into a state once each and in call order, what a call's own calls brought before its own.
//   LI2. While some are ahead of the state nothing is put into it: a call before the last of those is not known to be over.

import { invariant } from "../core/invariant.js";
import { LINE_WAITING_MIN } from "../core/limits.js";
import type { PolicyView } from "./policy.js";
import { Ahead, AheadPace } from "./run-line-ahead.js";
import type { LineBelow, Member } from "./run-line-member.js";
import type { RunMemoryParts } from "./run-memory-parts.js";
import { isKnown, type Past } from "./run-past.js";

type Members<State, Held, Line extends LineBelow<State>> = Iterable<readonly [number, Member<State, Held, Line>]>;

export class LineStates<State, Held, Line extends LineBelow<State>> {
	readonly state: State;
	readonly #parts: RunMemoryParts<State, Held>;
	/** The calls whose changes are neither in the state yet nor ahead of it, by index and in its order. */
	readonly #waiting = new Map<number, Member<State, Held, Line>>();
	/** Sorted when it is read: many may come out of order before that. */
	#isInOrder = true;
	/** Where a call goes on and on. */
	#ahead: Ahead<State, Member<State, Held, Line>> | undefined;
	#pace: AheadPace | undefined;
	/** The last of the calls that wait, or have, since the line's calls were counted anew. */
	#newest = -1;

	constructor(parts: RunMemoryParts<State, Held>) {
		this.#parts = parts;
		this.state = parts.make();
	}

	known(index: number): Member<State, Held, Line> | undefined {
		return this.#waiting.get(index) ?? this.#ahead?.members.get(index);
	}

	/** The same, of which more may come from here on. */
	open(index: number): Member<State, Held, Line> | undefined {
		if (this.#ahead?.members.has(index)) this.#comeBack();
		return this.#waiting.get(index);
	}

	add(index: number, member: Member<State, Held, Line>): void {
		if (this.#ahead !== undefined && index < this.#ahead.last) this.#comeBack();
		this.#waiting.set(index, member);
		if (index > this.#newest) this.#newest = index;
		// What calls of a call have brought comes here before what is accounted of calls before it.
		else this.#isInOrder = false;
	}

	hold(held: Held, view: PolicyView): void {
		this.#parts.hold?.(this.state, held, view);
		if (this.#ahead !== undefined) this.#parts.hold?.(this.#ahead.state, held, view);
	}

	/** Puts everything into the state; from here on the line's calls are counted anew. */
	close(): void {
		this.#comeBack();
		let last = -1;
		for (const [index, member] of this.#waitingInOrder()) last = this.#apply(index, member, last);
		this.#newest = -1;
	}

	/** Puts into the state what the call that comes and all that run may know of. */
	settle(past: Past): void {
		if (this.#isOvertaken(past)) this.#comeBack();
		let known = 0;
		const waiting = this.#waitingInOrder();
		for (const [index, member] of waiting) {
			if (!isKnown(past, index)) continue;
			member.isOver = true;
			known += 1;
		}
		// One that knows nothing of the line does not see its state.
		const running = [...waiting.values()].filter(({ isOver, wasSeen }) => !isOver && wasSeen);
		let last = -1;
		for (const [index, member] of waiting) {
			// In call order: what is behind one that waits, waits.
			if (!isKnown(past, index) || !running.every((other) => isKnown(other, index))) break;
			last = this.#apply(index, member, last);
			known -= 1;
		}
		this.#pace?.admitted();
		if (known >= (this.#pace?.waiting ?? LINE_WAITING_MIN)) this.#goAhead(past);
	}

	/**
	 * The state as one may know it who knows that much: itself, or a copy without what others must not know yet. `hasLater`:
	 * something may be held for calls of later segments than that.
	 */
	stateFor(past: Past, hasLater: boolean): State {
		const { letGo } = this.#parts;
		const { base, members } = this.#startFor(past);
		if (!(hasLater && letGo !== undefined) && !isAnyKnown(members, past)) return base;
		const state = this.#copy(base);
		for (const [index, member] of members) {
			if (isKnown(past, index)) member.addTo(state, this.#parts);
			else if (member.segment > past.segment && member.held !== undefined) letGo?.(state, member.held);
		}
		return state;
	}

	/**
	 * The same for a call that makes calls. Its segment was admitted whole, so it is the same for all that it makes, however
	 * many calls have come meanwhile.
	 */
	stateForMaker(maker: Member<State, Held, Line>, hasLater: boolean): State {
		if (maker.before !== undefined) return maker.before;
		const state = this.stateFor(maker, hasLater);
		// What is ahead takes in more than the maker knows of, and into the state itself comes what is held for later calls.
		const isChanged = state === this.#ahead?.state || (state === this.state && this.#parts.letGo !== undefined);
		if (!isChanged) maker.before = state;
		return state;
	}

	/** The calls that have something held and are not known to one who knows that much, of no later segment. */
	besides(past: Past): readonly (readonly [number, Member<State, Held, Line>])[] {
		return [...this.#startFor(past).members].filter(
			([index, { held, segment }]) => held !== undefined && segment <= past.segment && !isKnown(past, index),
		);
	}

	/** A state all of which one may know who knows that much, and the calls whose changes are not in it. */
	#startFor(past: Past): { readonly base: State; readonly members: Members<State, Held, Line> } {
		const ahead = this.#ahead;
		if (ahead === undefined) return { base: this.state, members: this.#waitingInOrder() };
		if (ahead.isKnownTo(past) && !this.#isOvertaken(past))
			return { base: ahead.state, members: this.#waitingInOrder() };
		return { base: this.state, members: inOrder([...ahead.members, ...this.#waiting]) };
	}

	/** Whether a call is known that what is ahead was put in without, though it comes before that. */
	#isOvertaken(past: Past): boolean {
		const last = this.#ahead?.last ?? -1;
		for (const index of this.#waitingInOrder().keys()) {
			if (index > last) return false;
			if (isKnown(past, index)) return true;
		}
		return false;
	}

	/** Where many wait behind a call that goes on, all but the newest of them go ahead of it. */
	#goAhead(past: Past): void {
		this.#pace ??= new AheadPace();
		const { waiting } = this.#pace;
		const going = [...this.#waitingInOrder()].filter(([index]) => isKnown(past, index)).slice(0, -waiting / 2);
		const last = going.at(-1)?.[0] ?? -1;
		for (const index of this.#waiting.keys()) {
			if (index >= last) return;
			if (!isKnown(past, index)) break;
		}
		this.#ahead ??= new Ahead(this.#copy(this.state));
		for (const [index, member] of going) {
			invariant(index > this.#ahead.last, "LI1", `call ${index} is put ahead of a state after ${this.#ahead.last}`);
			this.#waiting.delete(index);
			this.#ahead.add(index, member);
			member.addTo(this.#ahead.state, this.#parts);
		}
	}

	/** Nothing is ahead any more: one of the calls that it was put in without is over, or more comes of one within it. */
	#comeBack(): void {
		const ahead = this.#ahead;
		if (ahead === undefined) return;
		this.#ahead = undefined;
		this.#pace?.isVoid(ahead.members.size);
		for (const [index, member] of ahead.members) this.#waiting.set(index, member);
		this.#isInOrder = false;
	}

	#apply(index: number, member: Member<State, Held, Line>, last: number): number {
		invariant(index > last, "LI1", `call ${index} is put into a state after call ${last}`);
		invariant(this.#ahead === undefined, "LI2", `call ${index} is put into a state that others are ahead of`);
		// Before its change is made: one that throws is made no second time.
		this.#waiting.delete(index);
		member.addTo(this.state, this.#parts);
		return index;
	}

	#copy(state: State): State {
		const copy = this.#parts.make();
		this.#parts.absorb(copy, state);
		return copy;
	}

	#waitingInOrder(): ReadonlyMap<number, Member<State, Held, Line>> {
		if (this.#isInOrder) return this.#waiting;
		const sorted = inOrder([...this.#waiting]);
		this.#waiting.clear();
		for (const [index, member] of sorted) this.#waiting.set(index, member);
		this.#isInOrder = true;
		return this.#waiting;
	}
}

function inOrder<Of>(members: (readonly [number, Of])[]): readonly (readonly [number, Of])[] {
	return members.sort(([one], [other]) => one - other);
}

function isAnyKnown(members: Iterable<readonly [number, unknown]>, past: Past): boolean {
	for (const [index] of members) {
		if (isKnown(past, index)) return true;
		// The first is the earliest.
		if (index >= past.segment) return false;
	}
	return false;
}
