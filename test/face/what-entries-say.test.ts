// The face's promises about entries: whose name, effect, render and stamp they carry.

import { describe, expect, it } from "vitest";
import type { ConcurrentInvoke } from "../../engine/admission/concurrent-invoke.js";
import { answered } from "../../engine/core/outcome.js";
import { executeConcurrent, memoryLedger } from "../../engine/index.js";
import { benchOf, callsOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { ManualClock } from "../support/manual-clock.js";

const metas = {
	look: { name: "look", effect: "read" },
	draw: { name: "draw", effect: { write: "pictures" }, render: "picture" },
} as const;

/** A face whose calls may come through `call`, and whose clock moves on with every question. */
class Face implements ConcurrentInvoke<string> {
	readonly stamps: number[] = [];
	readonly accounted: string[] = [];
	readonly clock = new ManualClock();

	resolveCall(call: { id: string; name: string; args: unknown }) {
		if (call.name !== "call") return call;
		const { tool, args } = call.args as { tool: string; args: unknown };
		return { id: call.id, name: tool, args };
	}

	metaOf({ name }: { name: string }) {
		return Object.hasOwn(metas, name) ? metas[name as keyof typeof metas] : undefined;
	}

	async admit({ name }: { name: string }, at: number) {
		this.stamps.push(at);
		await this.clock.pass(1000);
		return this.metaOf({ name }) === undefined
			? {
					answered: {
						ok: false as const,
						error: { code: "UNKNOWN_TOOL" as const, message: "Unknown.", recovery: "Ask." },
					},
				}
			: { cleared: name };
	}

	tool(name: string) {
		return {
			invoke: async () => {
				await this.clock.pass(1000);
				return answered(name);
			},
		};
	}

	account({ name }: { name: string }, _ticket: string, outcome: ReturnType<typeof answered>) {
		this.accounted.push(name);
		return outcome;
	}
}

async function calledEntries(face: Face, calls: ReturnType<typeof callsOf>) {
	const ledger = memoryLedger();
	const wave = await executeConcurrent(face, calls, { ledger, clock: face.clock });
	const entries = await entriesOf(ledger);
	return { wave, entries, called: entries.filter(({ kind }) => kind === "tool_called") };
}

describe("an entry of a call", () => {
	it("carries its tool's effect and render, and of an unknown tool says nothing", async () => {
		const { called } = await calledEntries(new Face(), callsOf("look", "draw", "missing"));
		expect(called.map(({ data }) => [data.effect, data.render])).toEqual([
			["read", "generic"],
			[{ write: "pictures" }, "picture"],
			[undefined, undefined],
		]);
		expect(called[2]?.data).not.toHaveProperty("effect");
		expect(called[2]?.data).not.toHaveProperty("render");
	});

	it("says the same for the engine's own tools, by the effect of this very call", async () => {
		const mixed = toolOf("mixed", () => 1, {
			effect: (args: unknown) => ((args as { n: number }).n ? "egress" : "read"),
		});
		const { engine, ledger } = benchOf({ tools: [mixed] });
		await engine.executeWave(callsOf("mixed 0", "mixed 1", "missing 2"));
		const called = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_called");
		expect(called.map(({ data }) => data.effect)).toEqual(["read", "egress", undefined]);
	});

	it("made through call is accounted as the tool it names, with that tool's arguments", async () => {
		const face = new Face();
		const through = [
			{ id: "a", name: "call", args: { tool: "draw", args: { n: 1 } } },
			{ id: "b", name: "call", args: { tool: "missing", args: {} } },
		];
		const { wave, called, entries } = await calledEntries(face, through);
		expect(wave.results.map(({ id, name }) => [id, name])).toEqual([
			["a", "draw"],
			["b", "missing"],
		]);
		expect(face.accounted).toEqual(["draw"]);
		expect(called.map(({ data }) => [data.name, data.args, data.render])).toEqual([
			["draw", { n: 1 }, "picture"],
			["missing", {}, undefined],
		]);
		// What the model wrote stays as it wrote it.
		expect(entries[0]?.data.calls).toEqual(through);
	});

	it("carries the stamp that its face read, for reads and for the serial rest", async () => {
		const face = new Face();
		const { called, wave } = await calledEntries(face, callsOf("look", "look", "draw", "look"));
		expect(shorts(wave)).toEqual(['"look"', '"look"', '"draw"', '"look"']);
		expect(called.map(({ at }) => at)).toEqual(face.stamps);
		expect(new Set(face.stamps).size).toBe(4);
	});

	it("carries the stamp that its policies read", async () => {
		const stamps: number[] = [];
		const bench = benchOf({
			tools: [toolOf("plain", () => 1)],
			policies: [
				{
					name: "stamps",
					async admit(_call, { at }) {
						stamps.push(at);
						await bench.clock.pass(500);
						return "clear" as const;
					},
				},
			],
		});
		await bench.engine.executeWave(callsOf("plain 0", "plain 1"));
		const called = (await entriesOf(bench.ledger)).filter(({ kind }) => kind === "tool_called");
		expect(called.map(({ at }) => at)).toEqual(stamps);
		expect(new Set(stamps).size).toBe(2);
	});
});
