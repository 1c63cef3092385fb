// OpenAI Chat Completions: the dialects' ways with index, id and name that put a call's identity in doubt.

import { describe, expect, test } from "vitest";
import { chunk, finish, told, whole } from "./chat-chunks.js";

describe("calls in doubt start nothing early", () => {
	const late = (...lines: readonly string[]): string[] => [...lines, "good stop"];

	test("without an index, told apart by their ids", async () => {
		const events = [chunk(whole(undefined, "a", "[1]"), whole(null, "b", "[2]")), finish("stop")];
		expect(await told(events)).toEqual(
			late(
				"started 0 a look @0",
				"started 1 b look @0",
				"complete 0 a look [1] @1",
				"closed 0 a look [1] @1",
				"complete 1 b look [2] @1",
				"closed 1 b look [2] @1",
			),
		);
	});

	test("without an index and with an id in the first piece alone", async () => {
		const events = [chunk(whole(undefined, "a", '{"at"')), chunk({ arguments: ":1}" }), finish("stop")];
		expect(await told(events)).toEqual(
			late("started 0 a look @0", 'complete 0 a look {"at":1} @2', 'closed 0 a look {"at":1} @2'),
		);
	});

	test("with one index and two ids, in one event and in two", async () => {
		expect(await told([chunk(whole(0, "a", "[1]"), whole(0, "b", "[2]")), finish("stop")])).toEqual(
			late(
				"started 0 a look @0",
				"started 1 b look @0",
				"complete 0 a look [1] @1",
				"closed 0 a look [1] @1",
				"complete 1 b look [2] @1",
				"closed 1 b look [2] @1",
			),
		);
		const second = [chunk(whole(0, "b", "[2")), chunk({ index: 0, arguments: "]" })];
		expect(await told([chunk(whole(0, "a", "[1]")), ...second, finish("stop")])).toEqual(
			late(
				"started 0 a look @0",
				"complete 0 a look [1] @0",
				"started 1 b look @1",
				"closed 0 a look [1] @3",
				"complete 1 b look [2] @3",
				"closed 1 b look [2] @3",
			),
		);
	});

	test("with one index, no ids, and a second whole call", async () => {
		const events = [chunk(whole(0, "", "[1]")), chunk(whole(0, "", "[2]")), finish("stop")];
		expect(await told(events)).toEqual(
			late(
				"started 0  look @0",
				"complete 0  look [1] @0",
				"started 1  look @1",
				"closed 0  look [1] @2",
				"complete 1  look [2] @2",
				"closed 1  look [2] @2",
			),
		);
	});

	test("with a name in pieces", async () => {
		const events = [chunk({ index: 0, id: "a", name: "lo" }), chunk({ index: 0, name: "ok", arguments: "{}" })];
		expect(await told([...events, finish("stop")])).toEqual(
			late("started 0 a lo @0", "complete 0 a look {} @2", "closed 0 a look {} @2"),
		);
	});

	test("with an index below one that came before", async () => {
		const events = [chunk(whole(1, "a")), chunk(whole(0, "b")), finish("stop")];
		expect((await told(events)).slice(2, -1)).toEqual([
			"started 1 b look @1",
			"closed 0 a look {} @2",
			"complete 1 b look {} @2",
			"closed 1 b look {} @2",
		]);
	});

	test("with an index that changes between the pieces of one id", async () => {
		const events = [
			chunk(whole(0, "a", "[")),
			chunk({ index: 1, id: "a", arguments: "1" }),
			chunk({ index: 1, arguments: "]" }),
		];
		expect(await told([...events, finish("stop")])).toEqual(
			late("started 0 a look @0", "complete 0 a look [1] @3", "closed 0 a look [1] @3"),
		);
	});

	test("but not for an id that comes twice, at an index of its own", async () => {
		const events = [chunk(whole(0, "a", "[1]")), chunk(whole(1, "a", "[2]")), finish("stop")];
		expect((await told(events)).filter((line) => line.startsWith("complete"))).toEqual([
			"complete 0 a look [1] @0",
			"complete 1 a look [2] @1",
		]);
	});

	test("and the whole reply fails where pieces cannot be told apart", async () => {
		const events = [chunk(whole(undefined, "a", "")), chunk(whole(undefined, "b", "")), chunk({ arguments: "{}" })];
		expect((await told([...events, finish("stop")])).at(-1)).toBe(
			"failed: pieces of arguments came without saying which call they belong to",
		);
	});

	test("and the whole reply fails where a call never gets a name", async () => {
		const shifted = [chunk(whole(0, "a", "")), chunk({ index: 1, arguments: "{}" })];
		expect((await told([...shifted, finish("stop")])).at(-1)).toBe("failed: call 1 has no name");
	});
});
