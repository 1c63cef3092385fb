// Waiting line
//
// The calls that no thread has yet. Each tool has a lane, first come, first served, and lanes take turns: a flood of one
// tool's calls costs another tool's call one turn, not the flood. Admitted calls leave before those that are ahead. A
// lane is a list with a head index, because shifting a list, or using a set as one, slows with its length.
//
// Owns:      the order.
// Does not:  know threads, nor how many of them a lane may have (room-for-calls.ts).
//
// Invariants:
//   J3. Of two admitted calls of one lane the one that was given first leaves first, also after it was put back.

import { invariant } from "../engine/core/invariant.js";

// Room that the head has left behind is given back once it is more than this and more than half of the list.
const TRIM_MIN = 1_024;

interface Waiter {
	/** Counts up in the order the calls were given. */
	readonly order: number;
	/** What tells its tool from others. */
	readonly lane: object;
	readonly ahead: boolean;
	/** A waiter that is over is passed by; it need not be searched for. */
	readonly isOver: boolean;
}

type Fit<Item> = (item: Item) => boolean;

const anyFits = (): boolean => true;

export class WaitingLine<Item extends Waiter> {
	readonly #admitted = new Lanes<Item>();
	readonly #ahead = new Lanes<Item>();

	add(item: Item): void {
		this.#lanesOf(item).laneOf(item).items.push(item);
	}

	/** X5: the next to leave of those that fit, which stays. */
	peek(fits: Fit<Item> = anyFits): Item | undefined {
		return this.#admitted.peek(fits) ?? this.#ahead.peek(fits);
	}

	take(fits: Fit<Item> = anyFits): Item | undefined {
		const item = this.peek(fits);
		if (item !== undefined) this.#lanesOf(item).takeFirst(item);
		return item;
	}

	/** Puts calls that were taken back where they stood: near the front, among others that were put back before. */
	putBack(items: readonly Item[]): void {
		for (const item of items) {
			const lane = this.#lanesOf(item).laneOf(item);
			const earlier: Item[] = [];
			for (let next = first(lane); next !== undefined && next.order < item.order; next = first(lane)) {
				earlier.push(next);
				lane.head += 1;
			}
			for (const one of [...earlier, item].reverse()) toFront(lane, one);
		}
	}

	/** Moves an item that is not ahead any more to where it would have stood among the admitted. */
	admit(item: Item): void {
		const wasWaiting = this.#ahead.remove(item);
		invariant(wasWaiting && !item.ahead, "J3", `call ${item.order} was admitted and did not wait ahead`);
		this.putBack([item]);
	}

	/** How many admitted ones wait, counted up to `max`. */
	countAdmitted(max: number): number {
		return this.#admitted.count(max, anyFits);
	}

	/** How many that fit wait, counted up to `max`. */
	count(max: number, fits: Fit<Item> = anyFits): number {
		return this.#admitted.count(max, fits) + this.#ahead.count(max, fits);
	}

	#lanesOf({ ahead }: Item): Lanes<Item> {
		return ahead ? this.#ahead : this.#admitted;
	}
}

interface Lane<Item> {
	readonly of: object;
	items: (Item | undefined)[];
	head: number;
}

/** Lanes that have somebody in them, in the order of their turns. */
class Lanes<Item extends Waiter> {
	#turns: Lane<Item>[] = [];

	laneOf({ lane: of }: Item): Lane<Item> {
		const [next] = this.#turns;
		if (next?.of === of) return next;
		const known = this.#turns.find((lane) => lane.of === of);
		if (known !== undefined) return known;
		const lane: Lane<Item> = { of, items: [], head: 0 };
		this.#turns.push(lane);
		return lane;
	}

	peek(fits: Fit<Item>): Item | undefined {
		for (let at = 0; at < this.#turns.length; at += 1) {
			const item = first(this.#turns[at]);
			if (item === undefined) {
				this.#turns.splice(at, 1);
				at -= 1;
			} else if (fits(item)) {
				return item;
			}
		}
		return undefined;
	}

	/** The first of its lane leaves, and the lane's next turn is after every other's. */
	takeFirst(item: Item): void {
		const lane = this.laneOf(item);
		lane.items[lane.head] = undefined;
		lane.head += 1;
		if (lane.head > TRIM_MIN && lane.head * 2 > lane.items.length) {
			lane.items = lane.items.slice(lane.head);
			lane.head = 0;
		}
		if (this.#turns.length === 1) return;
		this.#turns.splice(this.#turns.indexOf(lane), 1);
		this.#turns.push(lane);
	}

	remove(item: Item): boolean {
		const lane = this.laneOf(item);
		const place = lane.items.indexOf(item, lane.head);
		if (place !== -1) lane.items[place] = undefined;
		return place !== -1;
	}

	count(max: number, fits: Fit<Item>): number {
		let counted = 0;
		for (const lane of this.#turns) {
			for (let at = lane.head; at < lane.items.length && counted < max; at += 1) {
				const item = lane.items[at];
				if (item?.isOver === false && fits(item)) counted += 1;
			}
		}
		return counted;
	}
}

function first<Item extends Waiter>(lane: Lane<Item> | undefined): Item | undefined {
	while (lane !== undefined && lane.head < lane.items.length) {
		const item = lane.items[lane.head];
		if (item !== undefined && !item.isOver) return item;
		lane.items[lane.head] = undefined;
		lane.head += 1;
	}
	return undefined;
}

function toFront<Item extends Waiter>(lane: Lane<Item>, item: Item): void {
	const next = first(lane);
	invariant(next === undefined || item.order < next.order, "J3", `call ${item.order} was put back before its turn`);
	if (lane.head === 0) lane.items.unshift(item);
	else {
		lane.head -= 1;
		lane.items[lane.head] = item;
	}
}
