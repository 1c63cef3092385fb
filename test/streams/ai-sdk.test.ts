// AI SDK: the parts of `fullStream` and the chunks of the UI message stream, and calls that the SDK has run itself.

import { describe, expect, test } from "vitest";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { endOf, told } from "./told.js";

interface Dialect {
	readonly format: StreamFormat;
	begin(id: string, rest?: object): object;
	delta(id: string, text: unknown): object;
	whole(id: string, input: unknown, rest?: object): object;
	/** The SDK's own answer to a call. */
	readonly answer: string;
	readonly refused: (id: string, input: unknown) => object;
}

const full: Dialect = {
	format: "ai-sdk",
	begin: (id, rest) => ({ type: "tool-input-start", id, toolName: "look", ...rest }),
	delta: (id, text) => ({ type: "tool-input-delta", id, delta: text }),
	whole: (id, input, rest) => ({ type: "tool-call", toolCallId: id, toolName: "look", input, ...rest }),
	answer: "tool-result",
	refused: (id, input) => full.whole(id, input, { invalid: true, error: new Error("no such tool") }),
};
const ui: Dialect = {
	format: "ai-sdk-ui",
	begin: (id, rest) => ({ type: "tool-input-start", toolCallId: id, toolName: "look", ...rest }),
	delta: (id, text) => ({ type: "tool-input-delta", toolCallId: id, inputTextDelta: text }),
	whole: (id, input, rest) => ({ type: "tool-input-available", toolCallId: id, toolName: "look", input, ...rest }),
	answer: "tool-output-available",
	refused: (id, input) => ({ type: "tool-input-error", toolCallId: id, toolName: "look", input, errorText: "no" }),
};

const step = { type: "start-step" };
const finish = [
	{ type: "finish-step", finishReason: "tool-calls" },
	{ type: "finish", finishReason: "tool-calls" },
];

describe.each([full, ui])("$format", ({ format, begin, delta, whole, answer, refused }) => {
	const oneCall = [begin("a"), delta("a", '{"at":'), delta("a", " 1}"), whole("a", { at: 1 })];

	test("keeps the text that the model wrote where the SDK's value says the same", async () => {
		expect(await told(format, [step, ...oneCall, ...finish])).toEqual([
			"started 0 a look @1",
			'complete 0 a look {"at": 1} @3',
			'closed 0 a look {"at": 1} @4',
			"good tool-calls @6",
		]);
	});

	test("closes with what the SDK made of a call, and with its value where no text came", async () => {
		const repaired = [begin("a"), delta("a", '{"at":'), whole("a", { at: 1 })];
		const changed = [begin("b"), delta("b", "{}"), whole("b", { at: 2 })];
		expect(await told(format, [step, ...repaired, ...changed, whole("c", { at: 3 }), ...finish])).toEqual([
			"started 0 a look @1",
			'complete 0 a look ={"at":1} @3',
			'closed 0 a look ={"at":1} @3',
			"started 1 b look @4",
			"complete 1 b look {} @5",
			'closed 1 b look ={"at":2} @6',
			"started 2 c look @7",
			'complete 2 c look ={"at":3} @7',
			'closed 2 c look ={"at":3} @7',
			"good tool-calls @9",
		]);
	});

	test("hands on a call that the SDK refused, with the text it could not read", async () => {
		const events = [step, begin("a"), delta("a", '{"at":'), refused("a", '{"at":')];
		const error = { type: "tool-error", toolCallId: "a", error: new Error("refused") };
		expect(await told(format, [...events, error, ...finish])).toEqual([
			"started 0 a look @1",
			'closed 0 a look {"at": @3',
			"good tool-calls @6",
		]);
	});

	test("leaves out what the provider runs itself", async () => {
		const elsewhere = { providerExecuted: true };
		const events = [begin("s", elsewhere), delta("s", "{}"), whole("s", {}, elsewhere), whole("t", {}, elsewhere)];
		const result = { type: answer, toolCallId: "s", providerExecuted: true };
		const stop = { type: "finish", finishReason: "stop" };
		expect(await told(format, [step, ...events, result, stop])).toEqual(["good stop @6"]);
	});

	test("starts nothing early for an id used again, or for input that is not JSON", async () => {
		const again = [begin("a"), delta("a", "{}"), whole("a", {})];
		const text = [begin("b", { inputEncoding: "text" }), delta("b", "{}"), whole("b", {})];
		const lines = await told(format, [step, ...oneCall, ...again, ...text, ...finish]);
		expect(lines.filter((line) => line.startsWith("complete"))).toEqual([
			'complete 0 a look {"at": 1} @3',
			"complete 1 a look {} @7",
			"complete 2 b look {} @10",
		]);
	});

	test.each<[string, object[], string]>([
		["holds a call that the SDK ran", [{ type: answer, toolCallId: "a" }], "the AI SDK ran call 0 itself"],
		["goes on to a second step", [finish[0] as object, step], "a second step"],
		["was aborted", [{ type: "abort" }], "aborted"],
		["reports an error", [{ type: "error", error: new Error("Boom"), errorText: "Boom" }], "error: Boom"],
		["reports an error as text", [{ type: "error", errorText: "Boom" }], "error: Boom"],
		["stops early", [], "stopped before its `finish`"],
		["leaves a call open", [begin("b"), ...finish], "call 1 has no end"],
		["begins two calls with one id", [begin("b"), begin("b")], 'the id "b" at the same time'],
		["has a call twice", [whole("a", { at: 1 })], "call 0 came whole twice"],
		["has input for no call", [delta("b", "{}")], "a call that is not open"],
		["has input that is no text", [begin("b"), delta("b", 7)], "not a text"],
		["names a call twice, differently", [begin("b"), whole("b", {}, { toolName: "other" })], "named twice"],
		["takes a call back", [begin("b"), whole("b", {}, { providerExecuted: true })], "the provider's own"],
	])("fails where the stream %s", async (_name, events, problem) => {
		const line = await endOf(format, [step, ...oneCall, ...events, ...(events.length > 0 ? finish : [])]);
		expect(line).toMatch(/^failed: /);
		expect(line).toContain(problem);
	});

	test.each([
		["length", "length"],
		["content-filter", "filtered"],
		["error", "failed"],
		["other", "failed"],
		["unknown", "failed"],
	])("does not end well with %s, also in a step before a good finish", async (reason, cut) => {
		const line = `${cut}: the reply ended with "${reason}"`;
		expect(await endOf(format, [step, ...oneCall, { type: "finish", finishReason: reason }])).toBe(line);
		const inStep = [{ type: "finish-step", finishReason: reason }, finish[1] as object];
		expect(await endOf(format, [step, ...oneCall, ...inStep])).toBe(line);
	});

	test("does not end well where the finish gives no reason, as in version 5's UI stream", async () => {
		const line = await endOf(format, [step, ...oneCall, { type: "finish-step" }, { type: "finish" }]);
		expect(line).toBe("failed: the reply ended without a finish reason");
	});

	test("reads the text of either stream", async () => {
		const events = [
			{ type: "text-delta", id: "1", text: "Hel" },
			{ type: "text-delta", id: "1", delta: "lo" },
		];
		expect(await told(format, events)).toEqual(["text Hel", "text lo", expect.stringContaining("failed") as string]);
	});
});
