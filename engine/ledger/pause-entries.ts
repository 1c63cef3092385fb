// Pause entries
//
// The lines of a question and its answer, of a pause and its end. They are outside the canonical view, because a run that
// was interrupted reads like one that was not; a reader who wants to know who decided what, and a recovery, find them.
//
// Owns:      their data.
// Does not:  decide when they are written (wave/).

import type { JsonObject, JsonValue } from "../core/json-value.js";
import type { Stamp } from "./call-entries.js";
import type { EntryDraft } from "./entry.js";

/** Where a question was asked. */
export interface QuestionPlace {
	readonly step: number;
	readonly id: string;
	/** The path of the call that asked. Its intent, if it had one, is closed by this line: it acts no more until it runs again. */
	readonly path: readonly number[];
}

export function questionAsked(stamp: Stamp, { step, id, path }: QuestionPlace, question: JsonValue): EntryDraft {
	const place = { step, id, index: path.at(-1) ?? 0, lineage: path };
	return { kind: "question_asked", ...stamp, data: { ...place, question } };
}

/** `by` tells an answer that a rule gave from one that a person gave to this very question. */
export function answerReceived(
	stamp: Stamp,
	place: { readonly step: number; readonly id: string },
	said: { readonly answer: JsonValue; readonly by: "person" | "rule" } | { readonly unanswered: string },
): EntryDraft {
	return { kind: "answer_received", ...stamp, data: { step: place.step, id: place.id, ...said } };
}

/**
 * Holds what had finished and was not accounted, so that a recovery needs nothing but the ledger. `steers` are those that
 * the run has taken and not written: their lines come where the model's step has come to.
 */
export function runPaused(
	stamp: Stamp,
	{ step, steers }: { readonly step: number; readonly steers: readonly string[] },
	checkpoint: JsonObject,
): EntryDraft {
	const data = { step, checkpoint, ...(steers.length > 0 && { steers }) };
	return { kind: "run_paused", ...stamp, data };
}

export function runResumed(stamp: Stamp, step: number): EntryDraft {
	return { kind: "run_resumed", ...stamp, data: { step } };
}
