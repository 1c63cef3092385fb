// The first line of a ledger's file, as power cuts leave it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger, readLedger, verifyLedger } from "../../engine/index.js";
import { HEADER } from "../../engine/ledger/line-format.js";
import { draftOf } from "../contracts/ledger.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

async function countOf(path: string): Promise<number> {
	let count = 0;
	for await (const _ of readLedger(path)) count += 1;
	return count;
}

describe("the first line of a file ledger", () => {
	it("S3: a header that two power cuts have torn, a beginning and NUL bytes, is torn and written anew", async () => {
		const path = join(folder(), "l");
		for (let kept = 0; kept < HEADER.length; kept += 1) {
			for (const length of [kept, kept + 1, HEADER.length]) {
				const left = Buffer.alloc(Math.min(length, HEADER.length));
				HEADER.copy(left, 0, 0, kept);
				writeFileSync(path, left);
				expect(await countOf(path)).toBe(0);
				const ledger = fileLedger(path);
				ledger.append([draftOf(0)]);
				await ledger.close();
				expect(await verifyLedger(path)).toEqual({ ok: true, entries: 1 });
			}
		}
	});

	it("W2: with anything else behind its beginning, or more than its length, is no ledger and is not written", async () => {
		const path = join(folder(), "l");
		const longer = Buffer.concat([HEADER.subarray(0, 9), Buffer.alloc(HEADER.length)]);
		const other = Buffer.concat([HEADER.subarray(0, 9), Buffer.alloc(9), Buffer.from("x")]);
		for (const bytes of [longer, other]) {
			writeFileSync(path, bytes);
			await expect(countOf(path)).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
			const ledger = fileLedger(path);
			ledger.append([draftOf(0)]);
			await expect(ledger.barrier()).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
			await ledger.close().catch(() => undefined);
			expect(readFileSync(path).equals(bytes)).toBe(true);
		}
	});
});
