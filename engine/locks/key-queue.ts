// Key queue
//
// Everything that stands at one key once it is more than one: who holds it, and who waits, in order of arrival. Whether
// the next one may go is answered from counts and neighbours, so that neither thousands of readers nor thousands of
// waiters make it dearer.
//
// Owns:      the order at one key, and which places nothing at this key is in the way of.
// Does not:  know a hold's other keys (lock-table.ts) or look for circles (lock-cycle.ts).
//
// Invariants:
//   Q1. The waiting places that are clear come before all that are blocked: one exclusive place, or shared ones.
//   Q2. Two places that conflict are both held only if one hold's lineage is within the other's.

import { invariant } from "../core/invariant.js";
import type { Hold, Meeting, Place } from "./hold.js";
import { holdsAnything, isWithin, type Lineage } from "./lineage.js";
import { LinkedList } from "./linked-list.js";

export class KeyQueue implements Meeting {
	readonly key: string;
	slot: number;
	readonly #held = new LinkedList<Place>();
	readonly #waiting = new LinkedList<Place>();
	#heldExclusive = 0;
	#firstBlocked: Place | undefined = undefined;
	/** Whose place joined last and has not left. */
	#newest: Hold | undefined = undefined;

	/** Opens a queue at the key of a place that has been alone there. */
	constructor(sole: Place) {
		this.key = sole.key;
		this.slot = sole.slot;
		sole.meeting = this;
		if (sole.hold.phase === "granted") {
			this.#holdIt(sole);
		} else {
			sole.state = "clear";
			this.#waiting.add(sole);
		}
	}

	get isEmpty(): boolean {
		return this.#held.first === undefined && this.#waiting.first === undefined;
	}

	get isWaitedAt(): boolean {
		return this.#waiting.first !== undefined;
	}

	/**
	 * Whether the hold that asks now stands here already. It asks in one move, so nobody has joined since it did; looking
	 * through its places instead would cost thousands of keys a look at thousands of places each.
	 */
	hasJoined(asking: Hold): boolean {
		return this.#newest === asking;
	}

	/** Adds a blocked place at the end, or before one that waits, which then has it in its way. */
	join(place: Place, before: Place | undefined): void {
		place.meeting = this;
		this.#newest = place.hold;
		this.#waiting.add(place, before);
		this.#block(place);
		if (before === undefined) {
			this.#firstBlocked ??= place;
		} else if (before.state === "clear" || before === this.#firstBlocked) {
			for (let after: Place | undefined = before; after?.state === "clear"; after = after.next) this.#block(after);
			this.#firstBlocked = place;
		}
	}

	/**
	 * Moves before `before`, where an exclusive place is about to stand, those right behind it that do not stay there.
	 * Only readers behind a reader can be such: what is behind an exclusive place, or is one, waits for it.
	 */
	bringForward(before: Place, stays: (behind: Hold) => boolean): void {
		let behind = before.exclusive ? undefined : before.next;
		while (behind !== undefined && !behind.exclusive) {
			const { next } = behind;
			// Q1: a blocked one never goes before a clear one. It waits for who holds the key, and so does not come here.
			if (behind.state === before.state && !stays(behind.hold)) {
				this.#waiting.remove(behind);
				this.#waiting.add(behind, before);
				if (before === this.#firstBlocked) this.#firstBlocked = behind;
			}
			behind = next;
		}
	}

	/** Takes a place out, wherever it stands. */
	leave(place: Place): void {
		if (this.#newest === place.hold) this.#newest = undefined;
		if (place.state === "held") {
			this.#held.remove(place);
			if (place.exclusive) this.#heldExclusive -= 1;
			return;
		}
		if (place === this.#firstBlocked) this.#firstBlocked = place.next;
		if (place.state === "blocked") place.hold.blocked -= 1;
		this.#waiting.remove(place);
	}

	/** Moves a clear place to the holders: its hold was granted. */
	grant(place: Place): void {
		invariant(place.state === "clear", "H2", "a place is granted that is not clear");
		this.#waiting.remove(place);
		this.#holdIt(place);
	}

	/** Clears the first blocked place if nothing is in its way any more. */
	clearNext(): Place | undefined {
		const place = this.#firstBlocked;
		if (place === undefined || !this.#mayGo(place)) return undefined;
		this.#firstBlocked = place.next;
		place.state = "clear";
		place.hold.blocked -= 1;
		return place;
	}

	/** Whether a place that came now would have nothing in its way; for a nested call a cautious answer. */
	isFreeFor(exclusive: boolean, lineage: Lineage | undefined): boolean {
		return this.#waiting.first === undefined && this.#isHeldForIt(exclusive, lineage);
	}

	/** The first waiting place before `place` whose hold matches. A place that does not stand here is behind all. */
	firstBefore(place: Place, matches: (ahead: Hold) => boolean): Place | undefined {
		for (let ahead = this.#waiting.first; ahead !== undefined && ahead !== place; ahead = ahead.next) {
			if (matches(ahead.hold)) return ahead;
		}
		return undefined;
	}

	*inTheWay(place: Place): Generator<Hold> {
		for (let held = this.#held.first; held !== undefined; held = held.next) {
			if (!held.exclusive && !place.exclusive) continue;
			if (!isWithin(place.hold.lineage, held.hold.lineage)) yield held.hold;
		}
		for (let ahead = place.previous; ahead !== undefined; ahead = ahead.previous) {
			if (ahead.exclusive || place.exclusive) yield ahead.hold;
			// An exclusive one itself waits for all that is ahead of it.
			if (ahead.exclusive) return;
		}
	}

	#block(place: Place): void {
		place.state = "blocked";
		place.hold.blocked += 1;
	}

	#holdIt(place: Place): void {
		place.state = "held";
		this.#held.add(place);
		if (place.exclusive) this.#heldExclusive += 1;
	}

	// Q1: all that wait before the first blocked place are clear, so the very first one speaks for them.
	#mayGo(place: Place): boolean {
		const first = this.#waiting.first;
		if (first !== undefined && first !== place && (place.exclusive || first.exclusive)) return false;
		return this.#isHeldForIt(place.exclusive, place.hold.lineage);
	}

	// Q2: only holders within whose lineage the place is may conflict with it. Stops at the first other one, and for a
	// reader after the last exclusive holder, so many readers cost nothing.
	#isHeldForIt(exclusive: boolean, lineage: Lineage | undefined): boolean {
		if (this.#held.first === undefined || (!exclusive && this.#heldExclusive === 0)) return true;
		if (!holdsAnything(lineage)) return false;
		let exclusiveLeft = this.#heldExclusive;
		for (let held: Place | undefined = this.#held.first; held !== undefined; held = held.next) {
			if (held.exclusive) exclusiveLeft -= 1;
			else if (!exclusive) continue;
			if (!isWithin(lineage, held.hold.lineage)) return false;
			if (!exclusive && exclusiveLeft === 0) return true;
		}
		return true;
	}
}
