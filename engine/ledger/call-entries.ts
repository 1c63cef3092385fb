// Call entries
//
// The lines that a wave writes: what the model asked for, what each call was and how it ended. One place, so that the
// fields are the same whoever writes them and a reader of the ledger finds them described.
//
// Owns:      the data of `model_returned`, `tool_called`, `tool_result` and of an intent.
// Does not:  decide when they are written (accounting/account.ts, wave/).

import { type ToolCall, UNREADABLE } from "../core/call.js";
import type { CutReason } from "../core/cut-short.js";
import type { Effect } from "../core/effect.js";
import { copyJson, type JsonObject, type JsonValue } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";
import { type EntryDraft, type Intent, outcomeData } from "./entry.js";

/** Where and when a line is written. */
export interface Stamp {
	readonly runId: string;
	/** Milliseconds since 1970. */
	readonly at: number;
}

/** The registration of a call's tool, as far as its entry copies it. */
export interface Registration {
	readonly effect: Effect;
	readonly render?: string;
	readonly idempotent?: boolean;
}

/** What a call ran as after middleware had changed its arguments, the last time it ran. */
export interface RanAs {
	readonly args: JsonObject;
	readonly effect: Effect;
}

/** A reply, as far as its line holds it. */
export interface Returned {
	readonly calls: readonly ToolCall[];
	/** What it said beside its calls: known to a run alone, and left out where it said nothing. */
	readonly text?: string;
	/** The call that is the agent whose model it was. */
	readonly path?: Path;
	/** It was incomplete, so that none of its calls runs, after a crash neither. */
	readonly cut?: CutReason | undefined;
}

export function modelReturned(stamp: Stamp, step: number, { calls, text = "", path = [], cut }: Returned): EntryDraft {
	const asked = calls.map(({ id, name, args }) => ({ id, name, args: rawArguments(args) }));
	const said = { ...(text !== "" && { text }), ...(path.length > 0 && { lineage: path }), ...(cut && { cut }) };
	return { kind: "model_returned", ...stamp, data: { step, calls: asked, ...said } };
}

/** A call's place: the indexes of the calls it is nested in, outermost first, and its own. */
type Path = readonly number[];

/** Effect and render are those of the registration; for an unknown tool there is none to copy. */
export function toolCalled(
	stamp: Stamp,
	called: { readonly path: Path; readonly call: ToolCall; readonly registration: Registration | undefined },
): EntryDraft {
	const { path, call, registration } = called;
	const { runId, at } = stamp;
	const { id, name } = call;
	const index = indexOf(path);
	const args = rawArguments(call.args);
	// One literal each and no spread: two of these a call are what a long wave mostly allocates.
	if (registration === undefined) {
		return { kind: "tool_called", runId, at, data: { index, id, name, args, lineage: path } };
	}
	const { effect, render = "generic" } = registration;
	return { kind: "tool_called", runId, at, data: { index, id, name, args, lineage: path, effect, render } };
}

export function toolResult(
	stamp: Stamp,
	result: {
		readonly path: Path;
		readonly id: string;
		readonly outcome: Outcome;
		readonly replayOf: number | undefined;
		readonly ranAs?: RanAs | undefined;
	},
): EntryDraft {
	const { path, id, replayOf, ranAs } = result;
	const index = indexOf(path);
	const outcome = outcomeData(result.outcome);
	const data: JsonObject = replayOf === undefined ? { index, id, outcome } : { index, id, outcome, replayOf };
	const { runId, at } = stamp;
	return { kind: "tool_result", runId, at, data: ranAs === undefined ? data : { ...data, ranAs: { ...ranAs } } };
}

export function callIntent(
	stamp: Stamp,
	about: { readonly step: number; readonly path: Path; readonly name: string; readonly idempotent: boolean },
): Intent {
	const { step, path, name, idempotent } = about;
	return { kind: "intent", ...stamp, data: { step, index: indexOf(path), name, idempotent, lineage: path } };
}

function indexOf(path: Path): number {
	return path.at(-1) ?? 0;
}

// Raw arguments are a provider's text or a JSON value. What is neither cannot be written down; the call ends as
// INVALID_ARGUMENTS, and its entry says so much.
export function rawArguments(args: unknown): JsonValue {
	if (typeof args === "string") return args;
	const copied = copyJson(args);
	if (!copied.ok) return { [UNREADABLE]: `${copied.path}: ${copied.problem}` };
	return copied.value === undefined ? null : (copied.value as JsonValue);
}
