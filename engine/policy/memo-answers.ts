// Memo answers
//
// What reads were answered, and what writes have made void since: of a run, or of what one call's own calls have read and
// written so far, which is put on top of what stood there when that call is accounted.
//
// A write has been under way since it was admitted, and is over when it is accounted or known never to be.
//
// Owns:      the answers, their bound, the writes that are open, the reads beside which one began.
// Does not:  decide who is answered (memo.ts).
//
// Invariants:
//   ME1. What is remembered stays within MEMO_ANSWERS_MAX answers and MEMO_CHARS_MAX characters.

import { invariant } from "../core/invariant.js";
import type { JsonValue } from "../core/json-value.js";
import { MEMO_ANSWERS_MAX, MEMO_CHARS_MAX } from "../core/limits.js";
import { keyLists, type LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import type { PolicyView } from "./policy.js";
import { isKnown, type Past } from "./run-past.js";

export interface Remembered {
	/**
	 * The value as JSON; empty where there was none. Text, because whoever is given a value may shorten it, and must not
	 * shorten what later calls are answered; and made again as a value only for a call that asks for it.
	 */
	readonly text: string;
	/** Nothing for a read that named none or made calls: any write may have changed what it read. */
	readonly keys: readonly string[] | undefined;
}

/** A call between its admission and its accounting. */
export type OpenCall = { readonly kind: "write" } | OpenRead;

export interface OpenRead {
	readonly kind: "read";
	/** What its answer is remembered by; nothing for one that is not to be remembered. */
	readonly key: string | undefined;
	/** Its index in its line, and what it may know of there. */
	readonly index: number;
	readonly past: Past;
	/** It made calls, so that its own keys do not tell all that it read. */
	madeCalls: boolean;
	/** A write began beside it, so that nobody can say which of the two it saw, or its calls did. */
	isBesideWrite: boolean;
}

export class Answers {
	readonly #answers = new Map<string, Remembered>();
	/** Keys in the order of remembering, from `#oldest` on; one that was forgotten meanwhile is passed over. */
	#order: { readonly key: string; readonly answer: Remembered }[] = [];
	#oldest = 0;
	#chars = 0;
	#writing = 0;
	readonly #reading = new Set<OpenRead>();
	/** Calls of this wave, or of the line's maker, that were admitted as reads and ran as writes. */
	#turned: number[] = [];
	/** What writes have changed; `undefined`: anything. */
	#changed: Set<string> | undefined = new Set();
	#isWritten = false;
	#isClosed = false;

	/** How many writes are under way. */
	get writing(): number {
		return this.#writing;
	}

	/** A write whose outcome is not known may still act, at any time. */
	get isClosed(): boolean {
		return this.#isClosed;
	}

	get(key: string): Remembered | undefined {
		return this.#answers.get(key);
	}

	/** Whether a write that is over may have changed what was read. */
	hasChanged({ keys }: Remembered): boolean {
		if (!this.#isWritten) return false;
		const changed = this.#changed;
		return keys === undefined || changed === undefined || keys.some((one) => changed.has(one));
	}

	begin(open: OpenCall, view: PolicyView): void {
		if (open.kind === "read") {
			this.#reading.add(open);
			return;
		}
		this.#writing += 1;
		for (const read of this.#reading) {
			if (isKnown(view, read.index)) continue;
			read.isBesideWrite = true;
			this.#reading.delete(read);
		}
	}

	end(open: OpenCall): void {
		if (open.kind === "write") this.#writing -= 1;
		else this.#reading.delete(open);
	}

	/** A wave of the run begins, and its calls are counted anew. */
	beginWave(): void {
		this.#turned = [];
	}

	/** Whether a call ran beside the read that turned out to write. */
	isBesideTurned({ index, past }: OpenRead): boolean {
		return this.#turned.some((other) => other < index && !isKnown(past, other));
	}

	written(keys: LockKeys | undefined, isUnknown: boolean, as: OpenCall | undefined): void {
		if (as?.kind === "read") this.#turned.push(as.index);
		this.#isClosed ||= isUnknown;
		const changed = keys === undefined ? [] : keyLists(keys).write;
		this.#change(changed.length === 0 || this.#isClosed ? undefined : changed);
	}

	remember(key: string, answer: Remembered): void {
		const chars = charsOf(key, answer);
		if (this.#isClosed || chars > MEMO_CHARS_MAX) return;
		this.#forget(key);
		this.#answers.set(key, answer);
		this.#order.push({ key, answer });
		this.#chars += chars;
		while (this.#answers.size > MEMO_ANSWERS_MAX || this.#chars > MEMO_CHARS_MAX) this.#forgetOldest();
		invariant(this.#answers.size > 0 && this.#chars <= MEMO_CHARS_MAX, "ME1", "more is kept than the bound");
	}

	/**
	 * Puts on top of this what calls brought. `isBesideWrite`: nobody can say which of two states their reads saw; `isCopy`:
	 * they are those of this line.
	 */
	absorb(
		from: Answers,
		{ isBesideWrite, isCopy }: { readonly isBesideWrite: boolean; readonly isCopy: boolean },
	): void {
		this.#isClosed ||= from.#isClosed;
		this.#writing += from.#writing;
		if (isCopy) this.#turned.push(...from.#turned);
		if (from.#isWritten) this.#change(from.#changed);
		if (isBesideWrite) return;
		for (const [key, answer] of from.#answers) this.remember(key, answer);
	}

	#change(changed: Iterable<string> | undefined): void {
		this.#isWritten = true;
		const just = changed && new Set(changed);
		if (just === undefined) this.#changed = undefined;
		for (const key of just ?? []) this.#changed?.add(key);
		// More keys than answers tell no more than all would.
		if (this.#changed !== undefined && this.#changed.size > MEMO_ANSWERS_MAX) this.#changed = undefined;
		for (const [key, { keys }] of this.#answers) {
			if (keys === undefined || just === undefined || keys.some((one) => just.has(one))) this.#forget(key);
		}
	}

	// A list with a head: a map from whose front one takes and takes looks at everything it ever held there.
	#forgetOldest(): void {
		const oldest = this.#order[this.#oldest];
		this.#oldest += 1;
		if (oldest !== undefined && this.#answers.get(oldest.key) === oldest.answer) this.#forget(oldest.key);
		if (this.#oldest > this.#order.length / 2) {
			this.#order = this.#order.slice(this.#oldest);
			this.#oldest = 0;
		}
	}

	#forget(key: string): void {
		const answer = this.#answers.get(key);
		if (answer === undefined) return;
		this.#answers.delete(key);
		this.#chars -= charsOf(key, answer);
	}
}

export function remembered(
	value: JsonValue | Uint8Array | undefined,
	keys: LockKeys | undefined,
): Remembered | undefined {
	// Bytes can be moved away by whoever is given them, and then the next one would be given none.
	const text = value instanceof Uint8Array ? undefined : textOf(value);
	return text === undefined ? undefined : { text, keys: allKeys(keys) };
}

export function answerOf({ text }: Remembered): Outcome {
	return text === "" ? { ok: true } : { ok: true, value: JSON.parse(text) as JsonValue };
}

function charsOf(key: string, { text }: Remembered): number {
	return text.length + key.length;
}

/** A list without a key says as little of what was read as no list. */
function allKeys(keys: LockKeys | undefined): readonly string[] | undefined {
	if (keys === undefined) return undefined;
	const { write, read } = keyLists(keys);
	return write.length + read.length === 0 ? undefined : [...read, ...write];
}

/** Nothing for what is no data: a policy further in may have answered with that, and accounting has not refused it yet. */
function textOf(value: JsonValue | undefined): string | undefined {
	try {
		return value === undefined ? "" : JSON.stringify(value);
	} catch {
		return undefined;
	}
}
