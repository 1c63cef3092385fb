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
import type { JsonValue } from "../core/json-value.js";
import type { KnownFields } from "../core/known-fields.js";
import { MEMO_ANSWERS_MAX, MEMO_CHARS_MAX, MEMO_RUNS_MAX } from "../core/limits.js";
import { keyLists, type LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { neverRan } from "./never-ran.js";
import { OpenCalls } from "./open-calls.js";
import type { Policy } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
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

const FIELDS: KnownFields<MemoOptions> = { tools: true };

interface Remembered {
	/**
	 * The value as JSON; empty where there was none. Text, because whoever is given a value may shorten it, and must not
	 * shorten what later calls are answered; and made again as a value only for a call that asks for it.
	 */
	readonly text: string;
	readonly chars: number;
	/** Nothing for a read that named none or made calls: any write may have changed what it read. */
	readonly keys: readonly string[] | undefined;
}

/** Between admission and accounting. */
type Open = { readonly kind: "write" } | OpenRead;

interface OpenRead {
	readonly kind: "read";
	readonly key: string;
	/** How many writes had begun or ended when it was admitted. */
	readonly writes: number;
	/** It made calls, so that its own keys do not tell all that it read. */
	madeCalls: boolean;
}

interface Memory {
	readonly answers: Map<string, Remembered>;
	/** Keys in the order of remembering, from `oldest` on; one that was forgotten meanwhile is passed over. */
	order: { readonly key: string; readonly answer: Remembered }[];
	oldest: number;
	chars: number;
	/** Counts what writes do: each adds one when it is admitted and one when it is accounted. */
	writes: number;
	/** How many writes are open. */
	writing: number;
	readonly open: OpenCalls<Open>;
	/** A write whose outcome is not known may still act, at any time. */
	closed: boolean;
}

/**
 * Answers a read at admission with what the same tool answered to the same arguments before in the run. Remembered are
 * values of reads, not failures and not binary.
 *
 * A write forgets the reads whose keys meet the ones it took; a write without keys, and for a read without keys any
 * write, forgets as well; a read that made calls is one without keys, because its own are not all that it read. After a
 * write whose outcome is unknown nothing is remembered any more. List it after policies that refuse: what it answers,
 * later ones are not asked about.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option that does not exist, a list that is none, and names that are no texts.
 * @remarks Since 0.1.0.
 * @public
 */
export function memo(options: MemoOptions = {}): Policy {
	demandKnown(options, FIELDS);
	const { tools } = options;
	if (tools !== undefined && !Array.isArray(tools)) refuse(`tools is ${showValue(tools)}, not a list`);
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
			memory.open.enter(view);
			for (const maker of memory.open.makersOf(view)) if (maker.kind === "read") maker.madeCalls = true;
			if (!isRead(view.effect)) {
				memory.writes += 1;
				memory.writing += 1;
				memory.open.hold(view, { kind: "write" });
				return "clear";
			}
			if (memory.closed || (names !== undefined && !names.has(call.name))) return "clear";
			const key = keyOf(call);
			const known = memory.writing > 0 ? undefined : memory.answers.get(key);
			if (known !== undefined) return { answer: answerOf(known) };
			memory.open.hold(view, { kind: "read", key, writes: memory.writes, madeCalls: false });
			return "clear";
		},
		account(_call, outcome, view) {
			const memory = runs.of(view.runId);
			const open = memory.open.settle(view);
			if (!isRead(view.effect)) written(memory, outcome, view.keys);
			else if (open?.kind === "read" && open.writes === memory.writes)
				remember(memory, open.key, { outcome, keys: open.madeCalls ? undefined : view.keys });
		},
	};
}

function newMemory(): Memory {
	const open = new OpenCalls<Open>(({ kind }) => {
		if (kind === "write") memory.writing -= 1;
	});
	const nothing = { order: [], oldest: 0, chars: 0, writes: 0, writing: 0, closed: false };
	const memory: Memory = { ...nothing, answers: new Map(), open };
	return memory;
}

// Canonical arguments hold no line break of their own, so the two parts cannot be taken for others.
function keyOf({ name, args }: ToolCall): string {
	return `${argumentsKey(args)}\n${name}`;
}

function written(memory: Memory, outcome: Outcome, keys: LockKeys | undefined): void {
	memory.writes += 1;
	if (neverRan(outcome)) return;
	if (!outcome.ok && outcome.error.code === "OUTCOME_UNKNOWN") memory.closed = true;
	const changed = keys === undefined ? [] : keyLists(keys).write;
	const every = changed.length === 0 || memory.closed;
	for (const [key, known] of memory.answers) {
		if (every || known.keys === undefined || known.keys.some((one) => changed.includes(one)))
			forget(memory, key, known);
	}
}

/** A list without a key says as little of what was read as no list. */
function allKeys(keys: LockKeys | undefined): readonly string[] | undefined {
	if (keys === undefined) return undefined;
	const { write, read } = keyLists(keys);
	return write.length + read.length === 0 ? undefined : [...read, ...write];
}

function remember(memory: Memory, key: string, read: { outcome: Outcome; keys: LockKeys | undefined }): void {
	const { outcome, keys } = read;
	// Bytes can be moved away by whoever is given them, and then the next one would be given none.
	if (!outcome.ok || outcome.value instanceof Uint8Array || memory.closed) return;
	const text = textOf(outcome.value);
	if (text === undefined || text.length + key.length > MEMO_CHARS_MAX) return;
	const chars = text.length + key.length;
	const before = memory.answers.get(key);
	if (before !== undefined) forget(memory, key, before);
	const answer: Remembered = { text, chars, keys: allKeys(keys) };
	memory.answers.set(key, answer);
	memory.order.push({ key, answer });
	memory.chars += chars;
	while (memory.answers.size > MEMO_ANSWERS_MAX || memory.chars > MEMO_CHARS_MAX) forgetOldest(memory);
	invariant(memory.answers.size > 0 && memory.chars <= MEMO_CHARS_MAX, "ME1", "more is kept than the bound");
}

function answerOf({ text }: Remembered): Outcome {
	return text === "" ? { ok: true } : { ok: true, value: JSON.parse(text) as JsonValue };
}

/** Nothing for what is no data: a policy further in may have answered with that, and accounting has not refused it yet. */
function textOf(value: JsonValue | undefined): string | undefined {
	try {
		return value === undefined ? "" : JSON.stringify(value);
	} catch {
		return undefined;
	}
}

// A list with a head: a map from whose front one takes and takes looks at everything it ever held there.
function forgetOldest(memory: Memory): void {
	const { order } = memory;
	const oldest = order[memory.oldest];
	memory.oldest += 1;
	if (oldest !== undefined && memory.answers.get(oldest.key) === oldest.answer)
		forget(memory, oldest.key, oldest.answer);
	if (memory.oldest > order.length / 2) {
		memory.order = order.slice(memory.oldest);
		memory.oldest = 0;
	}
}

function forget(memory: Memory, key: string, { chars }: Remembered): void {
	memory.answers.delete(key);
	memory.chars -= chars;
}
