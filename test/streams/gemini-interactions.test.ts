// Gemini Interactions: steps, the status of the end, and streams that contradict themselves.

import { describe, expect, test } from "vitest";
import { detectFormat } from "../../engine/streams/detect-format.js";
import { asServerSentEvents } from "./recordings.js";
import { endOf, told } from "./told.js";

const created = { interaction: { id: "v1", status: "in_progress" }, event_type: "interaction.created" };
const start = (index: number, step: object): object => ({ index, step, event_type: "step.start" });
const call = (index: number, id: string, args: unknown = {}): object =>
	start(index, { id, signature: "", type: "function_call", name: "look", arguments: args });
const delta = (index: number, of: object): object => ({ index, delta: of, event_type: "step.delta" });
const args = (index: number, text: unknown): object => delta(index, { arguments: text, type: "arguments_delta" });
const stop = (index: number): object => ({ index, event_type: "step.stop" });
const completed = (status: string, rest: object = {}): object => ({
	interaction: { id: "v1", status, ...rest },
	event_type: "interaction.completed",
});
const oneCall = [call(1, "a"), args(1, '{"at":'), args(1, "1}"), stop(1)];

const interactions = "gemini-interactions";

test("text and calls are read, thinking and the provider's own tools are not", async () => {
	const events = [
		created,
		{ interaction_id: "v1", status: "in_progress", event_type: "interaction.status_update" },
		start(0, { type: "thought" }),
		delta(0, { signature: "x", type: "thought_signature" }),
		stop(0),
		...oneCall,
		start(2, { type: "google_search_call", id: "s" }),
		stop(2),
		start(3, { type: "model_output", content: [{ type: "text", text: "I " }] }),
		delta(3, { text: "look.", type: "text" }),
		stop(3),
		completed("requires_action"),
	];
	const lines = [
		"started 0 a look @5",
		'complete 0 a look {"at":1} @7',
		'closed 0 a look {"at":1} @8',
		"text I ",
		"text look.",
		"good requires_action @14",
	];
	expect(await told(interactions, events)).toEqual(lines);
	const wire = `${asServerSentEvents(events)}event: done\ndata: [DONE]\n\n`;
	expect(await told(interactions, wire)).toEqual(lines);
	expect(detectFormat(wire)).toBe(interactions);
	expect(detectFormat(wire.slice(0, 60))).toBe(interactions);
	expect(detectFormat(`${JSON.stringify(start(0, {})).slice(0, -1)},`)).toBeUndefined();
	expect(detectFormat(start(0, {}))).toBe(interactions);
});

test("arguments that stand whole in the start of a step count where no piece comes", async () => {
	const whole = [created, call(1, "a", { at: 1 }), stop(1), completed("completed")];
	expect(await told(interactions, whole)).toContain('closed 0 a look ={"at":1} @2');
	const both = [created, call(1, "a", { at: 1 }), args(1, '{"at":2}'), stop(1), completed("completed")];
	expect(await told(interactions, both)).toContain('closed 0 a look {"at":2} @3');
});

test("a second interaction voids the first", async () => {
	const events = [created, ...oneCall, created, ...oneCall, completed("requires_action")];
	expect((await told(interactions, events)).slice(3)).toEqual([
		"restart",
		"started 0 a look @6",
		'complete 0 a look {"at":1} @8',
		'closed 0 a look {"at":1} @9',
		"good requires_action @10",
	]);
});

describe("the end", () => {
	test.each([
		["completed", "good completed @5"],
		["incomplete", 'length: the reply ended with "incomplete"'],
		["cancelled", "failed: the response is cancelled"],
		["in_progress", 'failed: the reply ended with "in_progress"'],
		["", "failed: the reply ended without a finish reason"],
	])("with status %j is %s", async (status, line) => {
		expect(await endOf(interactions, [created, ...oneCall, completed(status)])).toBe(line);
	});

	test.each<[string, object[], string]>([
		["stops early", [], "stopped before its `interaction.completed`"],
		["leaves a call open", [call(2, "b"), completed("completed")], "call 1 has no end"],
		["has arguments for no step", [args(9, "{}"), completed("completed")], "step 9, which is not open"],
		["stops a step that never started", [stop(9)], "step 9 stopped and never started"],
		["starts two steps at one place", [call(2, "b"), call(2, "c")], "no place of its own"],
		["has arguments that are no text", [call(2, "b"), args(2, { at: 1 })], "is not a text"],
		["is of the older form", [{ event_type: "content.delta", index: 0 }], "of the older form"],
		["reports an error", [{ event_type: "error", error: { code: "gone", message: "Gone" } }], "error: Gone"],
		["says that it failed", [completed("failed", { error: { message: "Boom" } })], "error: Boom"],
	])("is failed where the stream %s", async (_name, events, problem) => {
		const line = await endOf(interactions, [created, ...oneCall, ...events]);
		expect(line).toMatch(/^failed: /);
		expect(line).toContain(problem);
	});

	test("is failed where an action is required and there is no call", async () => {
		const line = await endOf(interactions, [created, completed("requires_action")]);
		expect(line).toBe("failed: the reply asks for calls, holds none");
	});
});
