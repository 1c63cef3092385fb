// Middleware around calls that ask a person: the question passes through it, what it makes of a call is asked about anew,
// and nobody waits inside a wave for a call that waits for a person.

import { describe, expect, it } from "vitest";
import {
	definePolicy,
	isPause,
	type Ledger,
	memoryLedger,
	type NextCall,
	type Outcome,
	type WrappedCall,
} from "../../engine/index.js";
import { benchOf, callsOf, canonicalOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { middlewareOf, rewriting } from "../support/middleware-kit.js";
import { asking, gatedTools, idsOf, lasting, reloaded, resumedIn } from "../support/pause-kit.js";

const madeUp: Outcome = { ok: true, value: "made up" };

/** What a middleware may do with a `next` that rejects. */
const HANDLINGS: Readonly<Record<string, (call: WrappedCall, next: NextCall) => Promise<Outcome>>> = {
	"lets it pass": (_call, next) => next(),
	"wraps it": async (_call, next) => {
		try {
			return await next();
		} catch (cause) {
			throw new Error("the call failed", { cause });
		}
	},
	"swallows it": async (_call, next) => next().catch(() => madeUp),
	"tries again": async (_call, next) => next().catch(() => next()),
};

describe("a call that asks a person inside middleware", () => {
	for (const [how, wrapToolCall] of Object.entries(HANDLINGS)) {
		it(`WG3: does not settle where the middleware ${how}, and goes on with the answer`, async () => {
			const { tool, runs } = asking("ask", 1);
			const outer = middlewareOf((_call, next) => next(), { name: "outer" });
			const { engine } = benchOf({ tools: [tool], middleware: [outer, middlewareOf(wrapToolCall)] });
			const wave = await engine.executeWave(callsOf("ask 7"), { runId: "r" });
			expect(idsOf(wave)).toEqual(["r/0/0/1"]);
			// AT4: however often it was tried.
			expect(runs).toEqual(["ask 7"]);
			const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/1": "yes" } });
			expect(shorts(rest)).toEqual(['["yes"]']);
		});
	}

	it("AT4: is told to every layer as a pause, and nothing of the call begins any more", async () => {
		const { tool, runs } = asking("ask", 1);
		const seen: boolean[] = [];
		const layer = (name: string) =>
			middlewareOf(
				async (_call, next) => {
					const outcome = await next().catch((error: unknown) => {
						seen.push(isPause(error));
						return madeUp;
					});
					await next().catch(() => undefined);
					return outcome;
				},
				{ name },
			);
		const { engine } = benchOf({ tools: [tool], middleware: [layer("outer"), layer("inner")] });
		expect((await engine.executeWave(callsOf("ask 1"))).status).toBe("paused");
		// The inner layer, the outer one, and the inner one again.
		expect(seen).toEqual([true, true, true]);
		expect(runs).toEqual(["ask 1"]);
	});

	it("is answered where the host asks meanwhile, with the lines of a wave that was never interrupted", async () => {
		const middleware = [rewriting({ 0: { n: 5 } })];
		const paused = memoryLedger();
		const ask = (): ReturnType<typeof asking>["tool"] => asking("ask", 2).tool;
		const calls = callsOf("ask 1", "echo 2");
		const echo = toolOf("echo", ({ n = 0 }) => n);
		const options = { tools: [ask(), echo], middleware, ledger: lasting(paused) };
		let wave = await benchOf(options).engine.executeWave(calls, { runId: "r" });
		while (wave.status === "paused") {
			const answers = { [idsOf(wave)[0] ?? ""]: "A" };
			wave = (await resumedIn(options, wave, { answers })).wave;
		}
		const unbroken = benchOf({ tools: [ask(), echo], middleware, asker: () => "A" });
		const whole = await unbroken.engine.executeWave(calls, { runId: "r" });
		expect(shorts(wave)).toEqual(['["A","A"]', "2"]);
		expect(shorts(whole)).toEqual(shorts(wave));
		// What a pause writes is outside the canonical bytes.
		const linesOf = async (ledger: Ledger) => (await canonicalOf(ledger)).filter((line) => line !== "");
		expect(await linesOf(paused)).toEqual(await linesOf(unbroken.ledger));
	});

	it("that had changed something in an earlier attempt is not run again for a question", async () => {
		const did: string[] = [];
		const act = toolOf(
			"act",
			async ({ n = 0 }, { interrupt }) => {
				did.push(`act ${n}`);
				return n === 2 ? interrupt("sure?") : n;
			},
			{ effect: (args: unknown) => ((args as { n: number }).n === 2 ? "read" : "write"), mayAsk: true },
		);
		const looks = middlewareOf(async ({ name, args }, next) => {
			await next();
			return next({ name, args: { ...args, n: 2 } });
		});
		const { engine } = benchOf({ tools: [act], middleware: [looks] });
		const wave = await engine.executeWave(callsOf("act 1"));
		expect(shorts(wave)).toEqual(["NOT_ANSWERED"]);
		expect(did).toEqual(["act 1", "act 2"]);
	});
});

describe("an approval of a call that middleware rewrites", () => {
	it("AP1: does not cover the new arguments, which are asked about by themselves", async () => {
		const { did, tools } = gatedTools();
		const { engine } = benchOf({ tools, middleware: [rewriting({ 0: { n: 9 } })] });
		const wave = await engine.executeWave(callsOf("send 1"), { runId: "r" });
		expect(wave.questions).toMatchObject([{ id: "r/0/0/0", question: { args: { n: 1 } } }]);
		const second = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/0": true } });
		expect(second.questions).toMatchObject([{ question: { kind: "approval", args: { n: 9 } } }]);
		expect(did).toEqual([]);
		const [id = ""] = idsOf(second);
		expect(id).toMatch(/^r\/0\/0\/0-[0-9a-f]{16}$/);
		const third = await engine.resume(reloaded(second.checkpoint), { answers: { [id]: true } });
		expect(shorts(third)).toEqual(["9"]);
		expect(did).toEqual(["send 9"]);
	});

	it("AP1: is needed too where only the new arguments want one, and a refusal stands", async () => {
		const { did, tools } = gatedTools();
		const { engine } = benchOf({ tools, middleware: [rewriting({ 0: { n: 9 } })], asker: () => false });
		expect(shorts(await engine.executeWave(callsOf("send 95")))).toEqual(["DECLINED"]);
		expect(did).toEqual([]);
	});

	it("is a refusal where nobody can be asked, and asks no more once an always covers its rule", async () => {
		const { did, tools } = gatedTools();
		const middleware = [rewriting({ 0: { n: 9 } })];
		const alone = benchOf({ tools, middleware, asker: "none" });
		expect(shorts(await alone.engine.executeWave(callsOf("send 95")))).toEqual(["DENIED"]);
		const asked: unknown[] = [];
		const asker = (question: unknown) => {
			asked.push(question);
			return { approve: true, always: true };
		};
		const { engine } = benchOf({ tools, middleware, asker });
		expect(shorts(await engine.executeWave(callsOf("send 1")))).toEqual(["9"]);
		expect([asked.length, did]).toEqual([1, ["send 9"]]);
	});
});

describe("a call that waits for calls before it", () => {
	const began: string[] = [];
	const standing = toolOf(
		"standing",
		({ n = 0 }) => {
			began.push(`standing ${n}`);
			return n;
		},
		{ isConcurrencySafe: (args: unknown) => (args as { alone?: boolean }).alone !== true },
	);

	it("HU1: does not wait for one that asks: it begins anew after the answer, and those behind it after it", async () => {
		began.length = 0;
		const { tool } = asking("ask", 1);
		const middleware = [rewriting({ 1: { alone: true } })];
		const { engine } = benchOf({ tools: [tool, standing], middleware });
		const wave = await engine.executeWave(callsOf("ask 0", "standing 1", "standing 2"), { runId: "r" });
		expect(wave.status).toBe("paused");
		expect(began).toEqual([]);
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/0/1": 1 } });
		expect(shorts(rest)).toEqual(["[1]", "1", "2"]);
		expect(began).toEqual(["standing 1", "standing 2"]);
	});

	it("HU1: nor does one whose new form policies must judge in call order, also where accounting is held", async () => {
		const inOrder = definePolicy({ name: "in order", admit: () => "clear" });
		const { did, tools } = gatedTools();
		const middleware = [rewriting({ 0: { n: 5 }, 1: { n: 6 } })];
		const { engine } = benchOf({ tools: [...tools, standing], policies: [inOrder], middleware });
		const wave = await engine.executeWave(callsOf("standing 0", "plain 1", "send 2"), { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/2/0"]);
		const rest = await engine.resume(reloaded(wave.checkpoint), { answers: { "r/0/2/0": true } });
		expect(shorts(rest)).toEqual(["5", "6", "2"]);
		expect(did).toEqual(["plain 6", "send 2"]);
	});

	it("HU1: while the host asks a person inside the wave, the order is that of a serial run", async () => {
		began.length = 0;
		const { tool } = asking("ask", 1);
		const middleware = [rewriting({ 1: { alone: true } })];
		const { engine } = benchOf({ tools: [tool, standing], middleware, asker: () => "A" });
		const wave = await engine.executeWave(callsOf("standing 0", "standing 1", "ask 2", "standing 3"));
		expect(shorts(wave)).toEqual(["0", "1", '["A"]', "3"]);
		expect(began).toEqual(["standing 0", "standing 1", "standing 3"]);
	});
});

describe("a sibling that ran in another form and settled before the pause", () => {
	it("is accounted as that form after it, in another process, by policies that were not there", async () => {
		const told: string[] = [];
		const witness = () =>
			definePolicy({
				name: "witness",
				admit: (call, { rewritten }) => {
					told.push(`admit ${JSON.stringify(call.args)}${rewritten === true ? " rewritten" : ""}`);
					return "clear";
				},
				account: (call, _outcome, { rewritten }) => {
					told.push(`account ${JSON.stringify(call.args)}${rewritten === true ? " rewritten" : ""}`);
				},
			});
		const { tool } = asking("ask", 1);
		const ledger = memoryLedger();
		const plain = toolOf("plain", ({ n = 0 }) => n);
		const options = { tools: [tool, plain], middleware: [rewriting({ 1: { n: 8 } })], ledger: lasting(ledger) };
		const wave = await benchOf(options).engine.executeWave(callsOf("ask 0", "plain 1"), { runId: "r" });
		expect(shorts(wave)).toEqual(["8"]);
		const { wave: rest } = await resumedIn({ ...options, policies: [witness()] }, wave, { answers: { "r/0/0/1": 1 } });
		expect(shorts(rest)).toEqual(["[1]", "8"]);
		expect(told).toContain('account {"n":8} rewritten');
		const results = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_result");
		expect(results.map(({ data }) => data.ranAs)).toEqual([undefined, { args: { n: 8 }, effect: "read" }]);
	});
});
