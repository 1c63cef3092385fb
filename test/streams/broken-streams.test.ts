// Broken streams: whatever happens to a reply on its way, reading never throws, starts no call it should not, and never
// calls a reply good that is not whole.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { FORMATS } from "../../engine/streams/formats.js";
import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import {
	allOf,
	asServerSentEvents,
	eventsOf,
	piecesOf,
	recordings,
	recordingsAreHere,
	reportOf,
	sayIfSkipped,
} from "./recordings.js";

const RUNS = 1_500;
const CUT_SHORT = "anthropic-truncated-max-tokens.txt";

type CallItem = Extract<StreamItem, { index: number }>;

/** What holds for the items of every stream, however broken. */
function expectSound(items: readonly StreamItem[]): void {
	expect(items.filter(({ kind }) => kind === "end")).toEqual([items.at(-1)]);
	let calls: CallItem[][] = [];
	let event = -1;
	for (const item of items) {
		expect(item.event).toBeGreaterThanOrEqual(event);
		event = item.event;
		if (item.kind === "restart") calls = [];
		if ("index" in item) {
			expect(item.index).toBeLessThanOrEqual(calls.length);
			calls[item.index] = [...(calls[item.index] ?? []), item];
		}
	}
	for (const one of calls) expectSoundCall(one);
	const end = items.at(-1);
	if (end?.kind === "end" && end.good) expect(calls.every((one) => one.at(-1)?.kind === "call-closed")).toBe(true);
}

function expectSoundCall(items: readonly CallItem[]): void {
	const order = ["call-started", "call-complete", "call-closed"];
	const places = items.map(({ kind }) => order.indexOf(kind));
	expect(places[0]).toBe(0);
	expect(new Set(places).size).toBe(places.length);
	expect([...places].sort()).toEqual(places);
	for (const item of items) {
		if (item.kind !== "call-complete") continue;
		expect(item.name).not.toBe("");
		const { args } = item.call;
		if (args === item.argsText) expect(() => JSON.parse(item.argsText) as unknown).not.toThrow();
		else if (isFree(args)) expect(args.input).toBe(item.argsText);
		else expect(args).toEqual(JSON.parse(item.argsText));
	}
}

/** Free text is wrapped, so that its arguments are an object as well. */
function isFree(args: unknown): args is { input: string } {
	return typeof args === "object" && args !== null && Object.keys(args).join() === "input";
}

async function readSoundly(format: StreamFormat, source: Parameters<typeof readStream>[1]): Promise<StreamItem[]> {
	const items = await allOf(readStream(format, source));
	expectSound(items);
	return items;
}

/** Several whole replies, one after another: cut between two of them, the first is whole. */
const SEVERAL = "gemini-cli-rrwrr-waves.txt";

// Looked up when a value is drawn: where the recordings are missing there is nothing to draw from, and nothing is drawn.
const drawn = (wanted: (file: string) => boolean): fc.Arbitrary<(typeof recordings)[number]> =>
	fc.nat().map((pick) => {
		const fitting = recordings.filter(({ file }) => wanted(file));
		const recording = fitting[pick % fitting.length];
		if (recording === undefined) throw new Error("no recording to draw from");
		return recording;
	});
const anyRecording = drawn(() => true);
const oneReply = drawn((file) => file !== SEVERAL);
const wholeRecording = drawn((file) => file !== CUT_SHORT);

describe.skipIf(!recordingsAreHere)(sayIfSkipped("broken streams"), () => {
	test("SC1, SC2, RP1: any bytes changed, left out or put in give one end, and no call completes that does not parse", async () => {
		const edit = fc.record({ at: fc.nat(), removed: fc.nat(30), put: fc.uint8Array({ maxLength: 20 }) });
		await fc.assert(
			fc.asyncProperty(
				anyRecording,
				fc.array(edit, { minLength: 1, maxLength: 4 }),
				fc.nat(64),
				async (from, edits, size) => {
					let bytes = Buffer.from(from.bytes);
					for (const { at, removed, put } of edits) {
						const place = at % bytes.length;
						bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + removed)]);
					}
					const items = await readSoundly(from.format, piecesOf(bytes, size + 1));
					if (from.file === CUT_SHORT) expect(items.at(-1)).toMatchObject({ good: false });
				},
			),
			{ numRuns: RUNS },
		);
	});

	test("any character of the text changed to one of the grammar's own is read soundly", async () => {
		const mark = fc.constantFrom(...'{}[]",:\\ \n0e-');
		await fc.assert(
			fc.asyncProperty(anyRecording, fc.nat(), mark, async ({ format, bytes }, place, character) => {
				const text = new TextDecoder().decode(bytes);
				const at = place % text.length;
				await readSoundly(format, text.slice(0, at) + character + text.slice(at + 1));
			}),
			{ numRuns: RUNS },
		);
	});

	test("RP2: a reply that stops before its finish reason never ends well", async () => {
		await fc.assert(
			fc.asyncProperty(oneReply, fc.nat(), async ({ format, bytes, expected }, place) => {
				const cut = bytes.subarray(0, place % bytes.length);
				const items = await readSoundly(format, [cut]);
				const end = items.at(-1);
				if (end?.kind !== "end" || !end.good) return;
				// What is missing of a good reply is behind its finish reason: every call is there, and as expected.
				const report = reportOf(items);
				expect(report.calls).toEqual(expected.calls);
				expect(report.reason).toBe(expected.reason);
			}),
			{ numRuns: RUNS },
		);
	});

	test("a reply that stops anywhere completes no call that the whole reply does not complete, with those arguments", async () => {
		await fc.assert(
			fc.asyncProperty(anyRecording, fc.nat(), async ({ format, bytes }, place) => {
				const complete = (items: readonly StreamItem[]): StreamItem[] =>
					items.filter(({ kind }) => kind === "call-complete" || kind === "restart");
				const cut = complete(await readSoundly(format, [bytes.subarray(0, place % bytes.length)]));
				const whole = complete(await readSoundly(format, [bytes]));
				expect(cut).toEqual(whole.slice(0, cut.length));
			}),
			{ numRuns: RUNS },
		);
	});

	test("a reply that lost any one event is read soundly, and no call ends well under another call's name", async () => {
		for (const recording of recordings) {
			const events = eventsOf(recording);
			for (let lost = 0; lost < events.length; lost += 1) {
				const items = await readSoundly(recording.format, events.toSpliced(lost, 1));
				const end = items.at(-1);
				if (end?.kind !== "end" || !end.good) continue;
				const { calls } = reportOf(items);
				for (const call of calls) {
					const sent = recording.expected.calls.filter(({ id }) => id === call.id);
					// Losing a whole call, or text inside a string of its arguments, cannot be seen by any reader.
					expect(sent.map(({ name }) => name)).toContain(call.name);
				}
			}
		}
	});

	test("events that come twice, change places or come from two replies at once are read soundly", async () => {
		const moves = fc.array(fc.tuple(fc.constantFrom("twice", "swap", "other"), fc.nat(), fc.nat()), {
			minLength: 1,
			maxLength: 6,
		});
		await fc.assert(
			fc.asyncProperty(anyRecording, anyRecording, moves, async (recording, other, all) => {
				const events: object[] = eventsOf(recording);
				const others = eventsOf(other);
				for (const [move, first, second] of all) {
					const at = first % events.length;
					const to = second % events.length;
					const moved = move === "other" ? others[second % others.length] : events[at];
					if (moved === undefined) continue;
					if (move === "swap") events.splice(at, 1);
					events.splice(to, 0, moved);
				}
				await readSoundly(recording.format, events);
			}),
			{ numRuns: RUNS },
		);
	});

	test("fields of any kind in any place are read soundly, from text and as events", async () => {
		const odd = fc.oneof(
			fc.jsonValue({ maxDepth: 2 }),
			fc.constantFrom(-1, 1.5, 2 ** 53, "", "__proto__", null, [], {}),
		);
		await fc.assert(
			fc.asyncProperty(
				anyRecording,
				fc.array(fc.tuple(fc.nat(), fc.nat(), odd), { minLength: 1, maxLength: 4 }),
				async (from, changes) => {
					const events = eventsOf(from);
					for (const [event, place, value] of changes) changeField(events[event % events.length], place, value);
					const items = await readSoundly(from.format, events);
					expect(await readSoundly(from.format, asServerSentEvents(events))).toEqual(items);
				},
			),
			{ numRuns: RUNS },
		);
	});

	test("an error after any event, and a source that throws there, end badly", async () => {
		await fc.assert(
			fc.asyncProperty(wholeRecording, fc.nat(), async (recording, place) => {
				const events = eventsOf(recording);
				const before = events.slice(0, place % events.length);
				const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
				const told = await readSoundly(recording.format, [...before, error, ...events.slice(before.length)]);
				expect(told.at(-1)).toMatchObject({ kind: "end", good: false, reason: "overloaded_error" });
				const thrown = await readSoundly(recording.format, throwsAfter(before));
				expect(thrown.at(-1)).toMatchObject({ kind: "end", good: false, problem: "the source failed: reset" });
			}),
			{ numRuns: 200 },
		);
	});

	test("any bytes at all are read soundly as any format, and never end well", async () => {
		const formats = fc.constantFrom(...FORMATS.keys());
		const lines = fc
			.array(
				fc.oneof(
					fc.string(),
					fc.json(),
					fc.json().map((json) => `data: ${json}\n`),
				),
			)
			.map((all) => all.join("\n"));
		await fc.assert(
			fc.asyncProperty(formats, fc.oneof(lines, fc.uint8Array()), async (format, source) => {
				const items = await readSoundly(format as StreamFormat, source);
				expect(items.at(-1)).toMatchObject({ good: false, cut: "failed" });
			}),
			{ numRuns: RUNS },
		);
	});
});

async function* throwsAfter(events: readonly object[]): AsyncGenerator<object> {
	yield* events;
	throw new Error("reset");
}

/** Puts the value at one of the fields of the event, at any depth. */
function changeField(event: unknown, place: number, value: unknown): void {
	const fields: [Record<string, unknown>, string][] = [];
	const visit = (of: unknown): void => {
		if (typeof of !== "object" || of === null) return;
		for (const [name, inner] of Object.entries(of)) {
			fields.push([of as Record<string, unknown>, name]);
			visit(inner);
		}
	};
	visit(event);
	const field = fields[place % fields.length];
	if (field !== undefined) field[0][field[1]] = value;
}
