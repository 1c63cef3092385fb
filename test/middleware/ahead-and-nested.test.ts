// Middleware and calls that do not come by the usual way: reads that started early, and calls that a call makes.

import { describe, expect, it } from "vitest";
import type { Outcome } from "../../engine/core/outcome.js";
import { answered } from "../../engine/core/outcome.js";
import { benchOf, callsOf, short, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { middlewareOf } from "../support/middleware-kit.js";

const OBSERVES = { observesOnly: true } as const;

describe("Law 6: a call that passes through middleware", () => {
	it("does not start early where one of them may veto or rewrite", async () => {
		const observer = middlewareOf((_call, next) => next(), OBSERVES);
		const other = middlewareOf((_call, next) => next());
		const { engine, entered } = benchOf({ middleware: [observer, other] });
		const step = engine.openStep();
		step.offer(callsOf("read 0")[0] as never);
		await settled();
		expect(entered).toEqual([]);
		await step.discard("failed");
	});

	it("starts early where all of them only observe, and they see the outcome of that very run", async () => {
		const outcomes: Outcome[] = [];
		const observer = middlewareOf(async (_call, next) => {
			const outcome = await next();
			outcomes.push(outcome);
			return outcome;
		}, OBSERVES);
		const { engine, held, entered } = benchOf({ middleware: [observer] });
		const step = engine.openStep();
		step.offer(callsOf("read 0")[0] as never);
		await settled();
		held.release("read 0");
		await settled();
		expect([entered, outcomes]).toEqual([["read 0"], []]);
		const { results } = await step.settle();
		expect(results[0]).toMatchObject({ ahead: true, outcome: { ok: true, value: 0 } });
		expect(outcomes).toEqual([results[0]?.outcome]);
		expect(entered).toEqual(["read 0"]);
	});
});

describe("a middleware that says it only observes", () => {
	it("ML3: changes nothing by what it returns, nor by asking twice, nor by not waiting", async () => {
		let ran = 0;
		const counted = toolOf("counted", async () => {
			await settled(1);
			ran += 1;
			return ran;
		});
		const middleware = [
			middlewareOf(async (_call, next) => {
				await next();
				await next();
				return answered("other");
			}, OBSERVES),
			middlewareOf((_call, next) => {
				void next();
				return undefined as never;
			}, OBSERVES),
		];
		const { engine } = benchOf({ tools: [counted], middleware });
		expect(shorts(await engine.executeWave(callsOf("counted")))).toEqual(["1"]);
		expect(ran).toBe(1);
	});

	it.each([
		["ML3: does not call next", middlewareOf(() => answered(1), OBSERVES)],
		["ML3: passes other arguments on", middlewareOf(({ name }, next) => next({ name, args: {} }), OBSERVES)],
	])("and %s has failed, and the call does not run", async (_, observer) => {
		const { engine, entered } = benchOf({ middleware: [observer] });
		expect(shorts(await engine.executeWave(callsOf("read 0")))).toEqual(["POLICY_FAILED"]);
		expect(entered).toEqual([]);
	});
});

describe("a call that a call makes", () => {
	it("passes through the middleware as well", async () => {
		const seen: string[] = [];
		const outer = toolOf("outer", (_args, { invokeTool }) => invokeTool("inner", { n: 4 }));
		const inner = toolOf("inner", ({ n }) => n);
		const doubles = middlewareOf(async ({ name, args }, next) => {
			const { n } = args;
			const outcome = await (typeof n === "number" ? next({ name, args: { n: n * 2 } }) : next());
			seen.push(`${name} ${short(outcome)}`);
			return outcome;
		});
		const { engine } = benchOf({ tools: [outer, inner], middleware: [doubles] });
		expect(shorts(await engine.executeWave(callsOf("outer")))).toEqual(["8"]);
		expect(seen).toEqual(["inner 8", "outer 8"]);
	});

	it("does not run as a write that middleware made of it under a parent that only reads", async () => {
		const acted: unknown[] = [];
		const either = toolOf("either", ({ n }) => acted.push(n), {
			effect: (args) => ((args as { n: number }).n > 5 ? "write" : "read"),
		});
		const outer = toolOf("outer", (_args, { invokeTool }) => invokeTool("either", { n: 1 }));
		const larger = middlewareOf(({ name, args }, next) => {
			return name === "either" ? next({ name, args: { n: (args.n as number) + 9 } }) : next();
		});
		const { engine } = benchOf({ tools: [outer, either], middleware: [larger] });
		const { results } = await engine.executeWave(callsOf("outer"));
		expect(results[0]?.outcome).toMatchObject({ error: { code: "DENIED" } });
		expect(JSON.stringify(results[0]?.outcome)).toContain("either is no read");
		expect(acted).toEqual([]);
	});

	it("completes under a cap of one with a middleware that waits", async () => {
		const down = toolOf("down", async ({ n = 0 }, { invokeTool }) => (n === 0 ? 0 : invokeTool("down", { n: n - 1 })));
		const waits = middlewareOf(async (_call, next) => {
			await settled(1);
			return next();
		});
		const { engine } = benchOf({ tools: [down], middleware: [waits], maxParallelToolCalls: 1 });
		expect(shorts(await engine.executeWave(callsOf("down 3", "down 2")))).toEqual(["0", "0"]);
	});
});
