// Calls that one call makes at once come to policies in the order in which it made them, whatever takes its time before.

import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../engine/core/tool-context.js";
import type { Policy } from "../../engine/index.js";
import { AdmissionTurns } from "../../engine/wave/admission-turns.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

/** What the maker makes at once, as `name n`. */
const maker = (...written: readonly string[]) =>
	toolOf(
		"maker",
		({ n: of }, { invokeTool }: ToolContext) => {
			const made = written.map((one) => {
				const [name = "", n] = one.split(" ");
				return invokeTool(name, { n: Number(n), of }).catch(({ code }: { code: string }) => code);
			});
			return Promise.all(made);
		},
		{ effect: "write", isConcurrencySafe: true, mayAsk: true },
	);

function parts() {
	const held = new HeldWork();
	const asked: string[] = [];
	const validate = async (value: unknown) => {
		const { n } = value as { n: number };
		await held.hold(`schema ${n}`);
		return n === 9 ? { issues: [{ message: "nine" }] } : { value };
	};
	const slowly = { "~standard": { version: 1, vendor: "test", validate } } as const;
	const policy: Policy = {
		name: "asked",
		admit({ args }, { lineage }) {
			if (lineage !== undefined) asked.push(`${lineage.join(".")} ${(args as { n: number }).n}`);
			return "clear";
		},
	};
	/** Clears these by a promise that the test holds. */
	const slowFor = (...ns: readonly number[]): Policy => ({
		name: "slow",
		admit({ args }) {
			const { n } = args as { n?: number };
			return n !== undefined && ns.includes(n) ? held.hold(`policy ${n}`).then(() => "clear" as const) : "clear";
		},
	});
	const tools = [
		toolOf("look", ({ n = 0 }) => n),
		toolOf("parsed", ({ n = 0 }) => n, { parameters: slowly }),
		toolOf("gated", ({ n = 0 }) => n, { effect: "write", requiresApproval: true }),
	];
	return { held, asked, policy, slowFor, tools };
}

describe("Law 2: calls that a call makes at once come to admission in the order in which it made them", () => {
	it("although the schema of an earlier one takes its time", async () => {
		const { held, asked, policy, tools } = parts();
		const { engine } = benchOf({ tools: [...tools, maker("parsed 1", "look 2", "parsed 3")], policies: [policy] });
		const wave = engine.executeWave(callsOf("maker"));
		await settled();
		held.release("schema 3");
		await settled();
		expect(asked).toEqual([]);
		held.release("schema 1");
		expect(shorts(await wave)).toEqual(["[1,2,3]"]);
		expect(asked).toEqual(["0.0 1", "0.1 2", "0.2 3"]);
	});

	it("although an earlier policy takes its time over one", async () => {
		const { held, asked, policy, slowFor, tools } = parts();
		const policies = [slowFor(1, 2), policy];
		const { engine } = benchOf({ tools: [...tools, maker("look 1", "look 2", "look 3")], policies });
		const wave = engine.executeWave(callsOf("maker"));
		for (const [label, before] of [
			["policy 1", []],
			["policy 2", ["0.0 1"]],
		] as const) {
			await settled();
			expect([held.waiting, asked]).toEqual([[label], before]);
			held.releaseAll();
		}
		expect(shorts(await wave)).toEqual(["[1,2,3]"]);
		expect(asked).toEqual(["0.0 1", "0.1 2", "0.2 3"]);
	});

	it("and wait for no call of another maker", async () => {
		const { held, asked, policy, tools } = parts();
		const parses = toolOf(
			"parses",
			async (_args, { invokeTool }) => [await invokeTool("parsed", { n: 1 }), await invokeTool("look", { n: 2 })],
			{ effect: "write", isConcurrencySafe: true },
		);
		const { engine } = benchOf({ tools: [...tools, parses, maker("look 3", "look 4")], policies: [policy] });
		const wave = engine.executeWave(callsOf("parses", "maker"));
		await settled();
		expect(asked).toEqual(["1.0 3", "1.1 4"]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["[1,2]", "[3,4]"]);
	});

	it("nor for the end of an earlier one", async () => {
		const { asked, policy, tools } = parts();
		const { engine, held } = benchOf({ tools: [...tools, maker("read 1", "read 2", "look 3")], policies: [policy] });
		const wave = engine.executeWave(callsOf("maker"));
		await settled();
		expect([asked, held.waiting]).toEqual([
			["0.0 1", "0.1 2", "0.2 3"],
			["read 1", "read 2"],
		]);
		held.releaseAll();
		await wave;
	});

	it.each([
		["whose tool is unknown", "missing 1", "UNKNOWN_TOOL"],
		["whose arguments do not fit", "parsed 9", "INVALID_ARGUMENTS"],
	])("and a call %s lets the next one on", async (_what, first, code) => {
		const { held, asked, policy, tools } = parts();
		const { engine } = benchOf({ tools: [...tools, maker(first, "look 2")], policies: [policy] });
		const wave = engine.executeWave(callsOf("maker"));
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual([JSON.stringify([code, 2])]);
		expect(asked).toEqual(["0.1 2"]);
	});

	it("and a call that a policy refuses, or fails at, lets the next one on", async () => {
		const { asked, policy, tools } = parts();
		const refuses: Policy = {
			name: "refuses",
			admit({ args }) {
				const { n } = args as { n?: number };
				if (n === 2) throw new Error("it fails");
				return n === 1 ? { deny: { rule: "odd", violation: "It is one.", alternative: "Another." } } : "clear";
			},
		};
		const policies = [refuses, policy];
		const { engine } = benchOf({ tools: [...tools, maker("look 1", "look 2", "look 3")], policies });
		expect(shorts(await engine.executeWave(callsOf("maker")))).toEqual(['["DENIED","POLICY_FAILED",3]']);
		expect(asked).toEqual(["0.2 3"]);
	});
});

describe("Law 14: a call that waits for its turn to come to admission", () => {
	it("is ended by an abort, and no policy is asked about it", async () => {
		const { held, asked, policy, slowFor, tools } = parts();
		const policies = [slowFor(1), policy];
		const { engine } = benchOf({ tools: [...tools, maker("look 1", "look 2")], policies });
		const controller = new AbortController();
		const wave = engine.executeWave(callsOf("maker"), { signal: controller.signal });
		await settled();
		controller.abort();
		expect(shorts(await wave)).toEqual(["OUTCOME_UNKNOWN"]);
		expect([asked, held.waiting]).toEqual([[], ["policy 1"]]);
	});

	it("goes on where the one before it pauses the run beforehand", async () => {
		const { asked, policy, tools } = parts();
		const { engine } = benchOf({ tools: [...tools, maker("gated 1", "look 2")], policies: [policy] });
		const wave = await engine.executeWave(callsOf("maker"));
		expect([wave.status, asked]).toEqual(["paused", ["0.1 2"]]);
		const answers = Object.fromEntries(wave.questions.map(({ id }) => [id, true]));
		if (wave.checkpoint === undefined) throw new Error("it has no checkpoint");
		expect(shorts(await engine.resume(wave.checkpoint, { answers }))).toEqual(["[1,2]"]);
		expect(asked).toEqual(["0.1 2", "0.0 1"]);
	});
});

describe("a turn of admission", () => {
	it("TN1: waits for all before it, also where the one between them is given up in its wait", async () => {
		const turns = new AdmissionTurns();
		const maker = {};
		const [first, second, third] = [turns.take(maker), turns.take(maker), turns.take(maker)];
		let hasCome = false;
		void third.come?.then(() => {
			hasCome = true;
		});
		second.done();
		await settled();
		expect(hasCome).toBe(false);
		first.done();
		await settled();
		expect(hasCome).toBe(true);
		third.done();
		await settled();
		expect(turns.take(maker).come).toBeUndefined();
	});
});
