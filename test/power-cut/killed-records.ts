// Killed records
//
// What the killed writer writes: the record of each number, the same in every process.

import { INLINE_BYTES_MAX } from "../../engine/core/ledger-limits.js";
import type { EntryDraft, Intent } from "../../engine/ledger/entry.js";

/** An entry, every third an intent, now and then one with a value that is kept beside the ledger. */
export function recordAt(index: number): EntryDraft | Intent {
	const at = 1_000 + index;
	if (index % 3 === 2) return { kind: "intent", runId: "run", at, data: { index } };
	const length = index % 40 === 0 ? INLINE_BYTES_MAX + 1 : (index * 37) % 2_000;
	return { kind: "tool_called", runId: "run", at, data: { index, text: "x".repeat(length) } };
}
