// Made in order
//
// What one call has made so far, in the order in which it made it, and which of its calls it has no answer of: policies
// judge a call by what its maker had been answered when it made it.
//
// Owns:      that order, the numbers of the calls, who is unanswered.
// Does not:  make calls (nested-calls.ts), or know what a tool on a thread has received: it says so itself.

import type { InvokedOnThread } from "../core/invoked-on-thread.js";
import { type NumberRange, NumberRanges } from "../core/number-ranges.js";
import type { Child, Made } from "./made-calls.js";

/** Who makes calls: a call in one run of it, and its word where its tool is on a thread. */
export interface Maker {
	readonly context: object;
	readonly onThread?: InvokedOnThread | undefined;
}

export class MadeInOrder {
	/** Of all its attempts, if it ran again. */
	readonly all: Made[] = [];
	#calls = 0;
	readonly #open = new NumberRanges();
	/** The calls that its tool made on a thread in its last run, by the numbers it gave them there. */
	#onThread: { readonly context: object; readonly calls: Map<number, number> } | undefined;

	/** How many calls it has made. */
	get calls(): number {
		return this.#calls;
	}

	/** Those of which the maker has no answer; nothing where it has all. */
	unanswered({ context, onThread }: Maker): readonly NumberRange[] | undefined {
		if (onThread === undefined) return this.#open.snapshot();
		const calls = this.#onThread?.context === context ? this.#onThread.calls : undefined;
		const open = onThread.open.flatMap((range) => (calls === undefined ? [] : (numbered(range, calls) ?? [])));
		return open.length === 0 ? undefined : open;
	}

	/** Takes calls that are made together; what it gives is called once they are answered. */
	add(children: readonly Child[], { context, onThread }: Maker): () => void {
		const first = this.#calls;
		this.all.push(...children);
		this.#calls += children.length;
		if (children.length > 0) this.#open.append(first, this.#calls - 1);
		if (onThread !== undefined) {
			if (this.#onThread?.context !== context) this.#onThread = { context, calls: new Map() };
			this.#onThread.calls.set(onThread.number, first);
		}
		return () => {
			for (const at of children.keys()) this.#open.remove(first + at);
		};
	}

	write(lines: Made & { readonly kind: "lines" }): void {
		this.all.push(lines);
	}
}

/** A number is missing where its call could not be sent. */
function numbered([first, last]: NumberRange, calls: ReadonlyMap<number, number>): [NumberRange] | undefined {
	let [from, to] = [first, last];
	while (from <= to && !calls.has(from)) from += 1;
	while (to >= from && !calls.has(to)) to -= 1;
	const [low, high] = [calls.get(from), calls.get(to)];
	return from > to || low === undefined || high === undefined ? undefined : [[low, high]];
}
