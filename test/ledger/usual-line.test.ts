// Reading a line by where its fields stand: the same as parsing it, whatever the line holds.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LINE_HEADS_MAX } from "../../engine/core/ledger-limits.js";
import { encodeLine, FIRST_HASH } from "../../engine/ledger/line-format.js";
import { bodyOf, holdRecord, parseLine, type ReadRecord } from "../../engine/ledger/record-text.js";
import { UsualLines } from "../../engine/ledger/usual-line.js";
import { draftOf, intentOf } from "../contracts/ledger.js";

/** Texts that look like the fields of a line. */
const text = fc.oneof(
	fc.string({ unit: "binary" }),
	fc.constantFrom(',"data":{', '","at":1,"data":{}', '"kind":"intent"', "\\", '\\"', "run_1", ""),
);

const data = fc.dictionary(fc.oneof(text, fc.constantFrom("at", "data", "kind", "hash")), fc.jsonValue());

const record = fc
	.record({ kind: fc.constantFrom("tool_called", "tool_result", "intent"), runId: text, at: fc.double(), data })
	.filter(({ at }) => Number.isFinite(at)) as fc.Arbitrary<ReadRecord>;

const whole = fc.oneof(
	record,
	fc.tuple(record, fc.nat()).map(([one, at]): ReadRecord => ({ ...one, at })),
);

function lineOf(body: string): string {
	return encodeLine(body, FIRST_HASH).text.slice(0, -1);
}

function parsedWhole(line: string): unknown {
	const { hash: _hash, ...fields } = JSON.parse(line);
	return fields;
}

describe("a usual line", () => {
	it("UL1: whatever record it is of, is read as parsing the whole of it reads it, or left to that", () => {
		const lines = new UsualLines();
		const property = fc.property(whole, fc.nat(), (one, seq) => {
			const line = lineOf(bodyOf(holdRecord(one), seq, []));
			const read = lines.find(line)?.parse();
			if (read !== undefined) expect(read).toEqual(parsedWhole(line));
			expect(read ?? parseLine(line)?.record).toEqual(parsedWhole(line));
		});
		fc.assert(property, { numRuns: 2_000 });
	});

	it("UL1: whatever stands in its place, is read as parsing reads it, or left to that", () => {
		const lines = new UsualLines();
		const usual = bodyOf(holdRecord(draftOf(1)), 7, []);
		const part = fc.oneof(text, fc.constantFrom("{", "}", ",", '"', ":", "0", "-", "1e3", "0x1", " ", "null", "[]"));
		const property = fc.property(fc.nat(usual.length), fc.nat(12), part, (from, chars, put) => {
			const line = lineOf(usual.slice(0, from) + put + usual.slice(from + chars));
			const read = lines.find(line)?.parse();
			if (read !== undefined) expect(read).toEqual(parsedWhole(line));
		});
		// A number that JSON writes otherwise, and a field that stands twice.
		const at = usual.indexOf('"at":') + '"at":'.length;
		const runId = usual.indexOf('"runId"');
		fc.assert(property, {
			numRuns: 5_000,
			examples: [
				[at, 0, "0"],
				[runId, 0, '"seq":1,'],
			],
		});
	});

	it.each([
		["an entry", draftOf(3), 3],
		["an intent", intentOf(4), 0],
	])("is what the writer makes of %s", (_, one, seq) => {
		const line = lineOf(bodyOf(holdRecord(one), seq, []));
		const lines = new UsualLines();
		expect([lines.find(line)?.parse(), lines.find(line)?.parse()]).toEqual([parsedWhole(line), parsedWhole(line)]);
	});

	it("is not one whose values lie beside the ledger", () => {
		const ref = { path: ["args"], as: "json", sha256: "0".repeat(64), bytes: 1 } as const;
		const line = lineOf(bodyOf(holdRecord(draftOf(1)), 1, [ref]));
		expect([new UsualLines().find(line), parseLine(line)?.refs]).toEqual([undefined, [ref]]);
	});

	it("is read of more runs than are known at once", () => {
		const lines = new UsualLines();
		for (let run = 0; run < 2 * LINE_HEADS_MAX + 1; run += 1) {
			const line = lineOf(bodyOf(holdRecord({ ...draftOf(1), runId: `run_${run}` }), run, []));
			expect(lines.find(line)?.parse()).toEqual(parsedWhole(line));
		}
	});
});
