// Continued ledger
//
// The ledger of a wave that goes on after a crash. A call's lines are appended together and yet a crash may leave the first
// of them; so when the call is accounted again, those that stand there already are not written twice.
//
// They are left out only where all of them come again. A tool that answers otherwise than before makes other calls, and then
// the call's lines stand anew, whole, behind the rest of its first try; but never again what the host had said before it.
//
// Owns:      that comparison, of the first call that is accounted.
// Does not:  find what was cut off (wave-history.ts).

import type { LineRecord } from "../core/call-record.js";
import { canonical, type EntryDraft, type Intent } from "./entry.js";
import type { Ledger } from "./ledger.js";

/** The ledger itself where nothing was cut off. */
export function continuedLedger(behind: Ledger, tail: readonly LineRecord[] = []): Ledger {
	if (tail.length === 0) return behind;
	// The casts hold: these are lines of a ledger.
	let standing: readonly string[] | undefined = tail.map((line) => canonical(line as EntryDraft));
	const said = tail.findIndex(({ kind }) => kind === "tool_called");
	const saidBefore = said < 0 ? tail.length : said;

	function left(records: readonly (EntryDraft | Intent)[]): readonly (EntryDraft | Intent)[] {
		// An intent, a question and its answer stand wherever they come.
		if (standing === undefined || !records.some((record) => record.kind === "tool_called")) return records;
		const lines = standing;
		standing = undefined;
		const isSame = (place: number): boolean => canonical(records[place] as EntryDraft) === lines[place];
		let same = 0;
		while (same < lines.length && same < records.length && isSame(same)) same += 1;
		return records.slice(same === lines.length ? same : Math.min(same, saidBefore));
	}

	return {
		append: (records) => behind.append(left(records)),
		barrier: () => behind.barrier(),
		entries: () => behind.entries(),
		intents: () => behind.intents(),
		records: (runId) => behind.records(runId),
		close: () => behind.close(),
		...(behind.values && { values: behind.values }),
	};
}
