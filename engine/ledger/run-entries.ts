// Run entries
//
// The lines of a run around those of its waves: what it began with, each request to the model, what came from outside
// meanwhile, and how it ended. A run that is a tool's work has its lines between that call's two, with the call's path.
//
// Owns:      their data.
// Does not:  decide when they are written (run/).

import type { JsonObject, JsonValue } from "../core/json-value.js";
import type { Stamp } from "./call-entries.js";
import type { EntryDraft } from "./entry.js";

/** The path of the call that the run is the work of; empty for a run of its own. */
type Path = readonly number[];

function within(path: Path): JsonObject {
	return path.length === 0 ? {} : { lineage: path };
}

/** With the messages that it began with, a reader of the ledger has the whole conversation. */
export function runStarted(stamp: Stamp, messages: readonly JsonObject[], path: Path): EntryDraft {
	return { kind: "run_started", ...stamp, data: { messages, ...within(path) } };
}

export function modelCalled(stamp: Stamp, step: number, path: Path): EntryDraft {
	return { kind: "model_called", ...stamp, data: { step, ...within(path) } };
}

export function steerReceived(stamp: Stamp, text: string): EntryDraft {
	return { kind: "steer_received", ...stamp, data: { text } };
}

export function cancelReceived(stamp: Stamp, reason: string): EntryDraft {
	return { kind: "cancel_received", ...stamp, data: { reason } };
}

/** `steps` counts the replies that the run has asked for; `why` says what `status` does not. */
export function runFinished(
	stamp: Stamp,
	end: { readonly status: string; readonly steps: number; readonly why: JsonValue | undefined },
	path: Path,
): EntryDraft {
	const { status, steps, why } = end;
	return {
		kind: "run_finished",
		...stamp,
		data: { status, steps, ...(why !== undefined && { why }), ...within(path) },
	};
}
