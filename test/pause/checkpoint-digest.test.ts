// The digest of a checkpoint: of all of its content, long texts included, which enter it by digests of their own.

import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../engine/core/json-value.js";
import { LONG_TEXT_CHARS_MIN } from "../../engine/core/ledger-limits.js";
import { openCheckpoint, sealCheckpoint } from "../../engine/ledger/checkpoint.js";
import { noLedger } from "../../engine/ledger/no-ledger.js";

const HEAD = { kind: "wave", runId: "r", step: 3, questions: [] } as const;

const longText = fc
	.tuple(fc.string({ unit: "binary", minLength: 1 }), fc.nat(2))
	.map(([part, more]) => part.repeat(Math.ceil((LONG_TEXT_CHARS_MIN + more) / part.length)));

const texts = fc.array(fc.oneof(longText, fc.string({ unit: "binary" })), { minLength: 1, maxLength: 3 });

/** Opens what was sealed of `sealed` with `opened` in its place. */
async function openWith(opened: JsonObject, sealed: JsonObject): Promise<JsonObject> {
	const checkpoint = await sealCheckpoint(HEAD, sealed, noLedger);
	const { content } = await openCheckpoint("wave", { ...checkpoint, content: opened }, noLedger);
	return content;
}

const refused = { code: "INVALID_CHECKPOINT" };

describe("the digest of a checkpoint", () => {
	it("CH1: is that of what was sealed, however long its texts are", async () => {
		const property = fc.asyncProperty(texts, async (earlier) => {
			expect(await openWith({ earlier }, { earlier })).toEqual({ earlier });
		});
		await fc.assert(property, { numRuns: 300 });
	});

	it("CH1: is another where one character of a text is another, wherever that is", async () => {
		const property = fc.asyncProperty(texts, fc.nat(), fc.nat(0xffff), async (earlier, place, code) => {
			const at = place % earlier.length;
			const text = earlier[at] ?? "";
			const from = place % (text.length + 1);
			const changed = text.slice(0, from) + String.fromCharCode(code) + text.slice(from + 1);
			fc.pre(changed !== text);
			await expect(openWith({ earlier: earlier.with(at, changed) }, { earlier })).rejects.toMatchObject(refused);
		});
		await fc.assert(property, { numRuns: 300 });
	});

	it("CH1: tells halves of characters apart, which have no bytes of their own", async () => {
		const long = "x".repeat(LONG_TEXT_CHARS_MIN);
		for (const half of ["\ud800", "\udc00", "\ufffd"]) {
			for (const other of ["\ud800", "\udc00", "\ufffd"].filter((one) => one !== half)) {
				await expect(openWith({ earlier: [long + half] }, { earlier: [long + other] })).rejects.toMatchObject(refused);
			}
		}
	});

	it("CH1: takes no text for the digest of another", async () => {
		const long = "x".repeat(2 * LONG_TEXT_CHARS_MIN);
		for (const posing of [hash("sha256", long), `#${hash("sha256", long)}`]) {
			await expect(openWith({ earlier: [posing] }, { earlier: [long] })).rejects.toMatchObject(refused);
		}
	});
});
