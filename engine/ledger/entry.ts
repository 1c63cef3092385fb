// Entry
//
// One line of history. What must be the same under every schedule is `kind` and `data`; the sequence number, the run's id
// and the clock's reading stand beside them, so that two runs of the same calls can be compared by their canonical text.
//
// Owns:      the closed set of kinds, the shape of an entry's data, the canonical text.
// Does not:  store entries (memory-ledger.ts, file-ledger.ts).
//
// Invariants:
//   N1. The canonical text of an entry holds no run id, clock reading, thread number or stack.
//   N2. Entries of a pause have no canonical text: a paused and resumed run reads as an unbroken one.

import { canonicalJson, type JsonObject, type JsonValue } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";

/**
 * The closed set of entry kinds. Two entries a call: `tool_called`, then `tool_result`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type EntryKind =
	| "run_started"
	| "model_called"
	| "model_returned"
	| "tool_called"
	| "tool_result"
	| "steer_received"
	| "cancel_received"
	| "question_asked"
	| "answer_received"
	| "run_paused"
	| "run_resumed"
	| "run_finished";

/**
 * What the engine appends. `data` is canonical, everything beside it is not.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface EntryDraft {
	/** What happened. */
	readonly kind: EntryKind;
	/** The run that it happened in; no part of what is canonical. */
	readonly runId: string;
	/** When, in milliseconds since 1970; no part of what is canonical. */
	readonly at: number;
	/** What is to be said of it; its fields go by the kind. */
	readonly data: JsonObject;
}

/**
 * One line of history as it is read back.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Entry extends EntryDraft {
	/** Counts from 0, without a gap; in a ledger that is rotated by run, each run's entries by themselves. */
	readonly seq: number;
}

/**
 * That a call is about to act: durable before it does, without a sequence number, outside the canonical view.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Intent {
	/** Tells it from an entry. */
	readonly kind: "intent";
	/** The run of the call. */
	readonly runId: string;
	/** When, in milliseconds since 1970. */
	readonly at: number;
	/** Which call it is, and whether its tool is `idempotent`. */
	readonly data: JsonObject;
}

const PAUSE_KINDS: ReadonlySet<EntryKind> = new Set(["question_asked", "answer_received", "run_paused", "run_resumed"]);

// N1: readings of a clock or names of a thread inside an error's details.
const VOLATILE_DETAILS: ReadonlySet<string> = new Set(["ranMs", "waitedMs", "thread"]);

/**
 * The text of an entry as it is compared: equal for two runs of the same calls with the same answers, whatever their
 * schedule and timing. Empty for the entries of a pause, which are outside the canonical view.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function canonical(entry: EntryDraft): string {
	// N2: a run without the pause has nothing in this place.
	if (PAUSE_KINDS.has(entry.kind)) return "";
	return canonicalJson({ kind: entry.kind, data: steady(entry.data) });
}

/** An outcome as data for an entry: binary as text, no stack. */
export function outcomeData(outcome: Outcome): JsonObject {
	if (!outcome.ok) return { ok: false, error: withoutStack(outcome.error as unknown as JsonObject) };
	if (outcome.value instanceof Uint8Array) return { ok: true, value: binaryData(outcome.value) };
	// An outcome is never changed, so what is data already stands in the entry as it is.
	return outcome as JsonObject;
}

/** Binary inside an entry: the one form that is not plain JSON, so it is marked. */
export function binaryData(bytes: Uint8Array): JsonObject {
	return { $binary: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
}

function withoutStack(error: JsonObject): JsonObject {
	const { stack: _stack, cause, ...kept } = error;
	if (typeof cause !== "object" || cause === null) return kept;
	return { ...kept, cause: withoutStack(cause as JsonObject) };
}

function steady(data: JsonObject): JsonValue {
	const outcome = data.outcome as { error?: { details?: JsonObject } } | undefined;
	const details = outcome?.error?.details;
	if (details === undefined || !Object.keys(details).some((key) => VOLATILE_DETAILS.has(key))) return data;
	const kept = Object.fromEntries(Object.entries(details).filter(([key]) => !VOLATILE_DETAILS.has(key)));
	return { ...data, outcome: { ...outcome, error: { ...outcome?.error, details: kept } } };
}
