// Gemini: whole calls, calls in parts, and parts that do not say which call they belong to.

import { describe, expect, test } from "vitest";
import { readArguments } from "../../engine/core/call.js";
import { readStream } from "../../engine/streams/read-stream.js";
import { allOf } from "./recordings.js";
import { endOf, told } from "./told.js";

const chunk = (parts: readonly object[], finishReason?: string, index?: number): object => ({
	candidates: [{ content: { role: "model", parts }, finishReason, index }],
});
const whole = (name: string, args?: unknown, rest: object = {}): object => ({ functionCall: { name, args, ...rest } });
const part = (functionCall: object): object => chunk([{ functionCall }]);
const begin = part({ name: "look", willContinue: true });
const piece = (jsonPath: string, stringValue: string, goesOn: boolean): object => ({
	jsonPath,
	stringValue,
	...(goesOn && { willContinue: true }),
});
const pieces = (...partialArgs: readonly object[]): object => part({ partialArgs, willContinue: true });
const stop = chunk([], "STOP");

describe("whole calls", () => {
	test("are complete and closed where they come, with their arguments as a value", async () => {
		const events = [chunk([whole("look", { at: 1 }), whole("look", undefined, { id: "b" })]), stop];
		expect(await told("gemini", events)).toEqual([
			"started 0  look @0",
			'complete 0  look ={"at":1} @0',
			'closed 0  look ={"at":1} @0',
			"started 1 b look @0",
			"complete 1 b look ={} @0",
			"closed 1 b look ={} @0",
			"good STOP @1",
		]);
	});

	test("have a copy of the arguments, which nothing the host does later changes", async () => {
		const args = { at: [1] };
		const items = await allOf(readStream("gemini", [chunk([whole("look", args)], "STOP")]));
		args.at.push(2);
		expect(items[2]).toMatchObject({ kind: "call-closed", call: { args: { at: [1] } } });
	});

	test("whose arguments are no object are closed with text that says so", async () => {
		expect(await told("gemini", [chunk([whole("look", [1])], "STOP")])).toContain("closed 0  look [1] @0");
		expect(await told("gemini", [chunk([whole("look", '{"at":')], "STOP")])).toEqual([
			"started 0  look @0",
			'closed 0  look {"at": @0',
			"good STOP @0",
		]);
	});

	test("may be wrapped in a response, or in a list of them, and may follow a finish reason", async () => {
		const call = chunk([whole("look")], "STOP");
		for (const event of [{ response: call }, { method: "generateContentStream", response: [stop, call] }]) {
			expect((await told("gemini", [stop, event])).slice(1)).toEqual([
				"complete 0  look ={} @1",
				"closed 0  look ={} @1",
				"good STOP @1",
			]);
		}
		const failed = { response: [{ error: { message: "quota", status: "RESOURCE_EXHAUSTED" } }] };
		expect(await endOf("gemini", [stop, failed])).toBe("failed: the provider reported an error: quota");
	});

	test("of another candidate than the first are not read", async () => {
		expect(await told("gemini", [chunk([whole("look")], "STOP", 1), stop])).toEqual(["good STOP @1"]);
	});
});

describe("calls in parts", () => {
	test("are assembled, and closed by the part that does not go on, with its own pieces", async () => {
		const last = part({ partialArgs: [{ jsonPath: "$.rows[1]", numberValue: 2 }] });
		const events = [
			begin,
			pieces(piece("$.at", "Par", true)),
			pieces(piece("$.at", "is", true), piece("$.at", "", false)),
			part({ willContinue: true }),
			pieces({ jsonPath: "$.rows[0]", boolValue: true }),
			last,
			stop,
		];
		expect(await told("gemini", events)).toEqual([
			"started 0  look @0",
			'complete 0  look ={"at":"Paris","rows":[true,2]} @5',
			'closed 0  look ={"at":"Paris","rows":[true,2]} @5',
			"good STOP @6",
		]);
	});

	test("take pieces that stand beside the name", async () => {
		const named = part({ name: "look", partialArgs: [piece("$.at", "x", false)], willContinue: true });
		expect(await told("gemini", [named, part({}), stop])).toContain('closed 0  look ={"at":"x"} @1');
	});

	test.each<[string, object[]]>([
		["a path that is none", [piece("at", "x", false)]],
		["a path of several places", [piece("$.*", "x", false)]],
		["a gap in a list", [piece("$.rows[1]", "x", false)]],
		["a place written twice", [piece("$.at", "x", false), piece("$.at", "y", false)]],
		["a string that never ends", [piece("$.at", "x", true)]],
		["a piece that is none", [{ at: 1 }]],
	])("with %s are closed with what does not read, and are never complete", async (_name, all) => {
		await expectUnreadable([begin, pieces(...all), part({}), stop]);
	});

	test("with whole arguments beside the pieces are closed with what does not read, and are never complete", async () => {
		await expectUnreadable([begin, part({ args: { at: 1 } }), stop]);
		await expectUnreadable([part({ name: "look", args: { at: 1 }, willContinue: true }), part({}), stop]);
		expect(await told("gemini", [begin, part({ args: {} }), stop])).toContain("closed 0  look ={} @1");
	});

	async function expectUnreadable(events: readonly object[]): Promise<void> {
		const items = await allOf(readStream("gemini", events));
		expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-closed", "end"]);
		const closed = items[1];
		if (closed?.kind !== "call-closed") throw new Error("not closed");
		expect(closed.call.args).toBe(closed.argsText);
		expect(readArguments(closed.call.args)).toMatchObject({ ok: false });
	}

	test.each<[string, object[], string]>([
		["that the stream leaves open", [begin, stop], "call 0 has no end"],
		[
			"whose name comes again",
			[begin, begin, part({}), part({}), stop],
			"call 0 had not ended when the next one began",
		],
		["that nothing began", [part({}), stop], "a part of a call came, and no call was open"],
		[
			"with the id of another",
			[part({ name: "look", id: "a", willContinue: true }), part({ id: "b" }), stop],
			"a part of call 0 has the id of another",
		],
		[
			"that go on by a word that is neither yes nor no",
			[begin, part({ willContinue: "false" }), stop],
			"a part of a call does not say whether more of it will come",
		],
	])("%s fail the reply", async (_name, events, problem) => {
		expect(await endOf("gemini", events)).toBe(`failed: ${problem}`);
	});
});

describe("the end", () => {
	test.each([
		["MAX_TOKENS", "length"],
		["SAFETY", "filtered"],
		["MALFORMED_FUNCTION_CALL", "failed"],
		["UNEXPECTED_TOOL_CALL", "failed"],
		["FINISH_REASON_UNSPECIFIED", "failed"],
	])("is not good with %s, also beside a good reason", async (reason, cut) => {
		const told = `${cut}: the reply ended with "${reason}"`;
		expect(await endOf("gemini", [chunk([whole("look")], reason)])).toBe(told);
		expect(await endOf("gemini", [chunk([whole("look")], "STOP"), chunk([], reason)])).toBe(told);
		expect(await endOf("gemini", [chunk([whole("look")], reason), stop])).toBe(told);
	});

	test("is not good where the prompt was blocked, or no reason came", async () => {
		const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } };
		expect(await endOf("gemini", [blocked])).toBe('filtered: the reply ended with "PROHIBITED_CONTENT"');
		expect(await endOf("gemini", [chunk([whole("look")])])).toBe("failed: the reply ended without a finish reason");
	});

	test("leaves thinking out of the text", async () => {
		const parts = [{ text: "hm", thought: true }, { text: "Hello" }];
		expect(await told("gemini", [chunk(parts, "STOP")])).toEqual(["text Hello", "good STOP @0"]);
	});
});
