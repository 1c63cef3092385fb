// Waiting line
//
// The calls that no thread has yet: admitted ones before those that are ahead, each first come, first served. A list
// with a head index, because shifting a list, or using a set as one, slows with its length.
//
// Owns:      the order.
// Does not:  know threads.
//
// Invariants:
//   J3. Of two admitted calls the one that was given first leaves first, also after it was put back.

import { invariant } from "../engine/core/invariant.js";

// Room that the head has left behind is given back once it is more than this and more than half of the list.
const TRIM_MIN = 1_024;

interface Line<Item> {
	items: (Item | undefined)[];
	head: number;
}

interface Waiter {
	/** Counts up in the order the calls were given. */
	readonly order: number;
	readonly ahead: boolean;
	/** A waiter that is over is passed by; it need not be searched for. */
	readonly isOver: boolean;
}

export class WaitingLine<Item extends Waiter> {
	readonly #admitted: Line<Item> = { items: [], head: 0 };
	readonly #ahead: Line<Item> = { items: [], head: 0 };

	add(item: Item): void {
		(item.ahead ? this.#ahead : this.#admitted).items.push(item);
	}

	/** X5: the next to leave, which stays. */
	peek(): Item | undefined {
		return first(this.#admitted) ?? first(this.#ahead);
	}

	take(): Item | undefined {
		const item = this.peek();
		if (item === undefined) return undefined;
		const line = item.ahead ? this.#ahead : this.#admitted;
		line.items[line.head] = undefined;
		line.head += 1;
		if (line.head > TRIM_MIN && line.head * 2 > line.items.length) {
			line.items = line.items.slice(line.head);
			line.head = 0;
		}
		return item;
	}

	/** Puts calls that were taken back where they stood: near the front, among others that were put back before. */
	putBack(items: readonly Item[]): void {
		for (const item of items) {
			const line = item.ahead ? this.#ahead : this.#admitted;
			const earlier: Item[] = [];
			for (let next = first(line); next !== undefined && next.order < item.order; next = first(line)) {
				earlier.push(next);
				line.head += 1;
			}
			for (const one of [...earlier, item].reverse()) toFront(line, one);
		}
	}

	/** Moves an item that is not ahead any more to where it would have stood among the admitted. */
	admit(item: Item): void {
		const place = this.#ahead.items.indexOf(item, this.#ahead.head);
		invariant(place !== -1 && !item.ahead, "J3", `call ${item.order} was admitted and did not wait ahead`);
		this.#ahead.items[place] = undefined;
		this.putBack([item]);
	}

	/** How many admitted ones wait, counted up to `max`. */
	countAdmitted(max: number): number {
		return countUpTo(this.#admitted, max);
	}

	/** How many wait, counted up to `max`. */
	count(max: number): number {
		return countUpTo(this.#admitted, max) + countUpTo(this.#ahead, max);
	}
}

function first<Item extends Waiter>(line: Line<Item>): Item | undefined {
	while (line.head < line.items.length) {
		const item = line.items[line.head];
		if (item !== undefined && !item.isOver) return item;
		line.items[line.head] = undefined;
		line.head += 1;
	}
	return undefined;
}

function toFront<Item extends Waiter>(line: Line<Item>, item: Item): void {
	const next = first(line);
	invariant(next === undefined || item.order < next.order, "J3", `call ${item.order} was put back before its turn`);
	if (line.head === 0) line.items.unshift(item);
	else {
		line.head -= 1;
		line.items[line.head] = item;
	}
}

function countUpTo<Item extends Waiter>(line: Line<Item>, max: number): number {
	let counted = 0;
	for (let at = line.head; at < line.items.length && counted < max; at += 1) {
		if (line.items[at]?.isOver === false) counted += 1;
	}
	return counted;
}
