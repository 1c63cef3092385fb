// Large values leave their entry and come back as if they had never left.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../engine/core/json-value.js";
import { INLINE_BYTES_MAX } from "../../engine/core/ledger-limits.js";
import { binaryData } from "../../engine/ledger/entry.js";
import { joinedText, joinLargeValues, type SplitData, splitLargeValues } from "../../engine/ledger/large-values.js";
import { HEADER } from "../../engine/ledger/line-format.js";
import { readLedger, readRun, verifyLedger } from "../../engine/ledger/read-ledger.js";
import { UnreadRecord } from "../../engine/ledger/usual-line.js";
import { collect, draftOf, intentOf } from "../contracts/ledger.js";
import { HeldDisk } from "./held-disk.js";
import { writeLedger } from "./ledger-text.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();
const long = (letter: string): string => letter.repeat(INLINE_BYTES_MAX + 1);

/** Whether the data comes back, put together as values and as text. Told as a boolean: a difference of megabytes is no message. */
function comesBack({ text, large }: SplitData, data: JsonObject): boolean {
	const expected = JSON.stringify(data);
	const asValues = JSON.stringify(joinLargeValues(JSON.parse(text), large));
	return asValues === expected && joinedText(JSON.parse(text), large) === expected;
}

describe("splitting and joining", () => {
	it("any data comes back as it was, and what stays in the line is short", () => {
		const text = fc.oneof(fc.string(), fc.constantFrom("a", "ä", "😀", "\ud800", '"').map(long));
		const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "$binary", "constructor", "", "0"));
		const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
			value: fc.oneof(
				{ maxDepth: 4, depthSize: "small" },
				text,
				fc.integer(),
				fc.constant(null),
				fc.array(tie("value"), { maxLength: 4 }),
				fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
			),
		}));
		fc.assert(
			fc.property(value, (inner) => {
				const data: JsonObject = { inner };
				const parts = splitLargeValues(data);
				expect(comesBack(parts, data)).toBe(true);
				expect(Buffer.byteLength(parts.text)).toBeLessThanOrEqual(INLINE_BYTES_MAX);
			}),
			{ numRuns: 300 },
		);
	});

	it("the deepest value that is too large leaves, and the entry around it stays readable", () => {
		const { text, large } = splitLargeValues({ index: 1, outcome: { ok: true, value: long("x") } });
		expect(text).toBe('{"index":1,"outcome":{"ok":true,"value":null}}');
		expect(large.map(({ path, as }) => ({ path, as }))).toEqual([{ path: ["outcome", "value"], as: "json" }]);
	});

	it("a value of exactly the limit stays", () => {
		const fits = "x".repeat(INLINE_BYTES_MAX - '{"a":""}'.length);
		expect(splitLargeValues({ a: fits }).large).toEqual([]);
		expect(splitLargeValues({ a: `${fits}x` }).large).toHaveLength(1);
	});

	it("a thousand values that are small alone leave together", () => {
		const data = { list: Array.from({ length: 1_000 }, () => "x".repeat(100)) };
		const parts = splitLargeValues(data);
		expect([parts.text, parts.large.map(({ path }) => path)]).toEqual(['{"list":null}', [["list"]]]);
		expect(comesBack(parts, data)).toBe(true);
	});

	it("a value that is too large inside a list that is too large without it comes back in its place", () => {
		const data = { list: [long("x"), ...Array.from({ length: 1_000 }, () => "y".repeat(100))] };
		const parts = splitLargeValues(data);
		expect(parts.large.map(({ path }) => path)).toEqual([["list"], ["list", 0]]);
		expect(comesBack(parts, data)).toBe(true);
	});

	it("places too many to name leave with the data as one", () => {
		const data = { [long("k")]: { a: long("a") } };
		const parts = splitLargeValues(data);
		expect([parts.text, parts.large.map(({ path }) => path)]).toEqual(["null", [[]]]);
		expect(comesBack(parts, data)).toBe(true);
	});

	it("a large binary answer is kept as its bytes, and what only looks like one as its text", () => {
		const bytes = Buffer.alloc(INLINE_BYTES_MAX, 7);
		const parts = splitLargeValues({ value: binaryData(bytes), other: binaryData(bytes) });
		expect(parts.large).toEqual(["other", "value"].map((key) => ({ path: [key], as: "binary", bytes })));
		expect(comesBack(parts, { value: binaryData(bytes), other: binaryData(bytes) })).toBe(true);
		const alike = splitLargeValues({ value: { $binary: `${long("A")}*` } });
		expect(alike.large.map(({ as }) => as)).toEqual(["json"]);
	});
});

describe("values beside a file ledger", () => {
	it("B1: a value is written, synced, named and its name synced before the line that names it", async () => {
		const disk = new HeldDisk();
		const inside = folder();
		const ledger = disk.ledgerAt(join(inside, "l"));
		ledger.append([draftOf(0, { text: long("x") })]);
		await ledger.barrier();
		const [sha256] = readdirSync(join(inside, "l.blobs"));
		const own = inside.split("/").at(-1);
		expect(disk.done).toEqual([
			"write l",
			"sync l",
			`sync ${own}`,
			`sync ${own}`,
			`write ${sha256}.unsynced`,
			`datasync ${sha256}.unsynced`,
			`rename ${sha256}`,
			"sync l.blobs",
			"write l",
			"datasync l",
		]);
		await ledger.close();
	});

	it("the same value in two entries is kept once, and both read it", async () => {
		const disk = new HeldDisk();
		const path = join(folder(), "l");
		const drafts = [draftOf(0, { text: long("x") }), draftOf(1, { other: long("x") }), draftOf(2, { text: long("y") })];
		const ledger = disk.ledgerAt(path);
		ledger.append(drafts);
		await ledger.close();
		expect(disk.done.filter((line) => line.startsWith("rename"))).toHaveLength(2);
		expect(readdirSync(`${path}.blobs`)).toHaveLength(2);
		expect(await collect(readLedger(path))).toEqual(drafts.map((draft, seq) => ({ seq, ...draft })));
	});

	it("UL1: who reads a run unread gets the same records, whatever lies beside", async () => {
		const path = join(folder(), "l");
		const list = [long("x"), ...Array.from({ length: 1_000 }, () => "y".repeat(100))];
		const data: JsonObject[] = [
			{ text: long("ä") },
			{
				small: 1,
				outcome: { ok: true, value: [long("x"), binaryData(Buffer.alloc(INLINE_BYTES_MAX, 7))] },
				after: null,
			},
			{ list, other: long("z") },
			{ [long("k")]: { a: long("a") } },
		];
		const records = [...data.map((one) => draftOf(0, one)), { ...intentOf(1), data: { text: long("i") } }];
		await writeLedger(path, records);
		const unread = (await collect(readRun(path, draftOf(0).runId))).flat();
		expect(unread.every((record) => record instanceof UnreadRecord)).toBe(true);
		const read = unread.map((record) => (record as UnreadRecord).read());
		const bodies = unread.map((record) => JSON.parse(`${(record as UnreadRecord).body}}`));
		const numbered = records.map((record, seq) => (record.kind === "intent" ? record : { seq, ...record }));
		for (const one of [read, bodies]) expect(JSON.stringify(one) === JSON.stringify(numbered)).toBe(true);
	});

	it.each([
		["nothing", () => ""],
		["a part of it", (whole: string) => whole.slice(1)],
		["more than it", (whole: string) => `${whole}x`],
		["as many other bytes", (whole: string) => whole.replace("x", "y")],
	])("B1: a value is written again where a file of its name holds %s", async (_, spoilt) => {
		const path = join(folder(), "l");
		await writeLedger(path, [draftOf(0, { text: long("x") })]);
		const [sha256 = ""] = readdirSync(`${path}.blobs`);
		const blob = join(`${path}.blobs`, sha256);
		writeFileSync(blob, spoilt(readFileSync(blob, "utf8")));
		await writeLedger(path, [draftOf(1, { text: long("x") })]);
		expect(await collect(readLedger(path))).toHaveLength(2);
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 2 });
	});

	it("a binary answer lies in its file byte for byte", async () => {
		const path = join(folder(), "l");
		const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
		await writeLedger(path, [draftOf(0, { outcome: { ok: true, value: binaryData(bytes) } })]);
		const [sha256 = ""] = readdirSync(`${path}.blobs`);
		expect(readFileSync(join(`${path}.blobs`, sha256)).equals(bytes)).toBe(true);
	});

	it("a value whose sync fails fails the barrier, and its line is not written", async () => {
		const disk = new HeldDisk();
		const path = join(folder(), "l");
		const ledger = disk.ledgerAt(path);
		ledger.append([draftOf(0, { text: long("x") })]);
		disk.failNext("datasync");
		await expect(ledger.barrier()).rejects.toThrow("the disk is full (ENOSPC)");
		expect(readFileSync(path).equals(HEADER)).toBe(true);
		await ledger.close().catch(() => undefined);
	});
});
