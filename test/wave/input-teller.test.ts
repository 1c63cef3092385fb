// The input hooks of tools: what they are told, in which order, and when no more.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, type EngineEvent, type ReplyItem, type Tool, tool } from "../../engine/index.js";
import { settled } from "../support/manual-clock.js";

type Hooks = Partial<Pick<Tool, "onInputStart" | "onInputDelta" | "onInputAvailable">>;

/** A step over two tools, `now` and `later`, whose hooks write what they are told; the schema of `later` takes a while. */
function toldOf(own: Hooks = {}) {
	const told: string[] = [];
	const events: EngineEvent[] = [];
	let let_: () => void = () => undefined;
	const gate = new Promise<void>((resolve) => {
		let_ = resolve;
	});
	const hooks: Hooks = {
		onInputStart: ({ index, name }) => void told.push(`${index} ${name} starts`),
		onInputDelta: ({ index, delta }) => void told.push(`${index} ${delta}`),
		onInputAvailable: ({ index, args }) => void told.push(`${index} has ${JSON.stringify(args)}`),
		...own,
	};
	const execute = () => 1;
	const parameters = z.object({ n: z.number().default(7) });
	const slow = parameters.refine(async () => {
		await gate;
		return true;
	});
	const engine = createEngine({
		tools: [
			tool({ ...hooks, name: "now", parameters, effect: "write", execute } as Parameters<typeof tool>[0]),
			tool({ ...hooks, name: "later", parameters: slow, effect: "write", execute } as Parameters<typeof tool>[0]),
		],
	});
	engine.subscribe((event) => events.push(event));
	const step = engine.openStep({ runId: "run", step: 3 });
	return { told, events, step, gate: () => let_() };
}

const started = (index: number, name: string): ReplyItem => ({ kind: "call-started", index, id: "", name });
const delta = (index: number, name: string, text: string): ReplyItem => {
	return { kind: "call-delta", index, id: "", name, delta: text };
};
const complete = (index: number, name: string, argsText: string): ReplyItem => {
	return { kind: "call-complete", index, id: "", name, argsText, call: { id: "", name, args: argsText } };
};
const closed = (index: number, name: string, argsText: string): ReplyItem => {
	return { ...complete(index, name, argsText), kind: "call-closed" } as ReplyItem;
};

describe("input hooks", () => {
	it("are told of the start, each piece and the parsed arguments, in the order of the stream", () => {
		const { told, step } = toldOf();
		step.feed(started(0, "now"));
		step.feed(delta(0, "now", '{"n":'));
		step.feed(started(1, "now"));
		step.feed(delta(0, "now", "1}"));
		step.feed(complete(0, "now", '{"n":1}'));
		step.feed(closed(0, "now", '{"n":1}'));
		step.feed(complete(1, "now", "{}"));
		expect(told).toEqual(["0 now starts", '0 {"n":', "1 now starts", "0 1}", '0 has {"n":1}', "1 {}", '1 has {"n":7}']);
	});

	it("are told of arguments that came whole as of one piece, and of a late name with all that came before", () => {
		const { told, step } = toldOf();
		step.feed(started(0, ""));
		step.feed(delta(0, "", "{"));
		step.feed(complete(0, "now", '{"n":2}'));
		expect(told).toEqual(["0 now starts", '0 {"n":2}', '0 has {"n":2}']);
	});

	it("are not told of arguments that the schema refuses, nor of tools that nobody knows", () => {
		const { told, step } = toldOf();
		step.feed(complete(0, "now", '{"n":"two"}'));
		step.feed(complete(1, "unknown", "{}"));
		expect(told).toEqual(["0 now starts", '0 {"n":"two"}']);
	});

	it("wait in their order for a schema that answers by a promise", async () => {
		const { told, step, gate } = toldOf();
		step.feed(complete(0, "later", "{}"));
		step.feed(complete(1, "now", "{}"));
		await settled();
		expect(told).toEqual(["0 later starts", "0 {}"]);
		gate();
		await settled();
		expect(told.slice(2)).toEqual(['0 has {"n":7}', "1 now starts", "1 {}", '1 has {"n":7}']);
	});

	it("IT1: are told nothing more once the reply was voided, though a schema answers later", async () => {
		const { told, step, gate } = toldOf();
		step.feed(complete(0, "later", "{}"));
		step.feed({ kind: "restart" });
		gate();
		await settled();
		expect(told).toEqual(["0 later starts", "0 {}"]);
		step.feed(started(0, "now"));
		expect(told.at(-1)).toBe("0 now starts");
	});

	it("IT1: are told nothing more of a call that closed with something else", async () => {
		const { told, step, gate } = toldOf();
		step.feed(complete(0, "later", "{}"));
		step.feed(closed(0, "later", '{"n":1}'));
		gate();
		await settled();
		expect(told).toEqual(["0 later starts", "0 {}"]);
	});

	it("cost nobody anything when they throw or reject, and are told of as events", async () => {
		const { told, step, events } = toldOf({
			onInputStart: () => {
				throw new Error("it broke");
			},
			onInputDelta: () => Promise.reject(new Error("later")),
		});
		step.feed(complete(0, "now", "{}"));
		step.feed(closed(0, "now", "{}"));
		step.feed({ kind: "end", good: true });
		await settled();
		expect(told).toEqual(['0 has {"n":7}']);
		expect((await step.settle()).results[0]?.outcome).toEqual({ ok: true, value: 1 });
		const stray = events.flatMap((event) => (event.kind === "stray_error" ? [event.message] : []));
		expect(stray).toEqual(["onInputStart of now failed: it broke", "onInputDelta of now failed: later"]);
	});
});
