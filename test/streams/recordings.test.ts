// Every recorded reply is read as its expectation says, however its bytes are split.

import { describe, expect, test } from "vitest";
import { detectFormat } from "../../engine/streams/detect-format.js";
import { readStream } from "../../engine/streams/read-stream.js";
import {
	allOf,
	eventsOf,
	otherRecordings,
	piecesOf,
	recordings,
	recordingsAreHere,
	reportOf,
	where,
} from "./recordings.js";

const SPLIT_SIZE_MAX = 64;
const CUT_SHORT = new Set(["anthropic-truncated-max-tokens.txt"]);

describe.skipIf(!recordingsAreHere)(`recorded replies${where}`, () => {
	test("there are recordings of all three formats", () => {
		const formats = new Set(recordings.map(({ format }) => format));
		expect([...formats].sort()).toEqual(["anthropic", "openai-chat", "openai-responses"]);
		expect(recordings.length).toBeGreaterThanOrEqual(14);
	});

	test.each(recordings)("WR1: $file reads the same at every split size from 1 byte to 64", async (recording) => {
		const { format, bytes, expected } = recording;
		const whole = await allOf(readStream(format, bytes));
		expect(reportOf(whole)).toEqual(expected);
		for (let size = 1; size <= SPLIT_SIZE_MAX; size += 1) {
			expect(await allOf(readStream(format, piecesOf(bytes, size)))).toEqual(whole);
		}
	});

	test.each(recordings)("$file ends well unless it was cut", async ({ file, format, bytes }) => {
		const items = await allOf(readStream(format, bytes));
		const end = items.at(-1);
		if (CUT_SHORT.has(file)) expect(end).toMatchObject({ kind: "end", good: false, cut: "length" });
		else expect(end).toMatchObject({ kind: "end", good: true });
	});

	test.each(recordings)("$file reads the same as parsed events", async (recording) => {
		const { format, bytes } = recording;
		const parsed = await allOf(readStream(format, eventsOf(recording)));
		expect(parsed).toEqual(await allOf(readStream(format, bytes)));
	});

	test.each(recordings)("the format of $file is told from its text, its bytes and its first event", (recording) => {
		const { format, bytes } = recording;
		expect(detectFormat(bytes)).toBe(format);
		expect(detectFormat(new TextDecoder().decode(bytes))).toBe(format);
		expect(detectFormat(eventsOf(recording)[0] ?? {})).toBe(format);
	});

	test.each(recordings)("the format of $file is told from its first 200 bytes", ({ format, bytes }) => {
		expect(detectFormat(bytes.subarray(0, 200))).toBe(format);
	});

	test.each([...otherRecordings])("%s is none of the formats that can be read", (_file, bytes) => {
		expect(detectFormat(bytes)).toBeUndefined();
	});
});
