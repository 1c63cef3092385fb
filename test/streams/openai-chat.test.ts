// OpenAI Chat Completions: calls that are told apart by their indexes, and finish reasons.

import { describe, expect, test } from "vitest";
import { chunk, finish, read, told, whole } from "./chat-chunks.js";

describe("calls with an index of their own", () => {
	test("are complete when their value closes, whatever comes between their pieces", async () => {
		const pieces = [
			chunk({ ...whole(0, "a", "") }, { ...whole(1, "b", "") }),
			chunk({ index: 1, arguments: "[1" }),
			chunk({ index: 0, arguments: "{}" }),
			chunk({ index: 1, arguments: "]" }),
		];
		expect(await told([...pieces, finish("tool_calls")])).toEqual([
			"started 0 a look @0",
			"started 1 b look @0",
			"complete 0 a look {} @2",
			"complete 1 b look [1] @3",
			"closed 0 a look {} @4",
			"closed 1 b look [1] @4",
			"good tool_calls",
		]);
	});

	test("may begin at another index than 0", async () => {
		expect(await told([chunk(whole(1, "a")), chunk(whole(2, "b")), finish("stop")])).toEqual([
			"started 0 a look @0",
			"complete 0 a look {} @0",
			"started 1 b look @1",
			"complete 1 b look {} @1",
			"closed 0 a look {} @2",
			"closed 1 b look {} @2",
			"good stop",
		]);
	});

	test("take an id and a name that come late, and are not complete without a name", async () => {
		const late = [
			chunk({ index: 0, arguments: "{}" }),
			chunk({ index: 0, name: "look" }),
			chunk({ index: 0, id: "a" }),
		];
		expect(await told([...late, finish("tool_calls")])).toEqual([
			"started 0   @0",
			"complete 0  look {} @1",
			"closed 0 a look {} @3",
			"good tool_calls",
		]);
	});

	test("may have their id and name repeated in every piece, or empty after the first", async () => {
		const repeated = [chunk(whole(0, "a", '{"at"')), chunk(whole(0, "a", ":1}"))];
		const empty = [chunk(whole(0, "a", '{"at"')), chunk({ index: 0, id: "", name: "", arguments: ":1}" })];
		const expected = [
			"started 0 a look @0",
			'complete 0 a look {"at":1} @1',
			'closed 0 a look {"at":1} @2',
			"good stop",
		];
		expect(await told([...repeated, finish("stop")])).toEqual(expected);
		expect(await told([...empty, finish("stop")])).toEqual(expected);
	});

	test("without arguments are complete at the finish reason, as an empty object", async () => {
		expect(await told([chunk(whole(0, "a", "")), chunk(whole(1, "b", " ")), finish("stop")])).toEqual([
			"started 0 a look @0",
			"started 1 b look @1",
			"complete 0 a look {} @2",
			"closed 0 a look {} @2",
			"complete 1 b look {} @2",
			"closed 1 b look {} @2",
			"good stop",
		]);
	});

	test("may have arguments as an object", async () => {
		const call = chunk({ index: 0, id: "a", name: "look", arguments: { at: 1 } });
		expect(await told([call, finish("stop")])).toContain('complete 0 a look {"at":1} @0');
	});

	test("whose arguments are cut are closed without having been complete", async () => {
		expect(await told([chunk(whole(0, "a", '{"at"')), finish("stop")])).toEqual([
			"started 0 a look @0",
			'closed 0 a look {"at" @1',
			"good stop",
		]);
	});

	test("of other choices than the first are not read", async () => {
		const other = { choices: [{ index: 1, delta: { tool_calls: [{ index: 0, id: "x" }] }, finish_reason: "length" }] };
		expect(await told([other, finish("stop")])).toEqual(["good stop"]);
	});
});

describe("the end", () => {
	const endOf = async (...events: readonly object[]): Promise<string | undefined> =>
		(await told([chunk(whole(0, "a")), ...events])).at(-1);

	test("is told once for a finish reason that comes twice, and so are the closed calls", async () => {
		const events = [chunk(whole(0, "a")), finish("tool_calls"), finish("tool_calls"), { choices: [], usage: {} }];
		expect(await told(events)).toEqual([
			"started 0 a look @0",
			"complete 0 a look {} @0",
			"closed 0 a look {} @1",
			"good tool_calls",
		]);
	});

	test.each([
		["length", "length"],
		["max_tokens", "length"],
		["model_length", "length"],
		["content_filter", "filtered"],
		["error", "failed"],
		["insufficient_system_resource", "failed"],
	])("with %s is not good, cut is %s, and no call is closed", async (reason, cut) => {
		expect(await told([chunk(whole(0, "a")), finish(reason)])).toEqual([
			"started 0 a look @0",
			"complete 0 a look {} @0",
			`${cut}: the reply ended with "${reason}"`,
		]);
	});

	test("takes the worse of two finish reasons, whichever came first", async () => {
		expect(await endOf(finish("tool_calls"), finish("length"))).toBe('length: the reply ended with "length"');
		expect(await endOf(finish("length"), finish("tool_calls"))).toBe('length: the reply ended with "length"');
	});

	test("is failed without a finish reason, or with an empty one", async () => {
		const problem = "failed: the reply ended without a finish reason";
		expect(await endOf()).toBe(problem);
		expect(await endOf(finish(""))).toBe(problem);
	});

	test("is failed where a call goes on after the finish reason", async () => {
		const problem = "failed: arguments came for call 0 after the reply's finish reason";
		expect(await endOf(finish("stop"), chunk({ index: 0, arguments: "{}" }))).toBe(problem);
	});

	test("is failed where a call begins after the only finish reason, and good where another follows", async () => {
		expect(await endOf(finish("stop"), chunk(whole(1, "b")))).toBe("failed: call 1 has no end");
		expect(await endOf(finish("stop"), chunk(whole(1, "b")), finish("stop"))).toBe("good stop");
	});

	test("is failed where the reply asks for calls and holds none", async () => {
		expect(await told([finish("tool_calls")])).toEqual(["failed: the reply asks for calls, holds none"]);
	});
});

test("text is read from plain content and from lists of parts, thinking left out", async () => {
	const parts = [
		{ type: "thinking", thinking: [{ type: "text", text: "hm" }] },
		{ type: "text", text: "b" },
	];
	const contents = ["a", parts, "", null].map((content) => ({ choices: [{ delta: { content } }] }));
	expect((await read([...contents, finish("stop")])).slice(0, -1)).toEqual([
		{ kind: "text", event: 0, text: "a" },
		{ kind: "text", event: 1, text: "b" },
	]);
});
