// Bedrock Converse: frames cut anywhere or damaged, exceptions, and the same events without their frames.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STREAM_EVENT_CHARS_MAX } from "../../engine/core/limits.js";
import { detectFormat } from "../../engine/streams/detect-format.js";
import { readStream } from "../../engine/streams/read-stream.js";
import { eventFrame, eventsOfFrames, frame } from "./event-frames.js";
import { allOf, piecesOf } from "./recordings.js";
import { endOf, told } from "./told.js";

const START = eventFrame("messageStart", { role: "assistant", p: "abc" });
const toolUse = { toolUseId: "a", name: "look" };
const CALL = [
	eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "I look." }, p: "abcd" }),
	eventFrame("contentBlockStop", { contentBlockIndex: 0 }),
	eventFrame("contentBlockStart", { contentBlockIndex: 1, start: { toolUse } }),
	eventFrame("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: '{"at":' } }, p: "ab" }),
	eventFrame("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: '"Köln"}' } } }),
	eventFrame("contentBlockStop", { contentBlockIndex: 1 }),
];
const stop = (stopReason: string): Uint8Array => eventFrame("messageStop", { stopReason });
const USAGE = eventFrame("metadata", { usage: { inputTokens: 1 } });
const WHOLE = Buffer.concat([START, ...CALL, stop("tool_use"), USAGE]);
const TOLD = [
	"text I look.",
	"started 0 a look @3",
	'complete 0 a look {"at":"Köln"} @5',
	'closed 0 a look {"at":"Köln"} @6',
	"good tool_use @8",
];

const bedrock = "bedrock-converse";

describe("frames", () => {
	test("EF1: cut anywhere are read as they are whole", async () => {
		expect(await told(bedrock, [WHOLE])).toEqual(TOLD);
		await fc.assert(
			fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }), async (sizes) => {
				const pieces: Uint8Array[] = [];
				for (let at = 0, turn = 0; at < WHOLE.length; turn += 1) {
					const size = sizes[turn % sizes.length] ?? 1;
					pieces.push(WHOLE.subarray(at, at + size));
					at += size;
				}
				expect(await told(bedrock, pieces)).toEqual(TOLD);
			}),
			{ numRuns: 200 },
		);
	});

	test("are not needed: the events of Amazon's client are read alike", async () => {
		expect(await told(bedrock, eventsOfFrames(WHOLE))).toEqual(TOLD);
	});

	test("EF2: with any bit changed never end well, at any split", async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(WHOLE.length - 1), fc.nat(7), fc.integer({ min: 1, max: 64 }), async (at, bit, size) => {
				const bytes = Uint8Array.from(WHOLE);
				bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
				const items = await allOf(readStream(bedrock, piecesOf(bytes, size)));
				expect(items).toEqual(await allOf(readStream(bedrock, [bytes])));
				expect(items.at(-1)).toMatchObject({ kind: "end", good: false, cut: "failed" });
			}),
			{ numRuns: 500 },
		);
	});

	test("EF2: that claim to be longer than the limit, or shorter than a frame can be, end the reply at once", async () => {
		for (const length of [0, 15, STREAM_EVENT_CHARS_MAX + 1]) {
			let asked = 0;
			function* source(): Generator<Uint8Array> {
				const head = new Uint8Array(4);
				new DataView(head.buffer).setUint32(0, length);
				for (const piece of [START, head, START, START]) {
					asked += 1;
					yield piece;
				}
			}
			expect(await endOf(bedrock, source())).toBe(`failed: a frame of ${length} bytes is none of an event stream`);
			expect(asked).toBe(2);
		}
	});

	test("that stop inside one, or before the stop reason, never end well", async () => {
		const good = [START, ...CALL, stop("tool_use")].reduce((sum, { length }) => sum + length, 0);
		for (let length = 0; length < good; length += 1)
			expect(await endOf(bedrock, [WHOLE.subarray(0, length)])).toMatch(/^failed: /);
		expect(await endOf(bedrock, [WHOLE.subarray(0, good)])).toBe("good tool_use @7");
		expect(await endOf(bedrock, [WHOLE.subarray(0, good + 9)])).toBe("failed: the stream stops inside a frame");
	});

	test("without a payload are no events, and payloads that are no object end the reply", async () => {
		const first = eventFrame("initial-response", undefined);
		expect(await told(bedrock, [first, WHOLE])).toEqual(TOLD);
		expect(await endOf(bedrock, [eventFrame("messageStart", [1])])).toBe(
			'failed: an event is not a JSON object: "[1]"',
		);
	});

	test("name their format, and frames of other events do not", () => {
		expect(detectFormat(WHOLE.subarray(0, 100))).toBe(bedrock);
		expect(detectFormat(eventFrame("chunk", { bytes: "" }))).toBeUndefined();
		expect(detectFormat({ contentBlockDelta: { delta: {} } })).toBe(bedrock);
	});
});

describe("the end", () => {
	test("is not good after an exception or an error frame, whatever came before it", async () => {
		const exception = frame(
			{ "message-type": "exception", "exception-type": "throttlingException" },
			{ message: "Too many tokens" },
		);
		const problem = "failed: the provider reported an error: Too many tokens";
		const items = await allOf(readStream(bedrock, [WHOLE, exception]));
		expect(items.at(-1)).toMatchObject({ good: false, cut: "failed", reason: "throttlingException" });
		expect(await endOf(bedrock, [WHOLE, exception])).toBe(problem);
		const asEvent = { throttlingException: { message: "Too many tokens" } };
		expect(await endOf(bedrock, [...eventsOfFrames(WHOLE), asEvent])).toBe(problem);
		const error = frame({ "message-type": "error", "error-code": "500", "error-message": "Internal" }, undefined);
		expect(await endOf(bedrock, [WHOLE, error])).toBe("failed: the provider reported an error: Internal");
	});

	test.each([
		["max_tokens", "length"],
		["model_context_window_exceeded", "length"],
		["guardrail_intervened", "filtered"],
		["content_filtered", "filtered"],
		["malformed_tool_use", "failed"],
	])("is not good with %s", async (reason, cut) => {
		expect(await endOf(bedrock, [START, ...CALL, stop(reason)])).toBe(`${cut}: the reply ended with "${reason}"`);
	});

	test.each<[string, readonly Uint8Array[], string]>([
		["leaves a call open", [...CALL.slice(0, -1), stop("tool_use")], "call 0 has no end"],
		["asks for calls and holds none", [stop("tool_use")], "the reply asks for calls, holds none"],
		["has arguments for no block", [CALL[3] as Uint8Array, stop("end_turn")], "content block 1, which is not open"],
		["has no stop reason", CALL, "without a finish reason"],
	])("is failed where the stream %s", async (_name, frames, problem) => {
		expect(await endOf(bedrock, [START, ...frames])).toContain(problem);
	});
});

test("tools that the provider runs itself are not reported, and a second message start voids what came before", async () => {
	const server = { toolUse: { ...toolUse, type: "server_tool_use" } };
	const own = [
		eventFrame("contentBlockStart", { contentBlockIndex: 0, start: server }),
		eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: "{}" } } }),
		eventFrame("contentBlockStop", { contentBlockIndex: 0 }),
	];
	expect(await told(bedrock, [START, ...own, stop("end_turn")])).toEqual(["good end_turn @4"]);
	const lines = await told(bedrock, [START, ...CALL, WHOLE]);
	expect(lines.slice(4, 7)).toEqual(["restart", "text I look.", "started 0 a look @10"]);
});
