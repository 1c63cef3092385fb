// Serial reference of a reply that ended badly
//
// Nothing of such a reply runs, nobody is asked about it, and none of its calls stops another. Cut by its length or a
// filter, each of its whole calls is accounted as incomplete, in call order; failed or cancelled, it leaves nothing.
//
// Owns:      what those ends leave behind.
// Does not:  know a reply that ended well (serial-reference.ts).

import type { ToolCall } from "../../engine/core/call.js";
import { failed } from "../../engine/core/outcome.js";
import { runSerially, type SerialFace, type SerialResult } from "./serial-reference.js";

export async function endedSerially(calls: readonly ToolCall[], face: SerialFace, end: string): Promise<SerialResult> {
	if (end !== "length" && end !== "filtered") return { status: "aborted", results: [], steers: [], entries: [] };
	const answer = failed("RESPONSE_INCOMPLETE", { message: "Not run." });
	const incomplete: SerialFace = { ...face, prepare: (call, index) => ({ ...face.prepare(call, index), answer }) };
	const { entries, ...result } = await runSerially({ calls, face: incomplete });
	const [returned, ...lines] = entries;
	const cut = returned && { ...returned, data: { ...returned.data, cut: end } };
	return { ...result, entries: cut === undefined ? [] : [cut, ...lines] };
}
