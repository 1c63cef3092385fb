// Paced items
//
// A recording at the speed of a model, on a clock moved by hand.

import { describe, expect, it } from "vitest";
import { pacedItems, recordedPieces } from "../../engine/cli/paced-items.js";
import { type CallDelta, readStream, type StreamItem } from "../../engine/index.js";
import { ManualClock, settled } from "../support/manual-clock.js";

type Item = StreamItem | CallDelta;
type Seen = [atMs: number, kind: Item["kind"]];

const text = (written: string): Item => ({ kind: "text", event: 0, text: written });
const of = { event: 0, index: 0, id: "a", name: "look" };
const whole = { ...of, argsText: '{"a":"bc"}12', call: { id: "a", name: "look", args: {} } };

async function* source(items: readonly Item[]): AsyncGenerator<Item> {
	yield* items;
}

/** When each item comes at one token, four characters, a second. */
async function timesOf(items: AsyncIterable<Item>): Promise<Seen[]> {
	const clock = new ManualClock();
	const seen: Seen[] = [];
	const reading = (async () => {
		for await (const { kind } of pacedItems(items, { tokensPerSecond: 1, clock, signal: new AbortController().signal }))
			seen.push([clock.monotonicMs(), kind]);
	})();
	await clock.pass(100_000);
	await reading;
	expect(clock.timersSet).toBe(0);
	return seen;
}

describe("pacedItems", () => {
	it("hands an item out when its tokens would have been written, four characters each", async () => {
		expect(await timesOf(source([text("12345678"), text("1234"), text("")]))).toEqual([
			[2_000, "text"],
			[3_000, "text"],
			[3_000, "text"],
		]);
	});

	it("counts the arguments of a call once: its pieces as they come, and of the whole what they left out", async () => {
		const delta: Item = { kind: "call-delta", ...of, delta: '{"a"' };
		expect(
			await timesOf(source([{ kind: "call-started", ...of }, delta, delta, { kind: "call-complete", ...whole }])),
		).toEqual([
			[1_000, "call-started"],
			[2_000, "call-delta"],
			[3_000, "call-delta"],
			[4_000, "call-complete"],
		]);
		expect(
			await timesOf(
				source([
					{ kind: "call-complete", ...whole },
					{ kind: "call-closed", ...whole },
				]),
			),
		).toEqual([
			[3_000, "call-complete"],
			[3_000, "call-closed"],
		]);
	});

	it("counts what a reply writes again after it began again", async () => {
		const items: Item[] = [
			{ kind: "call-closed", ...whole },
			{ kind: "restart", event: 1 },
			{ kind: "call-closed", ...whole },
		];
		expect(await timesOf(source(items))).toEqual([
			[3_000, "call-closed"],
			[3_000, "restart"],
			[6_000, "call-closed"],
		]);
	});

	it("keeps the pace of the whole although a reader is late", async () => {
		const clock = new ManualClock();
		const signal = new AbortController().signal;
		const items = pacedItems(source([text("1234"), text("1234")]), { tokensPerSecond: 1, clock, signal });
		const first = items.next();
		await clock.pass(1_700);
		await first;
		const second = items.next();
		await clock.pass(300);
		expect(await second).toEqual({ done: false, value: text("1234") });
	});

	it("waits for nothing at pace 0", async () => {
		const clock = new ManualClock();
		const signal = new AbortController().signal;
		const items = Array.from({ length: 200 }, () => text("1234"));
		const seen: Item[] = [];
		for await (const item of pacedItems(source(items), { tokensPerSecond: 0, clock, signal })) seen.push(item);
		expect(seen).toEqual(items);
		expect(clock.monotonicMs()).toBe(0);
	});

	it("ends in the middle of a wait when it is called off, and leaves no timer", async () => {
		const clock = new ManualClock();
		const controller = new AbortController();
		const items = pacedItems(source([text("1234")]), { tokensPerSecond: 1, clock, signal: controller.signal });
		const first = items.next();
		await settled();
		controller.abort();
		expect(await first).toEqual({ done: true, value: undefined });
		expect(clock.timersSet).toBe(0);
	});
});

describe("recordedPieces", () => {
	it("gives all bytes in their order, in pieces that a stream's reader takes", async () => {
		const line = `${JSON.stringify({ message: { content: "ö".repeat(3_001) }, done: false })}\n`;
		const last = `${JSON.stringify({ message: {}, done: true, done_reason: "stop" })}\n`;
		const bytes = new TextEncoder().encode(line.repeat(5) + last);
		const pieces: Uint8Array[] = [];
		for await (const piece of recordedPieces(bytes, new ManualClock())) pieces.push(piece);
		expect(pieces.length).toBeGreaterThan(1);
		const items: Item[] = [];
		for await (const item of readStream("ollama", pieces)) items.push(item);
		expect(items.map((item) => (item.kind === "text" ? item.text.length : item.kind))).toEqual([
			...Array.from({ length: 5 }, () => 3_001),
			"end",
		]);
	});
});
