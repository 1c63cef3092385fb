// Kept output
//
// What is kept of an output in a few bytes, whatever pieces it comes in.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeptOutput } from "../../engine/tools/kept-output.js";

const HEAD = 7;
const TAIL = 9;

function kept(bytes: Buffer, cuts: readonly number[]): KeptOutput {
	const output = new KeptOutput({ headMax: HEAD, tailMax: TAIL });
	const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((left, right) => left - right);
	for (const [at, edge] of edges.entries()) output.take(bytes.subarray(edges[at - 1] ?? 0, edge));
	return output;
}

const texts = fc.array(fc.constantFrom("a", "\n", "é", "€", "😀"), { maxLength: 30 }).map((parts) => parts.join(""));
const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

describe("KeptOutput", () => {
	it("is the whole output while that fits", () => {
		fc.assert(
			fc.property(texts, anyCuts, (text, cuts) => {
				const bytes = Buffer.from(text);
				fc.pre(bytes.length <= HEAD + TAIL);
				expect(kept(bytes, cuts).text()).toEqual({ text, droppedBytes: 0 });
			}),
		);
	});

	it("KO1: is a head and a tail of whole characters, and the count of every byte that is in neither", () => {
		fc.assert(
			fc.property(texts, anyCuts, (text, cuts) => {
				const bytes = Buffer.from(text);
				fc.pre(bytes.length > HEAD + TAIL);
				const output = kept(bytes, cuts);
				const told = output.text();
				const [head = "", tail = ""] = told.text.split(`\n[… ${told.droppedBytes} bytes left out …]\n`);
				expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
				const [headBytes, tailBytes] = [Buffer.byteLength(head), Buffer.byteLength(tail)];
				expect(headBytes + tailBytes + told.droppedBytes).toBe(bytes.length);
				expect(output.bytes).toBe(bytes.length);
				// No more is missing than what no whole character fits into.
				expect(headBytes <= HEAD && headBytes > HEAD - 4).toBe(true);
				expect(tailBytes <= TAIL && tailBytes > TAIL - 4).toBe(true);
			}),
		);
	});

	it("leaves bytes that are no UTF-8 where they are", () => {
		const told = kept(Buffer.alloc(40, 0x80), [3, 17]).text();
		expect(told.text).toBe(`${"\uFFFD".repeat(HEAD)}\n[… 27 bytes left out …]\n${"\uFFFD".repeat(TAIL - 3)}`);
	});
});
