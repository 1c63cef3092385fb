// Law 12 after a rewrite: everything that is known of a call is worked out anew from its new arguments.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tool } from "../../engine/core/tool.js";
import { budget, doors, KeyedLock, memo, type Policy, type PolicyView, type Verdict } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, entriesOf, shorts } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { middlewareOf, rewriting, StandingTools, standingCalls } from "../support/middleware-kit.js";

const DENIED: Verdict = { deny: { rule: "no-seven", violation: "No sevens.", alternative: "Take six." } };

/** A policy that refuses calls by their arguments, and keeps what it was asked and told. */
function keeping(refuses: (view: PolicyView) => boolean = () => false, rest: Partial<Policy> = {}) {
	const seen: string[] = [];
	const short = ({ index, args, rewritten }: PolicyView): string => {
		const { effect } = args as { readonly effect: string };
		return `${index} ${effect}${rewritten ? " rewritten" : ""}`;
	};
	const policy: Policy = {
		name: "keeping",
		admit: (_call, view) => {
			seen.push(`admit ${short(view)}`);
			return refuses(view) ? DENIED : "clear";
		},
		account: (call, _outcome, view) => {
			seen.push(`account ${short(view)} of ${JSON.stringify(call.args)}`);
		},
		...rest,
	};
	return { policy, seen };
}

const effectOf = ({ args }: PolicyView): string => (args as { readonly effect: string }).effect;

describe("Law 12: a call that middleware rewrote", () => {
	it.each([
		["the form that was asked for", standingCalls({ effect: "egress" }), { effect: "read" }],
		["the form that it was given", standingCalls({}), { effect: "egress" }],
	])("does not run where a door refuses %s", async (_, calls, to) => {
		const seen = new StandingTools();
		const middleware = [rewriting({ 0: to })];
		const { engine } = benchOf({ tools: seen.tools, policies: [doors({ egress: "deny" })], middleware });
		const { results } = await engine.executeWave(calls);
		expect(results[0]?.outcome).toMatchObject({ error: { code: "DENIED", details: { rule: "door.egress" } } });
		expect(seen.began).toEqual([]);
	});

	it("may go on in the form that was cleared after another was refused", async () => {
		const seen = new StandingTools();
		const { policy } = keeping((view) => effectOf(view) === "write");
		const tries = middlewareOf(async ({ name, args }, next) => {
			const outcome = await next({ name, args: { ...args, effect: "write" } });
			return outcome.ok ? outcome : next();
		});
		const { engine } = benchOf({ tools: seen.tools, policies: [policy], middleware: [tries] });
		expect(shorts(await engine.executeWave(standingCalls({})))).toEqual(["0"]);
		expect(seen.began).toEqual(["0"]);
	});

	it("is answered by a policy that answers its new form, and does not run", async () => {
		const seen = new StandingTools();
		const policy: Policy = {
			name: "answers",
			admit: (_call, view) => (effectOf(view) === "write" ? { answer: { ok: true, value: "kept" } } : "clear"),
		};
		const middleware = [rewriting({ 0: { effect: "write" } })];
		const { engine } = benchOf({ tools: seen.tools, policies: [policy], middleware });
		expect(shorts(await engine.executeWave(standingCalls({})))).toEqual(['"kept"']);
		expect(seen.began).toEqual([]);
	});

	it("CF1: is parsed once and judged once a form, however often a form comes back", async () => {
		let parsed = 0;
		const parameters = z.object({ n: z.number() }).transform((args) => {
			parsed += 1;
			return args;
		});
		const fails = tool({ name: "fails", parameters, effect: "read", execute: () => Promise.reject(new Error("no")) });
		let asked = 0;
		const policy: Policy = {
			name: "counts",
			admit: () => {
				asked += 1;
				return "clear";
			},
		};
		const often = middlewareOf(async ({ name }, next) => {
			for (const n of [1, 2, 2, 1]) await next({ name, args: { n } });
			return next({ name, args: ' {"n":2} ' });
		});
		const { engine } = benchOf({ tools: [fails], policies: [policy], middleware: [often] });
		expect(shorts(await engine.executeWave([{ id: "a", name: "fails", args: '{"n": 1}' }]))).toEqual(["TOOL_FAILED"]);
		expect([parsed, asked]).toEqual([2, 2]);
	});

	it("is told to policies at accounting in the form that ran last", async () => {
		const seen = new StandingTools();
		const { policy, seen: told } = keeping();
		const middleware = [rewriting({ 0: { effect: "write" } })];
		const { engine } = benchOf({ tools: seen.tools, policies: [policy], middleware });
		await engine.executeWave(standingCalls({}, {}));
		expect(told).toEqual([
			"admit 0 read",
			"admit 1 read",
			"admit 0 write rewritten",
			'account 0 write rewritten of {"n":0,"effect":"write"}',
			'account 1 read of {"n":1}',
		]);
	});

	it("is told to policies as the write that it was, though it was only looked at afterwards", async () => {
		const seen = new StandingTools();
		const { policy, seen: told } = keeping();
		const looks = middlewareOf(async ({ name, args }, next) => {
			await next({ name, args: { ...args, effect: "write", fails: 1 } });
			return next();
		});
		const { engine, ledger } = benchOf({ tools: seen.tools, policies: [policy], middleware: [looks] });
		expect(shorts(await engine.executeWave(standingCalls({})))).toEqual(["0"]);
		expect(told.at(-1)).toBe('account 0 write rewritten of {"n":0,"effect":"write","fails":1}');
		expect((await entriesOf(ledger)).at(-1)?.data.ranAs).toMatchObject({ effect: "write" });
	});

	it("CF2: is judged when every call before it is accounted, so that policies have learned the same at any time", async () => {
		const held = new HeldWork();
		const tools = new StandingTools(held.hold);
		const { policy, seen } = keeping();
		const middleware = [rewriting({ 1: { n: 7 } })];
		const { engine } = benchOf({ tools: tools.tools, policies: [policy], middleware });
		const wave = engine.executeWave(standingCalls({}, {}, {}));
		await settled();
		held.release("do 2");
		await settled();
		expect(seen.slice(3)).toEqual([]);
		held.release("do 0");
		await settled();
		expect(seen.slice(3)).toEqual(['account 0 read of {"n":0}', "admit 1 read rewritten"]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0", "7", "2"]);
	});

	it("is judged at once by policies that judge a form by itself, so rewritten reads still run together", async () => {
		const held = new HeldWork();
		const tools = new StandingTools(held.hold);
		const { policy } = keeping(undefined, { judgesFormAlone: true });
		const policies = [doors(), budget({ run: { calls: 3 } }), memo(), policy];
		const middleware = [rewriting({ 0: { n: 5 }, 1: { n: 6 }, 2: { n: 7 } })];
		const { engine } = benchOf({ tools: tools.tools, policies, middleware });
		const wave = engine.executeWave(standingCalls({}, {}, {}));
		await settled();
		expect(held.waiting).toEqual(["do 5", "do 6", "do 7"]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["5", "6", "7"]);
	});

	it("is one call to a budget and counts as what it was asked for in a memory", async () => {
		const seen = new StandingTools();
		const policies = [budget({ run: { calls: 2 } }), memo()];
		const middleware = [rewriting({ 0: { fails: 0 } })];
		const { engine } = benchOf({ tools: seen.tools, policies, middleware });
		const run = { runId: "run" };
		expect(shorts(await engine.executeWave(standingCalls({}), { ...run, step: 0 }))).toEqual(["0"]);
		expect(shorts(await engine.executeWave(standingCalls({}), { ...run, step: 1 }))).toEqual(["0"]);
		expect(seen.began).toEqual(["0"]);
	});

	it("takes the keys of its new arguments", async () => {
		const held = new HeldWork();
		const tools = new StandingTools(held.hold);
		const locks = new KeyedLock();
		const middleware = [rewriting({ 0: { keys: ["new"] } })];
		const { engine } = benchOf({ tools: tools.tools, middleware, locks });
		const wave = engine.executeWave(standingCalls({ name: "keyed", keys: ["old"] }));
		await settled();
		expect([locks.isFree(["old"]), locks.isFree(["new"])]).toEqual([true, false]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["0"]);
	});

	it("that it made a write has its intent durable before it acts", async () => {
		const seen = new StandingTools();
		const middleware = [rewriting({ 0: { effect: "write" } })];
		const { engine, ledger } = benchOf({ tools: seen.tools, middleware });
		await engine.executeWave(standingCalls({}));
		const intents = [];
		for await (const { data } of ledger.intents()) intents.push(data.index);
		expect(intents).toEqual([0]);
	});

	it("that it made a write is unknown, and not aborted, when the run is aborted while it runs", async () => {
		const held = new HeldWork();
		const tools = new StandingTools(held.hold);
		const host = new AbortController();
		const middleware = [rewriting({ 1: { effect: "write", safe: true } })];
		const { engine } = benchOf({ tools: tools.tools, middleware });
		const wave = engine.executeWave(standingCalls({}, {}), { signal: host.signal });
		await settled();
		host.abort();
		expect(shorts(await wave)).toEqual(["ABORTED", "OUTCOME_UNKNOWN"]);
		held.releaseAll();
	});
});
