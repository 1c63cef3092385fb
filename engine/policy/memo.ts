// Memo
//
// The same read again, the same answer again, until a write may have changed it. A read is answered at admission from
// what was accounted in earlier segments; what is remembered changes only at accounting and admission, in call order, so
// the same calls are answered from memory under every schedule.
//
// A write is over only when it is accounted, and has been under way since it was admitted. In between nothing is answered
// from memory, and a read that was admitted or ran beside it is not remembered: nobody can say which of the two it saw.
//
// Owns:      the answers of each run and what makes them void.
// Does not:  know of writes by other runs or processes, nor what a key stands for (the tools' `lockKeys` say).
//
// Invariants:
//   ME1. What a run remembers stays within MEMO_ANSWERS_MAX answers and MEMO_CHARS_MAX characters.

import { argumentsKey, type ToolCall } from "../core/call.js";
import { isRead } from "../core/effect.js";
import { invariant } from "../core/invariant.js";
import { MEMO_ANSWERS_MAX, MEMO_CHARS_MAX, MEMO_RUNS_MAX } from "../core/limits.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bytesOf } from "./answer-size.js";
import { refuse } from "./effect-kind.js";
import { neverRan } from "./never-ran.js";
import type { Policy, PolicyView } from "./policy.js";
import { RunStates } from "./run-states.js";

/**
 * What {@link memo} remembers.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface MemoOptions {
	/** Names of the reads whose answers are remembered. Default: all reads. */
	readonly tools?: readonly string[];
}

interface Remembered {
	readonly outcome: Outcome;
	readonly chars: number;
	/** Nothing for a read that named none: any write may have changed what it read. */
	readonly keys: readonly string[] | undefined;
}

interface Memory {
	readonly answers: Map<string, Remembered>;
	chars: number;
	/** Counts what writes do: each adds one when it is admitted and one when it is accounted. */
	writes: number;
	/** By index: calls that were admitted and not accounted, a read with its key and the writes that it saw begin or end. */
	open: Map<
		number,
		{ readonly kind: "write" } | { readonly kind: "read"; readonly key: string; readonly writes: number }
	>;
	/** How many of them are writes. */
	writing: number;
	at: { readonly step: number; readonly index: number } | undefined;
	/** A write whose outcome is not known may still act, at any time. */
	closed: boolean;
}

/**
 * Answers a read at admission with what the same tool answered to the same arguments before in the run. Remembered are
 * values of reads, not failures and not binary.
 *
 * A write forgets the reads whose keys meet the ones it took; a write without keys, and for a read without keys any
 * write, forgets as well. After a write whose outcome is unknown nothing is remembered any more. List it after policies
 * that refuse: what it answers, later ones are not asked about.
 *
 * @throws EngineError `INVALID_OPTIONS` for names that are no texts.
 * @remarks Since 0.1.0.
 * @public
 */
export function memo({ tools }: MemoOptions = {}): Policy {
	const wrong = tools?.find((name) => typeof name !== "string");
	if (wrong !== undefined) refuse(`tools holds ${showValue(wrong)}, not a name`);
	const names = tools && new Set(tools);
	const runs = new RunStates<Memory>(newMemory, MEMO_RUNS_MAX);
	return {
		name: "memo",
		judgesFormAlone: true,
		admit(call, view) {
			// Remembered is what the model was answered to what it asked for. A read that turned out to be a write has the step
			// alone, and is one at accounting.
			if (view.rewritten) return "clear";
			const memory = runs.of(view.runId);
			enter(memory, view);
			if (!isRead(view.effect)) {
				memory.writes += 1;
				memory.writing += 1;
				memory.open.set(view.index, { kind: "write" });
				return "clear";
			}
			if (memory.closed || (names !== undefined && !names.has(call.name))) return "clear";
			const key = keyOf(call);
			const known = memory.writing > 0 ? undefined : memory.answers.get(key);
			if (known !== undefined) return { answer: known.outcome };
			memory.open.set(view.index, { kind: "read", key, writes: memory.writes });
			return "clear";
		},
		account(_call, outcome, view) {
			const memory = runs.of(view.runId);
			const open = settle(memory, view.index);
			if (!isRead(view.effect)) written(memory, outcome, view.keys);
			else if (open?.kind === "read" && open.writes === memory.writes)
				remember(memory, open.key, { outcome, keys: view.keys });
		},
	};
}

function newMemory(): Memory {
	return { answers: new Map(), chars: 0, writes: 0, open: new Map(), writing: 0, at: undefined, closed: false };
}

function keyOf({ name, args }: ToolCall): string {
	return `${JSON.stringify(name)} ${argumentsKey(args)}`;
}

/** The first call of a wave finds nothing open: what an earlier wave left was refused further down and never accounted. */
function enter(memory: Memory, { step, index }: PolicyView): void {
	const { at } = memory;
	if (at === undefined || at.step !== step || index <= at.index) settle(memory, Number.POSITIVE_INFINITY);
	memory.at = { step, index };
}

/** What was open for the call. Calls before it that are still open will not be accounted any more. */
function settle(memory: Memory, index: number): ReturnType<Memory["open"]["get"]> {
	const own = memory.open.get(index);
	for (const [open, { kind }] of memory.open) {
		if (open > index) break;
		memory.open.delete(open);
		if (kind === "write") memory.writing -= 1;
	}
	return own;
}

function written(memory: Memory, outcome: Outcome, keys: LockKeys | undefined): void {
	memory.writes += 1;
	if (neverRan(outcome)) return;
	if (!outcome.ok && outcome.error.code === "OUTCOME_UNKNOWN") memory.closed = true;
	const changed = keys === undefined ? [] : writtenKeys(keys);
	const every = changed.length === 0 || memory.closed;
	for (const [key, known] of memory.answers) {
		if (every || known.keys === undefined || known.keys.some((one) => changed.includes(one)))
			forget(memory, key, known);
	}
}

function writtenKeys(keys: LockKeys): readonly string[] {
	return "write" in keys ? (keys.write ?? []) : isList(keys) ? keys : [];
}

function readKeys(keys: LockKeys): readonly string[] {
	return isList(keys) ? keys : [...(keys.read ?? []), ...(keys.write ?? [])];
}

function isList(keys: LockKeys): keys is readonly string[] {
	return Array.isArray(keys);
}

function remember(memory: Memory, key: string, answer: { outcome: Outcome; keys: LockKeys | undefined }): void {
	const { outcome, keys } = answer;
	// Bytes can be moved away by whoever is given them, and then the next one would be given none.
	if (!outcome.ok || outcome.value instanceof Uint8Array || memory.closed) return;
	const chars = bytesOf(outcome) + key.length;
	if (chars > MEMO_CHARS_MAX) return;
	const before = memory.answers.get(key);
	if (before !== undefined) forget(memory, key, before);
	memory.answers.set(key, { outcome, chars, keys: keys && readKeys(keys) });
	memory.chars += chars;
	for (const [oldest, known] of memory.answers) {
		if (memory.answers.size <= MEMO_ANSWERS_MAX && memory.chars <= MEMO_CHARS_MAX) break;
		forget(memory, oldest, known);
	}
	invariant(memory.answers.size > 0 && memory.chars <= MEMO_CHARS_MAX, "ME1", `${memory.chars} characters are kept`);
}

function forget(memory: Memory, key: string, { chars }: Remembered): void {
	memory.answers.delete(key);
	memory.chars -= chars;
}
