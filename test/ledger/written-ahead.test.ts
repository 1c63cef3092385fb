// The space that an open ledger has written ahead in its file: it is there for speed, and nobody takes it for history.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { LEDGER_BLOCK_BYTES, LEDGER_SPARE_BYTES_MAX } from "../../engine/core/ledger-limits.js";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import type { ReadPiece } from "../../engine/ledger/file-system.js";
import { LineScanner } from "../../engine/ledger/line-scanner.js";
import { readLedger, verifyLedger } from "../../engine/ledger/read-ledger.js";
import { collect, draftOf } from "../contracts/ledger.js";
import { linesOf } from "./ledger-text.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

const BARRIERS = 3;

/** A file as its writer leaves it that is killed behind a barrier. */
let killed: Buffer;
/** How many bytes of it are lines. */
let used: number;

beforeAll(async () => {
	const path = join(folder(), "l");
	const ledger = fileLedger(path);
	for (let index = 0; index < BARRIERS; index += 1) {
		ledger.append([draftOf(index, { index, text: "ä".repeat(100) })]);
		await ledger.barrier();
	}
	killed = readFileSync(path);
	used = killed.lastIndexOf("\n") + 1;
	await ledger.close();
});

async function indexesIn(path: string): Promise<unknown[]> {
	return (await collect(readLedger(path))).map(({ data }) => data.index);
}

describe("what an open file ledger has written ahead", () => {
	it("W4: is NUL bytes up to a whole block, bounded however long the ledger is, and gone once it is closed", async () => {
		const path = join(folder(), "l");
		const ledger = fileLedger(path);
		let [most, longer] = [0, 0];
		for (let index = 0; index < 150; index += 1) {
			const before = index === 0 ? 0 : readFileSync(path).length;
			ledger.append([draftOf(index, { text: "x".repeat(10_000) })]);
			await ledger.barrier();
			const bytes = readFileSync(path);
			const spare = bytes.subarray(bytes.lastIndexOf("\n") + 1);
			expect([bytes.length % LEDGER_BLOCK_BYTES, spare.findIndex((byte) => byte !== 0)]).toEqual([0, -1]);
			most = Math.max(most, spare.length);
			if (bytes.length > before) longer += 1;
		}
		expect(most).toBeLessThanOrEqual(LEDGER_SPARE_BYTES_MAX + LEDGER_BLOCK_BYTES);
		// It is what it is for: few barriers wait for a file to grow.
		expect(longer).toBeLessThan(15);
		await ledger.close();
		expect(readFileSync(path).at(-1)).toBe(0x0a);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 150 });
	});

	it("W4: is little in a short ledger: no more than its lines, and a block", () => {
		expect(killed.length - used).toBeLessThanOrEqual(used + LEDGER_BLOCK_BYTES);
		expect(killed.length).toBeGreaterThan(used);
	});

	it("is no fault of a file whose writer was killed, and the next writer goes on from the last line", async () => {
		const path = join(folder(), "l");
		writeFileSync(path, killed);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: BARRIERS });
		expect(await indexesIn(path)).toEqual([0, 1, 2]);
		const next = fileLedger(path);
		next.append([draftOf(3)]);
		await next.close();
		expect(await indexesIn(path)).toEqual([0, 1, 2, 3]);
		expect(readFileSync(path).includes(0)).toBe(false);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: BARRIERS + 1 });
	});

	it("is read over by the ledger itself and by others while it is open", async () => {
		const path = join(folder(), "l");
		const ledger = fileLedger(path);
		for (const index of [0, 1]) {
			ledger.append([draftOf(index)]);
			await ledger.barrier();
			const expected = [0, 1].slice(0, index + 1);
			expect((await collect(ledger.entries())).map(({ data }) => data.index)).toEqual(expected);
			expect(await indexesIn(path)).toEqual(expected);
			expect(await verifyLedger(path)).toEqual({ ok: true, entries: index + 1 });
		}
		await ledger.close();
	});
});

describe("a change of a file that its writer did not close", () => {
	/** Where a flip is, in a line or behind all of them. */
	const flips = (place: "in a line" | "ahead") =>
		fc.record({
			at: place === "ahead" ? fc.integer({ min: used, max: killed.length - 1 }) : fc.nat(used - 1),
			bits: fc.integer({ min: 1, max: 255 }),
		});

	it.each(["in a line", "ahead"] as const)("S3: is found wherever it is (%s)", async (place) => {
		const path = join(folder(), "l");
		await fc.assert(
			fc.asyncProperty(flips(place), async ({ at, bits }) => {
				const flipped = Buffer.from(killed);
				flipped[at] = (flipped[at] ?? 0) ^ bits;
				writeFileSync(path, flipped);
				const { ok, torn } = await verifyLedger(path);
				// A first byte of a line is all that a torn write may have left of it.
				const isBegun = at === used && flipped[at] === 0x7b;
				expect({ ok, torn: torn?.bytes }).toEqual(isBegun ? { ok: true, torn: 1 } : { ok: false, torn: undefined });
			}),
			{ numRuns: 150 },
		);
	});

	it("S3: every byte of the end of the last line in turn, changed to NUL, is found", async () => {
		const path = join(folder(), "l");
		const last = linesOf(killed.subarray(0, used)).at(-1)?.length ?? 0;
		for (let at = used - last; at < used; at += 1) {
			const flipped = Buffer.from(killed);
			flipped[at] = 0;
			writeFileSync(path, flipped);
			expect([at, (await verifyLedger(path)).ok]).toEqual([at, false]);
		}
	});

	it("a batch that a power cut tore between sectors is torn and no change", async () => {
		const path = join(folder(), "l");
		const torn = Buffer.from(killed);
		torn.fill(0, used - 150);
		writeFileSync(path, torn);
		expect(await verifyLedger(path)).toMatchObject({
			ok: true,
			entries: BARRIERS - 1,
			torn: { bytes: expect.any(Number) },
		});
		const next = fileLedger(path);
		next.append([draftOf(2)]);
		await next.close();
		expect(await indexesIn(path)).toEqual([0, 1, 2]);
	});
});

/** A file that a writer in another process fills between two reads. */
function filledMeanwhile(seen: readonly Buffer[]): Pick<LineScannerFile, "read"> {
	let reads = 0;
	return {
		read: async ({ buffer, offset, length, position }: ReadPiece) => {
			const file = seen[Math.min(reads, seen.length - 1)] ?? killed;
			const bytesRead = file.subarray(position, position + length).copy(buffer, offset);
			reads += 1;
			return { bytesRead };
		},
	};
}

type LineScannerFile = ConstructorParameters<typeof LineScanner>[0];

async function linesIn(scanner: LineScanner): Promise<number> {
	let count = 0;
	for (;;) {
		const lines = await scanner.next();
		if (lines.length === 0) return count;
		count += lines.length;
	}
}

describe("a reader beside a writer of another process", () => {
	it("S5: that sees a later part of a batch and not the first takes it neither for torn nor for damage", async () => {
		const from = killed.indexOf("\n", used / 2) + 1;
		for (const to of [from + 10, used - 10]) {
			const half = Buffer.from(killed);
			half.fill(0, from, to);
			const cut = Buffer.from(half);
			cut.fill(0, used - 1);
			for (const seen of [
				[half, killed],
				[cut, killed],
				[cut, half, killed],
			]) {
				const scanner = new LineScanner(filledMeanwhile(seen));
				expect(await linesIn(scanner)).toBe(BARRIERS);
				expect(scanner.end.kind).toBe("whole");
			}
		}
	});

	it("S5: is told of what does not fit however often it is read", async () => {
		const half = Buffer.from(killed);
		half.fill(0, used - 150, used - 10);
		const scanner = new LineScanner(filledMeanwhile([half]));
		expect(await linesIn(scanner)).toBe(BARRIERS - 1);
		expect(scanner.end.kind).toBe("torn");
	});

	it("goes on where it ended once the space behind has been filled", async () => {
		const before = Buffer.from(killed);
		before.fill(0, killed.indexOf("\n", used / 2) + 1);
		const file: { now: Buffer } = { now: before };
		const scanner = new LineScanner({ read: (piece) => filledMeanwhile([file.now]).read(piece) });
		const first = await linesIn(scanner);
		file.now = killed;
		expect([first > 0, first + (await linesIn(scanner)), scanner.end.kind]).toEqual([true, BARRIERS, "whole"]);
	});
});
