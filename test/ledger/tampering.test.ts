// A ledger's file that somebody or something has changed: every change is found, and only a cut of the end is forgiven.

import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Entry } from "../../engine/ledger/entry.js";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import { encodeLine, FIRST_HASH, HEADER } from "../../engine/ledger/line-format.js";
import { readLedger, verifyLedger } from "../../engine/ledger/read-ledger.js";
import { codeOf, collect, draftOf, intentOf } from "../contracts/ledger.js";
import { entriesIn, linesOf, RECORDS, unclosed, writeLedger } from "./ledger-text.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();
let whole: Buffer;
let lines: readonly Buffer[];

beforeAll(async () => {
	whole = await writeLedger(join(folder(), "whole"));
	lines = linesOf(whole);
});

function changed(bytes: Buffer): string {
	const path = join(folder(), "l");
	writeFileSync(path, bytes);
	return path;
}

/** The entries read, and the code that reading ended with. */
async function readAll(path: string): Promise<{ entries: Entry[]; code: string }> {
	const entries: Entry[] = [];
	const code = await codeOf(async () => {
		for await (const entry of readLedger(path)) entries.push(entry);
	});
	return { entries, code };
}

describe("a file that was changed", () => {
	it("S1: a flip of any bits of any byte is found, at its own line", async () => {
		const bytes = fc.record({ at: fc.nat(whole.length - 1), bits: fc.integer({ min: 1, max: 255 }) });
		await fc.assert(
			fc.asyncProperty(bytes, async ({ at, bits }) => {
				const flipped = Buffer.from(whole);
				flipped[at] = (flipped[at] ?? 0) ^ bits;
				const line = whole.subarray(0, at).toString("latin1").split("\n").length;
				const check = await verifyLedger(changed(flipped));
				expect({ ...check, problem: check.problem?.line }).toEqual({
					ok: false,
					entries: entriesIn(line - 1),
					problem: line,
				});
			}),
			{ numRuns: 200 },
		);
	});

	it("S1: every byte in turn, changed by one bit, is found", async () => {
		const path = changed(whole);
		for (let at = 0; at < whole.length; at += 1) {
			const flipped = Buffer.from(whole);
			flipped[at] = (flipped[at] ?? 0) ^ 1;
			writeFileSync(path, flipped);
			expect([at, (await verifyLedger(path)).ok]).toEqual([at, false]);
		}
	}, 30_000);

	it("S1: lines deleted, doubled or in another order are found, unless the last lines alone are gone", async () => {
		const records = lines.length - 1;
		const picks = fc.array(fc.nat(records - 1), { maxLength: records + 2 });
		await fc.assert(
			fc.asyncProperty(picks, async (order) => {
				const text = Buffer.concat([lines[0] ?? whole, ...order.map((index) => lines[index + 1] ?? whole)]);
				const isPrefix = order.every((index, place) => index === place);
				expect((await verifyLedger(changed(text))).ok).toBe(isPrefix);
			}),
			{ numRuns: 200, examples: [[[0, 1, 2]], [[1, 0, 2, 3, 4, 5]], [[0, 0, 1]], [[0, 1, 2, 3, 4, 5, 5]], [[]]] },
		);
	});

	it("S3: a bad line with a line behind it is refused by whoever reads or writes, after the whole lines before", async () => {
		const middle = Buffer.from(whole);
		const at = lines.slice(0, 3).reduce((sum, line) => sum + line.length, 0) + 12;
		middle[at] = (middle[at] ?? 0) ^ 1;
		const path = changed(middle);
		expect(await readAll(path)).toMatchObject({ entries: [{ seq: 0 }, { seq: 1 }], code: "LEDGER_DAMAGED" });
		const ledger = fileLedger(path);
		ledger.append([draftOf(9)]);
		await expect(ledger.barrier()).rejects.toThrow(`${path}: line 4 is damaged: its hash does not fit`);
		await ledger.close().catch(() => undefined);
		expect(readFileSync(path).equals(middle)).toBe(true);
	});

	it("S2: a line that is chained well and numbered wrongly is damage", async () => {
		const path = join(folder(), "l");
		const wrong = encodeLine('{"seq":1,"kind":"tool_called","runId":"run","at":1,"data":{}', FIRST_HASH).text;
		writeFileSync(path, Buffer.concat([HEADER, Buffer.from(wrong)]));
		expect((await verifyLedger(path)).problem).toEqual({ line: 2, reason: "it is number 1 where 0 is due" });
	});

	it("S4: a mark that is chained well and stands elsewhere than it says is damage", async () => {
		const path = join(folder(), "l");
		const moved = encodeLine('{"kind":"durable","bytes":41', FIRST_HASH).text;
		writeFileSync(path, Buffer.concat([HEADER, Buffer.from(moved)]));
		expect((await verifyLedger(path)).problem).toEqual({ line: 2, reason: "it marks 41 bytes, and stands behind 42" });
	});

	it("S3: any change before the last mark is damage to whoever reads or writes, wherever its barrier stands", async () => {
		const path = join(folder(), "l");
		const ledger = fileLedger(path);
		for (const index of [0, 1, 2, 3]) {
			ledger.append([draftOf(index), intentOf(index), draftOf(index, { text: "ä" })]);
			await ledger.barrier();
		}
		await ledger.close();
		const bytes = readFileSync(path);
		const lastMark = bytes.length - (linesOf(bytes).at(-1)?.length ?? 0);
		const change = fc.record({ at: fc.nat(lastMark - 1), bits: fc.integer({ min: 1, max: 255 }) });
		await fc.assert(
			fc.asyncProperty(change, async ({ at, bits }) => {
				const flipped = Buffer.from(bytes);
				flipped[at] = (flipped[at] ?? 0) ^ bits;
				writeFileSync(path, flipped);
				expect((await readAll(path)).code).toBe("LEDGER_DAMAGED");
				const next = fileLedger(path);
				next.append([draftOf(9)]);
				expect(await codeOf(() => next.close())).toBe("LEDGER_DAMAGED");
				expect(readFileSync(path).equals(flipped)).toBe(true);
			}),
			{ numRuns: 100 },
		);
	});

	it("bytes that go on without a line end are no line, however many they are", async () => {
		const path = changed(Buffer.concat([whole, Buffer.alloc(5 * 1024 * 1024, "x")]));
		expect(await verifyLedger(path)).toMatchObject({ ok: false, entries: 5, problem: { line: 9 } });
	});
});

describe("a file that was cut", () => {
	/** How many bytes of a cut file are whole lines. */
	const wholeBytes = (bytes: Buffer, length: number): number => bytes.subarray(0, length).lastIndexOf(0x0a) + 1;

	it("at every length the check finds the whole lines good and says what is torn, and changes nothing", async () => {
		const path = changed(whole);
		for (let length = whole.length; length >= 0; length -= 1) {
			truncateSync(path, length);
			const left = linesOf(whole.subarray(0, wholeBytes(whole, length))).length;
			const bytes = length - wholeBytes(whole, length);
			const torn = bytes === 0 ? {} : { torn: { line: left + 1, bytes } };
			expect([length, await verifyLedger(path)]).toEqual([length, { ok: true, entries: entriesIn(left), ...torn }]);
			expect(statSync(path).size).toBe(length);
		}
	});

	it("W2: at every length the next writer cuts off what is torn and goes on from the whole lines", async () => {
		const records = RECORDS.slice(1, 3);
		const short = await writeLedger(join(folder(), "short"), records);
		const path = changed(short);
		for (let length = 0; length <= short.length; length += 1) {
			writeFileSync(path, short.subarray(0, length));
			const left = linesOf(short.subarray(0, wholeBytes(short, length))).length;
			const ledger = fileLedger(path);
			ledger.append([...records.slice(Math.max(0, left - 1)), draftOf(9, {})]);
			await ledger.close();
			const entries = (await collect(readLedger(path))).map(({ data }) => data);
			expect([length, entries]).toEqual([length, [records[0]?.data, {}]]);
			expect([length, await verifyLedger(path)]).toEqual([length, { ok: true, entries: 2 }]);
		}
	}, 60_000);

	it("S3: lines behind a bad one with no mark behind them are left out, and cut off by the next writer", async () => {
		const torn = unclosed(whole);
		// As a disk leaves it that wrote the sectors of one barrier in another order, and lost one.
		torn.fill(0, torn.length - 300, torn.length - 260);
		const path = changed(torn);
		expect(await readAll(path)).toMatchObject({ entries: { length: 3 }, code: "nothing was thrown" });
		expect(await verifyLedger(path)).toMatchObject({ ok: false, entries: 3, problem: { line: 6 } });
		const ledger = fileLedger(path);
		ledger.append(RECORDS.slice(-2));
		await ledger.close();
		expect((await readAll(path)).entries).toMatchObject(RECORDS.filter(({ kind }) => kind !== "intent"));
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 5 });
	});

	it("a last line whose bytes came down wrong is left out, cut off by the next writer, and found by the check", async () => {
		const torn = unclosed(whole);
		torn.fill(0, torn.length - 20, torn.length - 4);
		const path = changed(torn);
		expect(await readAll(path)).toMatchObject({ entries: { length: 4 }, code: "nothing was thrown" });
		expect(await verifyLedger(path)).toMatchObject({ ok: false, entries: 4, problem: { line: 7 } });
		const ledger = fileLedger(path);
		ledger.append(RECORDS.slice(-1));
		await ledger.close();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 5 });
	});

	it("a torn line that was longer than what the next writer adds leaves nothing behind", async () => {
		const path = changed(unclosed(whole).subarray(0, -1));
		const ledger = fileLedger(path);
		expect(await collect(ledger.entries())).toHaveLength(4);
		ledger.append([draftOf(5, {})]);
		await ledger.barrier();
		expect(await collect(ledger.entries())).toHaveLength(5);
		await ledger.close();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 5 });
	});

	it("a first line that is cut, or that came down as NUL bytes, is written anew; one with more behind it is refused", async () => {
		const nothing = Buffer.alloc(HEADER.length);
		for (const head of [HEADER.subarray(0, 7), nothing, nothing.subarray(1)]) {
			const path = changed(head);
			expect((await readAll(path)).code).toBe("nothing was thrown");
			const ledger = fileLedger(path);
			ledger.append([draftOf(0)]);
			await ledger.close();
			expect(await verifyLedger(path)).toEqual({ ok: true, entries: 1 });
		}
		const path = changed(Buffer.concat([nothing, Buffer.from("x")]));
		expect((await readAll(path)).code).toBe("LEDGER_DAMAGED");
	});
});
