// Paced lines
//
// A recording at the speed of a model, on a clock moved by hand.

import { describe, expect, it } from "vitest";
import { writtenChars } from "../../engine/cli/delta-text.js";
import { pacedLines } from "../../engine/cli/paced-lines.js";
import { ManualClock, settled } from "../support/manual-clock.js";

const line = (text: string) =>
	`data: ${JSON.stringify({ type: "content_block_delta", delta: { type: "text_delta", text } })}\n`;

async function collect(lines: AsyncIterable<string>, into: string[]): Promise<void> {
	for await (const one of lines) into.push(one);
}

describe("pacedLines", () => {
	it("hands a line out when its tokens would have been written, four characters each", async () => {
		const clock = new ManualClock();
		const seen: string[] = [];
		const recording = ["event: x\n", line("12345678"), line("1234"), "\n"];
		const pace = { tokensPerSecond: 2, clock, signal: new AbortController().signal };
		const reading = collect(pacedLines(recording.join(""), pace), seen);
		await settled();
		expect(seen).toEqual(recording.slice(0, 1));
		await clock.pass(999);
		expect(seen).toEqual(recording.slice(0, 1));
		await clock.pass(1);
		expect(seen).toEqual(recording.slice(0, 2));
		await clock.pass(500);
		expect(seen).toEqual(recording);
		await reading;
		expect(clock.timersSet).toBe(0);
	});

	it("keeps the pace of the whole although a reader is late", async () => {
		const clock = new ManualClock();
		const lines = pacedLines(line("1234") + line("1234"), {
			tokensPerSecond: 1,
			clock,
			signal: new AbortController().signal,
		});
		const first = lines.next();
		await clock.pass(1_700);
		await first;
		const second = lines.next();
		await clock.pass(300);
		expect(await second).toEqual({ done: false, value: line("1234") });
	});

	it("waits for nothing at pace 0", async () => {
		const clock = new ManualClock();
		const seen: string[] = [];
		const recording = line("1234").repeat(200);
		await collect(pacedLines(recording, { tokensPerSecond: 0, clock, signal: new AbortController().signal }), seen);
		expect(seen.join("")).toBe(recording);
		expect(clock.monotonicMs()).toBe(0);
	});

	it("ends in the middle of a wait when it is called off, and leaves no timer", async () => {
		const clock = new ManualClock();
		const controller = new AbortController();
		const seen: string[] = [];
		const reading = collect(pacedLines(line("1234"), { tokensPerSecond: 1, clock, signal: controller.signal }), seen);
		await settled();
		controller.abort();
		await reading;
		expect(seen).toEqual([]);
		expect(clock.timersSet).toBe(0);
	});
});

describe("writtenChars", () => {
	it("counts what the model wrote in each format, and no label", () => {
		const chat = {
			id: "x",
			choices: [{ delta: { tool_calls: [{ id: "y", type: "function", function: { name: "f", arguments: '{"a"' } }] } }],
		};
		expect(writtenChars(line("123456"))).toBe(6);
		expect(writtenChars(`data: ${JSON.stringify(chat)}`)).toBe(4);
		expect(writtenChars(`data: ${JSON.stringify({ type: "response.output_text.delta", delta: "abc" })}`)).toBe(3);
		expect(writtenChars(JSON.stringify({ type: "message_start", message: { id: "long enough" } }))).toBe(0);
		expect(writtenChars("data: [DONE]")).toBe(0);
		expect(writtenChars("data: {cut")).toBe(0);
	});
});
