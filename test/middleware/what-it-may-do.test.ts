// What a middleware may do to a call, and what its mistakes cost.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { MIDDLEWARE_NEXT_MAX, OUTPUT_BYTES_MAX, POLICY_MS_MAX } from "../../engine/core/limits.js";
import { answered, failed, type Outcome } from "../../engine/core/outcome.js";
import { tool } from "../../engine/core/tool.js";
import { createEngine, type Middleware, type WrappedCall } from "../../engine/index.js";
import { benchOf, callsOf, entriesOf, linesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { middlewareOf, rewriting, StandingTools, standingCalls } from "../support/middleware-kit.js";

const same = toolOf("same", ({ n }) => n);
const calls = callsOf("same 0", "same 1", "same 2");

describe("a middleware", () => {
	it("stands around the ones listed after it", async () => {
		const seen: string[] = [];
		const named = (name: string): Middleware =>
			middlewareOf(
				async (_call, next) => {
					seen.push(`${name} before`);
					const outcome = await next();
					seen.push(`${name} after`);
					return outcome;
				},
				{ name },
			);
		const { engine } = benchOf({ tools: [same], middleware: [named("outer"), named("inner")] });
		expect(shorts(await engine.executeWave(callsOf("same 7")))).toEqual(["7"]);
		expect(seen).toEqual(["outer before", "inner before", "inner after", "outer after"]);
	});

	it("gets the raw arguments as a frozen object, and where the call stands", async () => {
		const seen: WrappedCall[] = [];
		const keeps = middlewareOf((call, next) => {
			seen.push(call);
			return next();
		});
		const { engine } = benchOf({ tools: [same], middleware: [keeps] });
		await engine.executeWave([{ id: "a", name: "same", args: ' {"n": 5, "extra": [1]}' }], { runId: "run", step: 3 });
		expect(seen).toEqual([{ id: "a", name: "same", args: { n: 5, extra: [1] }, runId: "run", step: 3, index: 0 }]);
		expect([seen[0], seen[0]?.args, seen[0]?.args.extra].every(Object.isFrozen)).toBe(true);
	});

	it("may change the arguments, also as text, and the tool gets what its schema makes of them", async () => {
		const parameters = z.object({ size: z.string().transform(Number), unit: z.string().default("mm") });
		const measured = tool({ name: "measured", parameters, effect: "read", execute: (args) => args });
		const larger = middlewareOf(({ name, args }, next) => next({ name, args: `{"size": "${args.size}0"}` }));
		const { engine } = benchOf({ tools: [measured], middleware: [larger] });
		const wave = await engine.executeWave([{ id: "a", name: "measured", args: { size: "12" } }]);
		expect(shorts(wave)).toEqual(['{"size":120,"unit":"mm"}']);
	});

	it("answers no more than a tool may", async () => {
		const value = "x".repeat(OUTPUT_BYTES_MAX / 2 + 1);
		const { engine } = benchOf({ middleware: [middlewareOf(async () => ({ ok: true, value }))] });
		expect(shorts(await engine.executeWave(callsOf("read 1")))).toEqual(["OUTPUT_TOO_LARGE"]);
	});

	it("may answer for the tool and may change its answer, and what it answers is copied as a tool's answer is", async () => {
		const list = [1];
		const acts: Record<number, (next: () => Promise<Outcome>) => Outcome | Promise<Outcome>> = {
			0: () => answered("kept"),
			1: async (next) => ({ ...(await next()), ok: true, value: list }),
			2: () => ({ ok: true, value: { run: () => 1 } as never }),
		};
		const own = middlewareOf(({ index }, next) => acts[index]?.(next) ?? next());
		const { engine } = benchOf({ tools: [same], middleware: [own] });
		const wave = await engine.executeWave(calls);
		list.push(2);
		expect(shorts(wave)).toEqual(['"kept"', "[1]", "NOT_CLONEABLE"]);
	});

	it("vetoes by an outcome without calling next, and the tool never runs", async () => {
		const seen = new StandingTools();
		const veto = middlewareOf(({ index }, next) => (index === 1 ? failed("DENIED", { message: "not now" }) : next()));
		const { engine } = benchOf({ tools: seen.tools, middleware: [veto] });
		expect(shorts(await engine.executeWave(standingCalls({}, { effect: "write" }, {})))).toEqual(["0", "DENIED", "2"]);
		expect(seen.began).toEqual(["0", "2"]);
	});

	it("that throws costs its own call alone: the finished results stay and the others go on", async () => {
		const breaks = middlewareOf(
			({ index }, next) => {
				if (index === 1) throw new Error("no such tenant");
				return next();
			},
			{ name: "tenants" },
		);
		const { engine, held } = benchOf({ middleware: [breaks] });
		const wave = engine.executeWave(callsOf("read 0", "read 1", "read 2"));
		await settled();
		expect(held.waiting).toEqual(["read 0", "read 2"]);
		held.releaseAll();
		const { results } = await wave;
		expect(shorts({ results })).toEqual(["0", "POLICY_FAILED", "2"]);
		expect(results[1]?.outcome).toMatchObject({
			error: { message: "The middleware tenants failed: no such tenant", details: { middleware: "tenants" } },
		});
	});

	it("that fails after a write has run says so, and to look before it is done again", async () => {
		const breaks = middlewareOf(async (_call, next) => {
			await next();
			throw new Error("full");
		});
		const seen = new StandingTools();
		const { engine } = benchOf({ tools: seen.tools, middleware: [breaks] });
		const { results } = await engine.executeWave(standingCalls({ effect: "write" }));
		expect(results[0]?.outcome).toMatchObject({
			error: { code: "POLICY_FAILED", message: "The middleware own failed after the call had run: full" },
		});
		expect(JSON.stringify(results[0]?.outcome)).toContain("Check whether the change happened");
	});

	it("ML1: answers once and with an outcome: anything else is its failure, seen by the one around it as an outcome", async () => {
		const outcomes: Outcome[] = [];
		const around = middlewareOf(async (_call, next) => {
			const outcome = await next();
			outcomes.push(outcome);
			return outcome;
		});
		const wrong = middlewareOf(({ index }) => [undefined, { ok: false }, 7][index] as unknown as Outcome, {
			name: "wrong",
		});
		const { engine } = benchOf({ tools: [same], middleware: [around, wrong] });
		expect(shorts(await engine.executeWave(calls))).toEqual(["POLICY_FAILED", "POLICY_FAILED", "POLICY_FAILED"]);
		expect(outcomes.map((outcome) => JSON.stringify(outcome).includes('"middleware":"wrong"'))).toEqual([
			true,
			true,
			true,
		]);
	});

	it.each([
		["what the schema refuses", { n: "many" }],
		["a list", [1]],
		["a text that is cut", '{"n": 1'],
	])("that leaves %s as arguments makes its call INVALID_ARGUMENTS, and names itself", async (_, args) => {
		const seen = new StandingTools();
		const breaks = middlewareOf(({ name }, next) => next({ name, args }), { name: "breaks" });
		const { engine } = benchOf({ tools: seen.tools, middleware: [breaks] });
		const { results } = await engine.executeWave(standingCalls({}));
		expect(results[0]?.outcome).toMatchObject({
			error: { code: "INVALID_ARGUMENTS", details: { middleware: "breaks" } },
		});
		expect(seen.began).toEqual([]);
	});

	it("cannot turn a call into one of another tool", async () => {
		const seen = new StandingTools();
		const turns = middlewareOf(({ args }, next) => next({ name: "again", args }));
		const { engine } = benchOf({ tools: seen.tools, middleware: [turns] });
		expect(shorts(await engine.executeWave(standingCalls({})))).toEqual(["INVALID_ARGUMENTS"]);
		expect(seen.began).toEqual([]);
	});

	it("is not asked about calls that need no tool", async () => {
		const seen: string[] = [];
		const keeps = middlewareOf(({ name }, next) => {
			seen.push(name);
			return next();
		});
		const { engine } = benchOf({ tools: [same], middleware: [keeps] });
		const [call] = callsOf("same 0");
		await engine.executeWave([call, call, ...callsOf("nothing"), { id: "x", name: "same", args: "[" }] as never);
		expect(seen).toEqual(["same"]);
	});

	it("ML2: may take as long as its call does, and no longer than its bound by itself", async () => {
		const slow = middlewareOf(async ({ index }, next) => (index === 0 ? next() : new Promise(() => undefined)));
		const { engine, clock, held, ledger } = benchOf({ middleware: [slow], timeouts: { toolMs: Infinity } });
		const wave = engine.executeWave(callsOf("read 0", "read 1"));
		await clock.pass(POLICY_MS_MAX - 1);
		expect(await linesOf(ledger)).toEqual(["model_returned"]);
		await clock.pass(POLICY_MS_MAX);
		held.release("read 0");
		expect(shorts(await wave)).toEqual(["0", "POLICY_FAILED"]);
		expect(clock.timersSet).toBe(0);
	});

	it("that asks without end is stopped, and the event loop still turns", async () => {
		let asked = 0;
		const loops = middlewareOf(async (_call, next) => {
			for (;;) {
				asked += 1;
				const outcome = await next();
				if (outcome.ok) return outcome;
			}
		});
		const fails = toolOf("fails", () => Promise.reject(new Error("never")));
		const { engine } = benchOf({ tools: [fails], middleware: [loops] });
		expect(shorts(await engine.executeWave(callsOf("fails")))).toEqual(["POLICY_FAILED"]);
		expect(asked).toBe(MIDDLEWARE_NEXT_MAX + 1);
	});

	it("that answers without waiting for the tool has its answer, and the tool is told to stop", async () => {
		const reasons: string[] = [];
		const slow = toolOf("slow", (_args, { signal }) => {
			return new Promise((resolve) =>
				signal.addEventListener("abort", () => resolve(reasons.push(signal.reason.name))),
			);
		});
		const hasty = middlewareOf(async (_call, next) => {
			void next();
			await settled();
			return answered("without it");
		});
		const { engine } = benchOf({ tools: [slow], middleware: [hasty], maxParallelToolCalls: 1 });
		expect(shorts(await engine.executeWave(callsOf("slow", "slow")))).toEqual(['"without it"', '"without it"']);
		expect(reasons).toEqual(["AbortError", "AbortError"]);
	});

	it.each([
		["that is no list", {}],
		["without a name", [{ wrapToolCall: () => answered(1) }]],
		["without a function", [{ name: "empty" }]],
	])("%s is refused when the engine is made", (_, middleware) => {
		expect(() => createEngine({ tools: [], middleware: middleware as never })).toThrow(
			expect.objectContaining({ code: "INVALID_OPTIONS" }),
		);
	});
});

describe("the entries of a call with middleware", () => {
	it("are one pair: as the model asked for it, and what it ran as where that is something else", async () => {
		const seen = new StandingTools();
		const { engine, ledger } = benchOf({ tools: seen.tools, middleware: [rewriting({ 1: { effect: "write" } })] });
		await engine.executeWave(standingCalls({}, {}));
		const entries = await entriesOf(ledger);
		expect(entries.map(({ kind }) => kind)).toEqual([
			"model_returned",
			"tool_called",
			"tool_result",
			"tool_called",
			"tool_result",
		]);
		expect(entries[3]?.data).toMatchObject({ args: { n: 1 }, effect: "read" });
		expect(entries.map(({ data }) => data.ranAs)).toEqual([
			undefined,
			undefined,
			undefined,
			undefined,
			{ args: { n: 1, effect: "write" }, effect: "write" },
		]);
	});

	it("name no form that did not run", async () => {
		const seen = new StandingTools();
		const { engine, ledger } = benchOf({ tools: seen.tools, middleware: [rewriting({ 0: { n: "none" } })] });
		await engine.executeWave(standingCalls({}));
		expect((await entriesOf(ledger)).at(-1)?.data.ranAs).toBeUndefined();
	});
});
