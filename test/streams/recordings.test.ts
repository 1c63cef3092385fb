// Every recorded reply is read as its expectation says, however its bytes are split.

import { describe, expect, test } from "vitest";
import { detectFormat } from "../../engine/streams/detect-format.js";
import { FORMATS } from "../../engine/streams/formats.js";
import { readStream } from "../../engine/streams/read-stream.js";
import { allOf, eventsOf, piecesOf, recordings, recordingsAreHere, reportOf, sayIfSkipped } from "./recordings.js";

const SPLIT_SIZE_MAX = 64;
const CUT_SHORT = new Set(["anthropic-truncated-max-tokens.txt"]);

describe.skipIf(!recordingsAreHere)(sayIfSkipped("recorded replies"), () => {
	test("there are recordings of all formats but one", () => {
		const formats = new Set(recordings.map(({ format }) => format));
		const named = [...FORMATS.keys()].filter((format) => format !== "gemini-interactions");
		expect([...formats].sort()).toEqual(named.sort());
		expect(recordings.length).toBeGreaterThanOrEqual(23);
	});

	test.each(recordings.filter(({ format }) => format === "gemini" || format === "ollama"))(
		"$file hands its arguments over as objects",
		async ({ format, bytes }) => {
			const items = await allOf(readStream(format, bytes));
			const closed = items.filter((item) => item.kind === "call-closed");
			expect(closed.length).toBeGreaterThan(0);
			for (const { call, argsText } of closed) expect(call.args).toEqual(JSON.parse(argsText));
		},
	);

	test.each(recordings)("WR1, EF1: $file reads the same at every split size from 1 byte to 64", async (recording) => {
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

	test.each(recordings)("the format of $file is told from its bytes, its text and an event", (recording) => {
		const { format, bytes } = recording;
		expect(detectFormat(bytes)).toBe(format);
		const text = format === "bedrock-converse" ? undefined : new TextDecoder().decode(bytes);
		if (text !== undefined) expect(detectFormat(text)).toBe(format);
		// The first two events of the AI SDK's streams are the same in both.
		expect(detectFormat(eventsOf(recording)[format === "ai-sdk-ui" ? 2 : 0] ?? {})).toBe(format);
	});

	test.each(recordings)("the format of $file is told from its first 200 bytes", ({ format, bytes }) => {
		expect(detectFormat(bytes.subarray(0, 200))).toBe(format);
	});
});
