// What policies are told of where a call stands: its segment, and what its maker had not been answered when it made it.

import { describe, expect, it } from "vitest";
import { INVOKED_ON_THREAD, type InvokedOnThread, type ServesThreads } from "../../engine/core/invoked-on-thread.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import {
	agentTool,
	type Middleware,
	memoryLedger,
	type Policy,
	type PolicyView,
	scriptedModel,
} from "../../engine/index.js";
import { anything, benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { lasting, reloaded, resumedIn } from "../support/pause-kit.js";

interface Told {
	readonly place: string;
	readonly segment: number;
	readonly unanswered?: PolicyView["unanswered"];
	readonly as?: string;
}

/** Clears every call, and keeps where each was said to stand, at admission and at accounting. */
function views() {
	const [admitted, accounted]: [Told[], Told[]] = [[], []];
	const told = ({ index, lineage = [index], segment, unanswered, rewritten, resumed }: PolicyView): Told => {
		const as = [...(rewritten ? ["rewritten"] : []), ...(resumed ? [resumed] : [])].join(" ");
		return { place: lineage.join("."), segment, ...(unanswered && { unanswered }), ...(as !== "" && { as }) };
	};
	const policy: Policy = {
		name: "views",
		admit(_call, view) {
			admitted.push(told(view));
			return "clear";
		},
		account: (_call, _outcome, view) => void accounted.push(told(view)),
	};
	return { policy, admitted, accounted };
}

type Makes = (context: ToolContext) => Promise<unknown>;

/** A safe write that makes calls. */
const maker = (makes: Makes, rest: object = {}) =>
	toolOf("maker", (_args, context) => makes(context), { effect: "write", isConcurrencySafe: true, ...rest });
const look = toolOf("look", ({ n = 0 }) => n);

describe("Law 2: policies are told where a call stands", () => {
	it("among the calls of one reply: the first of its segment", async () => {
		const { policy, admitted, accounted } = views();
		const put = toolOf("put", () => null, { effect: "write" });
		const note = toolOf("note", () => null, { effect: "write", isConcurrencySafe: true });
		const { engine } = benchOf({ tools: [look, put, note], policies: [policy] });
		await engine.executeWave(callsOf("look 0", "note 1", "put 2", "look 3", "missing", "look 5"));
		const expected = [
			{ place: "0", segment: 0 },
			{ place: "1", segment: 0 },
			{ place: "2", segment: 2 },
			{ place: "3", segment: 3 },
			{ place: "5", segment: 3 },
		];
		expect([admitted, accounted]).toEqual([expected, expected]);
	});

	it("among calls that a call makes in turn: each a segment of its own, all before it answered", async () => {
		const { policy, admitted } = views();
		const tools = [
			look,
			maker(async ({ invokeTool }) => {
				for (const n of [1, 2]) await invokeTool("look", { n });
				await invokeTool("missing", {}).catch(() => undefined);
				return invokeTool("look", { n: 3 });
			}),
		];
		const { engine } = benchOf({ tools, policies: [policy] });
		await engine.executeWave(callsOf("look 0", "maker"));
		expect(admitted).toEqual([
			{ place: "0", segment: 0 },
			{ place: "1", segment: 0 },
			{ place: "1.0", segment: 0 },
			{ place: "1.1", segment: 1 },
			{ place: "1.3", segment: 3 },
		]);
	});

	it("among calls that it makes at once: those before it, which have no answer yet, and none of another maker's", async () => {
		const { policy, admitted, accounted } = views();
		const makes = ({ invokeTool }: ToolContext) => Promise.all([1, 2, 3].map((n) => invokeTool("look", { n })));
		const { engine } = benchOf({ tools: [look, maker(makes)], policies: [policy] });
		await engine.executeWave(callsOf("maker 0", "maker 1"));
		const expected = (of: string) => [
			{ place: `${of}.0`, segment: 0 },
			{ place: `${of}.1`, segment: 1, unanswered: [[0, 0]] },
			{ place: `${of}.2`, segment: 2, unanswered: [[0, 1]] },
		];
		const below = (told: readonly Told[], of: string) => told.filter(({ place }) => place.startsWith(`${of}.`));
		for (const of of ["0", "1"]) {
			expect(below(admitted, of)).toEqual(expected(of));
			expect(below(accounted, of)).toEqual(expected(of));
		}
	});

	it("when the first of two was answered: the second alone", async () => {
		const { policy, admitted } = views();
		const makes: Makes = async ({ invokeTool }) => {
			const [first, second] = [invokeTool("read", { n: 1 }), invokeTool("read", { n: 2 })];
			await first;
			await invokeTool("look", { n: 3 });
			await second;
			return invokeTool("look", { n: 4 });
		};
		const { engine, held } = benchOf({ tools: [look, maker(makes)], policies: [policy] });
		const wave = engine.executeWave(callsOf("maker"));
		for (const n of [1, 2]) {
			await settled();
			held.release(`read ${n}`);
		}
		await wave;
		expect(admitted.slice(3)).toEqual([
			{ place: "0.2", segment: 2, unanswered: [[1, 1]] },
			{ place: "0.3", segment: 3 },
		]);
	});

	it("among the calls of an agent's replies: the first of its segment, counted over all replies", async () => {
		const { policy, admitted } = views();
		const replies = [
			["look", "note", "put", "look"],
			["look", "look"],
		].map((names) => ({ calls: names.map((name, n) => ({ name, args: { n } })) }));
		const tools = [
			look,
			toolOf("put", () => null, { effect: "write" }),
			toolOf("note", () => null, { effect: "write", isConcurrencySafe: true }),
			agentTool({ name: "agent", parameters: anything, model: scriptedModel([...replies, "done"]) }),
		];
		const { engine } = benchOf({ tools, policies: [policy] });
		expect(shorts(await engine.executeWave(callsOf("look 9", "agent")))).toEqual(["9", '"done"']);
		expect(admitted.slice(1)).toEqual([
			{ place: "1", segment: 1 },
			{ place: "1.0", segment: 0 },
			{ place: "1.1", segment: 0 },
			{ place: "1.2", segment: 2 },
			{ place: "1.3", segment: 3 },
			{ place: "1.4", segment: 4 },
			{ place: "1.5", segment: 4 },
		]);
	});

	it("in a form that middleware made: where the call stands", async () => {
		const { policy, admitted, accounted } = views();
		const changes: Middleware = {
			name: "changes",
			wrapToolCall: (call, next) => (call.name === "look" ? next({ ...call, args: { n: 7 } }) : next()),
		};
		const makes = ({ invokeTool }: ToolContext) => Promise.all([1, 2].map((n) => invokeTool("look", { n })));
		const { engine } = benchOf({ tools: [look, maker(makes)], policies: [policy], middleware: [changes] });
		expect(shorts(await engine.executeWave(callsOf("maker")))).toEqual(["[7,7]"]);
		const [first, second] = [
			{ place: "0.0", segment: 0 },
			{ place: "0.1", segment: 1, unanswered: [[0, 0]] },
		];
		const as = "rewritten";
		expect(admitted.slice(1)).toEqual([first, second, { ...first, as }, { ...second, as }]);
		expect(accounted.slice(0, 2)).toEqual([
			{ ...first, as },
			{ ...second, as },
		]);
	});
});

describe("Law 2: on a thread a call is judged by what its maker says it had been answered", () => {
	it("which may be less than the host has answered", async () => {
		const { policy, admitted } = views();
		const makes: Makes = async (context) => {
			const host = context as ToolContext & ServesThreads;
			const made = (number: number, open: InvokedOnThread["open"]) =>
				host[INVOKED_ON_THREAD]({ name: "look", args: { n: number }, onThread: { number, open } });
			await made(0, []);
			await made(1, []);
			await made(2, [[1, 1]]);
			return made(3, []);
		};
		const { engine } = benchOf({ tools: [look, maker(makes)], policies: [policy] });
		await engine.executeWave(callsOf("maker"));
		expect(admitted.slice(1)).toEqual([
			{ place: "0.0", segment: 0 },
			{ place: "0.1", segment: 1 },
			{ place: "0.2", segment: 2, unanswered: [[1, 1]] },
			{ place: "0.3", segment: 3 },
		]);
	});
});

describe("Law 2: policies are told where a call stands that goes on after a pause", () => {
	const asks = toolOf("asks", ({ n = 0 }, { interrupt }) => interrupt(n), { mayAsk: true });
	const makes: Makes = async ({ invokeTool }) => {
		const said = [await invokeTool("look", { n: 0 })];
		said.push(...(await Promise.all([invokeTool("look", { n: 1 }), invokeTool("asks", { n: 2 })])));
		return [...said, await invokeTool("look", { n: 3 })];
	};
	const tools = [look, asks, maker(makes, { mayAsk: true })];

	it("in the same engine: what it had been answered in this run of its maker", async () => {
		const { policy, admitted } = views();
		const { engine } = benchOf({ tools, policies: [policy] });
		const wave = await engine.executeWave(callsOf("maker"));
		const before = admitted.splice(0);
		const answers = Object.fromEntries(wave.questions.map(({ id }) => [id, "said"]));
		expect(shorts(await engine.resume(reloaded(wave.checkpoint), { answers }))).toEqual(['[0,1,"said",3]']);
		expect(before).toEqual([
			{ place: "0", segment: 0 },
			{ place: "0.0", segment: 0 },
			{ place: "0.1", segment: 1 },
			{ place: "0.2", segment: 2, unanswered: [[1, 1]] },
		]);
		expect(admitted).toEqual([{ place: "0.3", segment: 3 }]);
	});

	it("in another process: as far as records tell it", async () => {
		const ledger = lasting(memoryLedger());
		const wave = await benchOf({ tools, policies: [views().policy], ledger }).engine.executeWave(callsOf("maker"));
		const { policy, admitted } = views();
		const answers = Object.fromEntries(wave.questions.map(({ id }) => [id, "said"]));
		await resumedIn({ tools, policies: [policy], ledger }, wave, { answers });
		// No record says that the first of the two calls had not been answered when the second one was made.
		expect(admitted).toEqual([
			{ place: "0", segment: 0, as: "admitted" },
			{ place: "0.0", segment: 0, as: "admitted" },
			{ place: "0.1", segment: 1, as: "admitted" },
			{ place: "0.2", segment: 2, as: "admitted" },
			{ place: "0.3", segment: 3 },
		]);
	});
});
