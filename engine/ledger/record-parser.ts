// Record parser
//
// From lines that fit the chain to records, their large values put back. Lines without large values are parsed in one go;
// one with them makes a batch of its own, so that the values of two records are never held together.
//
// Owns:      that step, and what a line was that is no record.
// Does not:  read lines (line-scanner.ts, sqlite-reader.ts).

import type { BlobFolder } from "./blob-folder.js";
import type { LedgerProblem } from "./ledger-error.js";
import type { WantedRun } from "./ledger-store.js";
import type { ScannedLine } from "./line-scanner.js";
import { parseLine, type ReadRecord, unreadWithLargeValues, withLargeValues } from "./record-text.js";
import { type RunRecord, UsualLines } from "./usual-line.js";

export class RecordParser {
	readonly #blobs: BlobFolder;
	/** What stands in every line of the one run that is wanted. */
	readonly #sign: string | undefined;
	readonly #isUnread: boolean;
	readonly #usual = new UsualLines();
	#problem: LedgerProblem | undefined;

	/** `wanted`: lines that are surely of another run are passed over, for parsing them is most of what reading costs. */
	constructor(blobs: BlobFolder, wanted?: WantedRun) {
		this.#blobs = blobs;
		this.#isUnread = wanted?.unread === true;
		if (wanted !== undefined) this.#sign = `"runId":${JSON.stringify(wanted.runId)},`;
	}

	/** The line that stopped the batches before the last line, once they have ended. */
	get problem(): LedgerProblem | undefined {
		return this.#problem;
	}

	async *batches(lines: readonly ScannedLine[]): AsyncGenerator<readonly ReadRecord[], void> {
		let batch: RunRecord[] = [];
		const sign = this.#sign;
		for (const { line, text } of lines) {
			if (sign !== undefined && !text.includes(sign)) continue;
			const unread = this.#usual.find(text);
			const usual = this.#isUnread ? unread : unread?.parse();
			if (usual !== undefined) {
				batch.push(usual);
				continue;
			}
			const parsed = parseLine(text);
			if (parsed !== undefined && parsed.refs.length === 0) {
				batch.push(parsed.record);
				continue;
			}
			yield asRecords(batch);
			batch = [];
			const joined = this.#isUnread ? unreadWithLargeValues : withLargeValues;
			const read = parsed === undefined ? { problem: "it is no record" } : await joined(parsed, this.#blobs);
			if ("problem" in read) {
				this.#problem = { line, reason: read.problem };
				return;
			}
			yield asRecords([read]);
		}
		yield asRecords(batch);
	}
}

// The cast holds as long as whoever wants records unread says so in a type of its own, as readRun does (read-ledger.ts).
function asRecords(batch: readonly RunRecord[]): readonly ReadRecord[] {
	return batch as readonly ReadRecord[];
}
