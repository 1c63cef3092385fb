// OpenAI Responses: items, free text, and streams that contradict themselves.

import { describe, expect, test } from "vitest";
import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import { allOf } from "./recordings.js";

type Fields = Record<string, unknown>;

const created = { type: "response.created", response: { status: "in_progress" } };
const item = (id: string, fields: Fields = {}): Fields => ({
	type: "function_call",
	id: `item-${id}`,
	call_id: id,
	name: "look",
	arguments: "",
	...fields,
});
const added = (place: number, of: Fields): Fields => ({
	type: "response.output_item.added",
	output_index: place,
	item: of,
});
const delta = (place: number, text: unknown): Fields => ({
	type: "response.function_call_arguments.delta",
	output_index: place,
	delta: text,
});
const argsDone = (place: number, text: unknown): Fields => ({
	type: "response.function_call_arguments.done",
	output_index: place,
	arguments: text,
});
const itemDone = (place: number, of: Fields): Fields => ({ ...added(place, of), type: "response.output_item.done" });
const completed = (output?: readonly Fields[]): Fields => ({
	type: "response.completed",
	response: { status: "completed", ...(output && { output }) },
});
const oneCall = [
	added(0, item("a")),
	delta(0, '{"at":1}'),
	argsDone(0, '{"at":1}'),
	itemDone(0, item("a", { arguments: '{"at":1}' })),
];

const read = (events: readonly object[]): Promise<StreamItem[]> => allOf(readStream("openai-responses", events));

describe("calls", () => {
	test("are complete when their value closes and closed when their arguments are done", async () => {
		const named = { index: 0, id: "a", name: "look" };
		const whole = { ...named, argsText: '{"at":1}', call: { id: "a", name: "look", args: '{"at":1}' } };
		expect(await read([created, ...oneCall, completed()])).toEqual([
			{ kind: "call-started", event: 1, ...named },
			{ kind: "call-complete", event: 2, ...whole },
			{ kind: "call-closed", event: 3, ...whole },
			{ kind: "end", event: 5, good: true, reason: "completed" },
		]);
	});

	test("are whole in one event where a dialect sends only the finished item", async () => {
		const items = await read([created, itemDone(0, item("a", { arguments: "" })), completed()]);
		expect(items).toMatchObject([
			{ kind: "call-started", event: 1 },
			{ kind: "call-complete", event: 1, argsText: "{}" },
			{ kind: "call-closed", event: 1, argsText: "{}" },
			{ kind: "end", good: true },
		]);
	});

	test("with free text are complete only when the item is done, with the text as their input", async () => {
		const custom = item("a", { type: "custom_tool_call", input: "" });
		const piece = { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "{}" };
		const done = itemDone(0, { ...custom, input: "{} and more" });
		const [, complete, closed] = await read([created, added(0, custom), piece, done, completed()]);
		const call = { id: "a", name: "look", args: { input: "{} and more" } };
		expect(complete).toMatchObject({ kind: "call-complete", event: 3, argsText: "{} and more", call });
		expect(closed).toMatchObject({ kind: "call-closed", event: 3, argsText: "{} and more", call });
	});

	test("with empty free text keep it empty", async () => {
		const custom = item("a", { type: "custom_tool_call", input: "" });
		const items = await read([created, added(0, custom), itemDone(0, custom), completed()]);
		expect(items[2]).toMatchObject({ kind: "call-closed", argsText: "", call: { args: { input: "" } } });
	});

	test("are closed with the provider's last word where it differs from the pieces", async () => {
		const items = await read([created, added(0, item("a")), delta(0, "{}"), argsDone(0, '{"at":2}'), completed()]);
		expect(items[1]).toMatchObject({ kind: "call-complete", argsText: "{}" });
		expect(items[2]).toMatchObject({ kind: "call-closed", argsText: '{"at":2}' });
	});

	test("of the provider's own tools are not reported and take no index", async () => {
		const search = { type: "web_search_call", id: "w", status: "completed" };
		const call = item("a", { arguments: "{}" });
		const items = await read([
			created,
			added(0, search),
			itemDone(0, search),
			itemDone(1, call),
			completed([search, call]),
		]);
		expect(items.map(({ kind }) => kind)).toEqual(["call-started", "call-complete", "call-closed", "end"]);
	});

	test("without a place in the output go by their item's id and start nothing early", async () => {
		const placed = [
			{ type: "response.output_item.added", item: item("a") },
			{ type: "response.function_call_arguments.delta", item_id: "item-a", delta: "{}" },
			{ type: "response.function_call_arguments.done", item_id: "item-a", arguments: "{}" },
		];
		expect(await read([created, ...placed, completed()])).toMatchObject([
			{ kind: "call-started", event: 1 },
			{ kind: "call-complete", event: 3 },
			{ kind: "call-closed", event: 3 },
			{ kind: "end", good: true },
		]);
	});

	test("take an id and a name that come late", async () => {
		const late = [added(0, item("", { name: "" })), delta(0, "{}"), itemDone(0, item("a", { arguments: "{}" }))];
		expect(await read([created, ...late, completed()])).toMatchObject([
			{ kind: "call-started", id: "", name: "" },
			{ kind: "call-complete", event: 3, id: "a", name: "look" },
			{ kind: "call-closed", event: 3, id: "a", name: "look" },
			{ kind: "end", good: true },
		]);
	});

	test("before a second start of the response are void", async () => {
		const items = await read([created, ...oneCall, created, ...oneCall, completed()]);
		expect(items.map((one) => ("index" in one ? one.index : one.kind))).toEqual([0, 0, 0, "restart", 0, 0, 0, "end"]);
	});
});

describe("the end", () => {
	const endOf = async (events: readonly object[]): Promise<unknown> => (await read([created, ...events])).at(-1);
	const ended = (status: string, fields: Fields = {}): Fields => ({
		type: `response.${status}`,
		response: { status, ...fields },
	});

	test.each<[string, Fields, Fields]>([
		[
			"the length",
			ended("incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
			{ reason: "max_output_tokens", cut: "length" },
		],
		[
			"a filter",
			ended("incomplete", { incomplete_details: { reason: "content_filter" } }),
			{ reason: "content_filter", cut: "filtered" },
		],
		["an unknown reason", ended("incomplete"), { reason: "incomplete", cut: "failed" }],
		["a cancel", ended("cancelled"), { reason: "cancelled", cut: "failed" }],
		[
			"a failure",
			ended("failed", { error: { code: "server_error", message: "boom" } }),
			{ reason: "server_error", cut: "failed", problem: "the provider reported an error: boom" },
		],
		[
			"an error event",
			{ type: "error", code: "rate_limit", message: "boom" },
			{ reason: "rate_limit", cut: "failed", problem: "the provider reported an error: boom" },
		],
	])("is not good after %s", async (_name, event, end) => {
		expect(await endOf([...oneCall, event])).toMatchObject({ kind: "end", good: false, ...end });
	});

	test.each<[string, readonly Fields[], string]>([
		["stops before its completion", [], "stopped before its `response.completed`"],
		["leaves a call open", [added(1, item("b")), completed()], "call 1 has no end"],
		[
			"has a call marked incomplete",
			[itemDone(1, item("b", { status: "incomplete" })), completed()],
			"call 1 has no end",
		],
		["has arguments for no item", [delta(9, "{}"), completed()], "never added"],
		["finishes arguments of no item", [argsDone(9, "{}"), completed()], "never added"],
		["has arguments after they were done", [delta(0, "{}"), completed()], "after it was done"],
		["has a piece that is no text", [added(1, item("b")), delta(1, 7), completed()], "is not a text"],
		["finishes a call without arguments", [added(1, item("b")), argsDone(1, null)], "without its arguments"],
		["finishes a call twice, differently", [argsDone(0, "{}"), completed()], "done twice, with different"],
		["names a call twice, differently", [itemDone(0, item("a", { name: "other" }))], "named twice, differently"],
		[
			"gives one place to two calls",
			[added(1, item("b")), itemDone(1, item("c", { arguments: "{}" })), completed()],
			"call 1",
		],
		["lists more calls than it sent", [completed([item("a"), item("b")])], "lists 2 calls, and 1 were streamed"],
	])("is failed where the stream %s", async (_name, events, problem) => {
		const failed = { good: false, cut: "failed", problem: expect.stringContaining(problem) as string };
		expect(await endOf([...oneCall, ...events])).toMatchObject(failed);
	});

	test("is good where every call is done twice with the same arguments", async () => {
		expect(await endOf([...oneCall, ...oneCall.slice(2), completed()])).toMatchObject({ good: true });
	});
});
