// Number ranges
//
// A set of whole numbers as ranges, for sets that are mostly runs of numbers and are asked for often: what is open of calls
// that were made at once is one range however many they are.
//
// Owns:      the set, and its look-up.
// Does not:  hold numbers that were put in out of order.
//
// Invariants:
//   NU1. The ranges ascend and neither meet nor overlap, for they are searched by halving.

import { broken } from "./invariant.js";

/** From the first to the last, both inclusive. */
export type NumberRange = readonly [first: number, last: number];

export class NumberRanges {
	#ranges: NumberRange[] = [];

	/** Ascending; later changes do not show in it. Nothing for an empty set. */
	snapshot(): readonly NumberRange[] | undefined {
		return this.#ranges.length === 0 ? undefined : this.#ranges.slice();
	}

	/** Puts in numbers that are higher than all before. */
	append(first: number, last: number): void {
		const end = this.#ranges.at(-1);
		if (last < first || (end !== undefined && first <= end[1]))
			broken("NU1", `${first} to ${last} came after ${end?.[1]}`);
		if (end !== undefined && end[1] === first - 1) this.#ranges[this.#ranges.length - 1] = [end[0], last];
		else this.#ranges.push([first, last]);
	}

	remove(number: number): void {
		const at = rangeAt(this.#ranges, number);
		const range = this.#ranges[at];
		if (range === undefined) return;
		const [first, last] = range;
		const rest: NumberRange[] = [];
		if (first < number) rest.push([first, number - 1]);
		if (number < last) rest.push([number + 1, last]);
		this.#ranges.splice(at, 1, ...rest);
	}
}

export function isInRanges(ranges: readonly NumberRange[], number: number): boolean {
	return rangeAt(ranges, number) !== -1;
}

/** The place of the range that holds the number, or -1. */
function rangeAt(ranges: readonly NumberRange[], number: number): number {
	let low = 0;
	let high = ranges.length - 1;
	while (low <= high) {
		const middle = (low + high) >> 1;
		const range = ranges[middle];
		if (range === undefined) break;
		const [first, last] = range;
		if (number < first) high = middle - 1;
		else if (number > last) low = middle + 1;
		else return middle;
	}
	return -1;
}
