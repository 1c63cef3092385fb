// The history of keys, from events; and the trace that carries them.

import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../../engine/core/events.js";
import { type KeyHold, keyHistoryOf } from "../../engine/report/key-history.js";
import { readTrace, TRACE_HEADER, traceLine } from "../../engine/report/trace.js";

const call = (index: number) => ({ runId: "run", step: 0, index, name: "save" });
const holds = (atMs: number, index: number, write: string[], read: string[] = []): EngineEvent => ({
	atMs,
	kind: "call_holds_keys",
	write,
	read,
	...call(index),
});
const released = (atMs: number, index: number, write: string[], read: string[] = []): EngineEvent => ({
	atMs,
	kind: "call_released_keys",
	write,
	read,
	...call(index),
});
const waits = (atMs: number, index: number, key: string, holder: string): EngineEvent => ({
	atMs,
	kind: "call_waiting",
	for: "keys",
	blockers: [{ key, holder }],
	...call(index),
});

const short = ({ call: { index }, heldFromMs, heldToMs, waitedFor }: KeyHold) =>
	`${index} ${heldFromMs}-${heldToMs ?? ""}${waitedFor === undefined ? "" : ` after ${waitedFor}`}`;

describe("the history of keys", () => {
	it("KH1: tells the holds of a key in the order they were granted, with who was waited for", () => {
		const [history] = keyHistoryOf([
			holds(0, 0, ["note"]),
			waits(1, 1, "note", "call 0"),
			released(5, 0, ["note"]),
			holds(5, 1, ["note"]),
		]);
		expect(history?.holds.map(short)).toEqual(["0 0-5", "1 5- after call 0"]);
		expect(history?.waiting).toEqual([]);
	});

	it("KH2: is of one hold where a call takes a key again, until it has let it go as often", () => {
		const twice = [holds(0, 0, ["k"]), holds(1, 0, ["k"]), released(2, 0, ["k"])];
		expect(keyHistoryOf(twice)[0]?.holds.map(short)).toEqual(["0 0-"]);
		const [history] = keyHistoryOf([...twice, released(3, 0, ["k"]), holds(4, 0, ["k"]), released(5, 0, ["k"])]);
		expect(history?.holds.map(short)).toEqual(["0 0-3", "0 4-5"]);
	});

	it("KH1: closes the hold that is let go, where a call shares a key and then has it alone", () => {
		const both = [holds(0, 0, [], ["k"]), holds(1, 0, ["k"]), holds(1, 1, [], ["k"])];
		const [history] = keyHistoryOf([...both, released(2, 0, ["k"])]);
		expect(history?.holds.map((hold) => `${short(hold)} ${hold.exclusive}`)).toEqual([
			"0 0- false",
			"0 1-2 true",
			"1 1- false",
		]);
	});

	it("tells shared holds apart from exclusive ones, a key at a time", () => {
		const histories = keyHistoryOf([holds(0, 0, ["a"], ["b"]), released(1, 0, ["a"], ["b"])]);
		expect(histories.map(({ key, holds: [hold] }) => `${key} ${hold?.exclusive}`)).toEqual(["a true", "b false"]);
	});

	it("keeps who still waits, and drops who gave up", () => {
		const events = [holds(0, 0, ["k"]), waits(1, 1, "k", "call 0"), waits(2, 2, "k", "call 0")];
		const outcome = { ok: true } as const;
		const gaveUp: EngineEvent = { atMs: 3, kind: "call_settled", outcome, ahead: false, ...call(1) };
		const [history] = keyHistoryOf([...events, gaveUp]);
		expect(history?.waiting.map(({ call: { index }, waitedFor }) => `${index} for ${waitedFor}`)).toEqual([
			"2 for call 0",
		]);
	});
});

const read = async (lines: string[]): Promise<EngineEvent[]> => {
	const events: EngineEvent[] = [];
	for await (const event of readTrace(lines)) events.push(event);
	return events;
};

describe("a trace", () => {
	it("gives back the events that were written, binary by its length", async () => {
		const events = [holds(0, 0, ["k"]), released(1, 0, ["k"])];
		expect(await read([TRACE_HEADER, ...events.map(traceLine)])).toEqual(events);
		const outcome = { ok: true, value: new Uint8Array(3) } as const;
		const line = traceLine({ atMs: 0, kind: "call_settled", outcome, ahead: false, ...call(0) });
		expect(JSON.parse(line)).toMatchObject({ outcome: { value: { $bytes: 3 } } });
	});

	it("leaves out a last line that was cut off, and refuses any other that is no event, by its number", async () => {
		const good = traceLine(holds(0, 0, ["k"]));
		expect(await read([TRACE_HEADER, good, good.slice(0, 9)])).toHaveLength(1);
		await expect(read([TRACE_HEADER, "{}", good])).rejects.toThrow("line 2");
	});

	it.each([[[]], [["not a trace"]]])("refuses %j, which does not begin as one", async (lines) => {
		await expect(read(lines)).rejects.toMatchObject({ code: "TRACE_UNREADABLE" });
	});
});
