// Serial reference of a reply that ended badly
//
// Nothing of such a reply runs. Cut by its length or a filter, each of its whole calls is accounted as incomplete, in
// call order; failed, restarted or cancelled, it leaves nothing.
//
// Owns:      what those five ends leave behind.
// Does not:  know a reply that ended well (serial-reference.ts).

import type { ToolCall } from "../../engine/core/call.js";
import type { JsonObject, JsonValue } from "../../engine/core/json-value.js";
import { failed } from "../../engine/core/outcome.js";
import type { EntryDraft, EntryKind } from "../../engine/ledger/entry.js";
import { outcomeData } from "../../engine/ledger/entry.js";
import type { SerialFace, SerialResult } from "./serial-reference.js";

export function endedSerially(calls: readonly ToolCall[], face: SerialFace, end: string): SerialResult {
	const entries: EntryDraft[] = [];
	const write = (kind: EntryKind, data: JsonObject) => entries.push({ kind, runId: "serial", at: 0, data });
	if (end !== "length" && end !== "filtered") return { status: "aborted", results: [], steers: [], entries };
	const given = calls.map(({ id, name, args }) => ({ id, name, args: args as JsonValue }));
	write("model_returned", { step: 0, calls: given });
	const outcome = failed("RESPONSE_INCOMPLETE", { message: "incomplete" });
	for (const [index, call] of given.entries()) {
		const registration = face.prepare(call, index).registration as JsonObject | undefined;
		write("tool_called", { index, ...call, lineage: [index], ...registration });
		write("tool_result", { index, id: call.id, outcome: outcomeData(outcome) });
	}
	const results = given.map(({ id, name }, index) => ({ index, id, name, outcome }));
	return { status: "aborted", results, steers: [], entries };
}
