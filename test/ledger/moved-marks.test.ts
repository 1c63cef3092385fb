// A ledger's file whose bytes were moved: by an editor, a conversion of line endings, a copy that lost or doubled a part.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileLedger, recover, verifyLedger } from "../../engine/index.js";
import { codeOf, draftOf, intentOf } from "../contracts/ledger.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

/** A file of four barriers, each vouched for by the mark behind it; what stands before the last mark. */
async function marked(path: string): Promise<{ readonly whole: Buffer; readonly lastMark: number }> {
	const ledger = fileLedger(path);
	for (const index of [0, 1, 2, 3]) {
		ledger.append([draftOf(index), intentOf(index), draftOf(index, { text: "ä" })]);
		await ledger.barrier();
	}
	await ledger.close();
	const whole = readFileSync(path);
	return { whole, lastMark: whole.lastIndexOf('{"kind":"durable"') };
}

type Change = (before: Buffer, at: number, length: number) => readonly (Buffer | string)[];

/** What is written in the place of the bytes before the last mark. */
const CHANGES: Record<string, Change> = {
	"is put in": (before, at, length) => [before.subarray(0, at), "x".repeat(length), before.subarray(at)],
	"is taken out": (before, at, length) => [before.subarray(0, at), before.subarray(at + length)],
	"stands twice": (before, at, length) => [before.subarray(0, at + length), before.subarray(at)],
	"is a line put in": (before, at) => {
		const end = before.lastIndexOf("\n", at) + 1;
		return [before.subarray(0, end), "\n", before.subarray(end)];
	},
	"is a line taken out": (before, at) => {
		const end = before.lastIndexOf("\n", at) + 1;
		return [before.subarray(0, end), before.subarray(before.indexOf("\n", end) + 1)];
	},
	"ends its lines as other systems do": (before, at) => {
		const end = before.lastIndexOf("\n", at) + 1;
		return [before.subarray(0, end), before.toString("latin1", end).replaceAll("\n", "\r\n")];
	},
};

describe("a file that was moved before a mark", () => {
	it.each(Object.keys(CHANGES))("S3: is damaged where a part %s, and nobody cuts it off", async (name) => {
		const path = join(folder(), "l");
		const { whole, lastMark } = await marked(path);
		const place = fc.record({ at: fc.nat(lastMark - 100), length: fc.integer({ min: 1, max: 99 }) });
		await fc.assert(
			fc.asyncProperty(place, async ({ at, length }) => {
				const before = CHANGES[name]?.(whole.subarray(0, lastMark), at, length) ?? [];
				const isText = name.startsWith("ends");
				const behind = whole.subarray(lastMark);
				const mark = isText ? behind.toString("latin1").replaceAll("\n", "\r\n") : behind;
				const moved = Buffer.concat([...before, mark].map((part) => Buffer.from(part as Buffer)));
				writeFileSync(path, moved);
				expect((await verifyLedger(path)).ok).toBe(false);
				expect(await codeOf(() => recover(path, "run"))).toBe("LEDGER_DAMAGED");
				const next = fileLedger(path);
				next.append([draftOf(9)]);
				expect(await codeOf(() => next.close())).toBe("LEDGER_DAMAGED");
				expect(readFileSync(path).equals(moved)).toBe(true);
			}),
			{ numRuns: 40 },
		);
	});
});
