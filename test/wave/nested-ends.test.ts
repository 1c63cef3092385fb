// Calls that a call makes and does not wait for: they end before it settles, however it ends, and have their lines.

import { describe, expect, it } from "vitest";
import type { Outcome } from "../../engine/core/outcome.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { type EngineOptions, KeyedLock } from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { benchOf, callsOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";
import { middlewareOf } from "../support/middleware-kit.js";

const WRITE = { effect: "write" } as const;
const TOOL_MS = 1_000;
const never = (): Promise<unknown> => new Promise(() => undefined);

const STANDS: readonly (readonly [string, () => unknown])[] = [
	["has returned", () => "left"],
	["still runs", never],
];

/** A bench with the held call `inner n` and the call `outer`, which makes two of them and waits for neither. */
function leavingBench(after: (context: ToolContext) => unknown, options: Partial<EngineOptions> = {}) {
	const held = new HeldWork();
	const entered: string[] = [];
	const inner = toolOf(
		"inner",
		async ({ n = 0 }) => {
			entered.push(`inner ${n}`);
			await held.hold(`inner ${n}`);
			return n;
		},
		WRITE,
	);
	const leave = (context: ToolContext): unknown => {
		for (const n of [1, 2]) void context.invokeTool("inner", { n });
		return after(context);
	};
	const outer = toolOf("outer", (_args, context) => leave(context), WRITE);
	const keyed = toolOf("keyed", () => "ran", { ...WRITE, lockKeys: (_args, context) => leave(context) as never });
	const bench = benchOf({ tools: [inner, outer, keyed], timeouts: { toolMs: TOOL_MS }, ...options });
	return { ...bench, held, entered };
}

/** The lines of calls, each as its kind, the path of its call and, for a result, what it says. */
async function pathsOf(ledger: Parameters<typeof entriesOf>[0]): Promise<string[]> {
	let path = "";
	const open: string[] = [];
	return (await entriesOf(ledger)).flatMap(({ kind, data }) => {
		if (kind === "tool_called") {
			path = (data.lineage as number[]).join(".");
			open.push(path);
			return [`called ${path}`];
		}
		if (kind !== "tool_result") return [];
		const outcome = data.outcome as { readonly ok: boolean; readonly error?: { readonly code: string } };
		return [`${outcome.ok ? "ok" : outcome.error?.code} ${open.pop()}`];
	});
}

const wrapped = (first: string, second: string, own: string): string[] => {
	const children = ["called 0.0", `${first} 0.0`, "called 0.1", `${second} 0.1`];
	return ["called 0", ...children, `${own} 0`];
};

describe("calls that a call makes and does not wait for", () => {
	it("C3: run to their end before it settles, and keep what it holds until then", async () => {
		const locks = new KeyedLock();
		const { engine, held, ledger } = leavingBench(
			async ({ lock }) => {
				await lock(["kept"]);
				return "left";
			},
			{ locks },
		);
		const wave = engine.executeWave(callsOf("outer"));
		await settled();
		expect([held.waiting, locks.size]).toEqual([["inner 1", "inner 2"], 1]);
		held.release("inner 2");
		await settled();
		expect([held.waiting, locks.size]).toEqual([["inner 1"], 1]);
		held.release("inner 1");
		await settled();
		expect(locks.size).toBe(0);
		expect(shorts(await wave)).toEqual(['"left"']);
		expect(await pathsOf(ledger)).toEqual(wrapped("ok", "ok", "ok"));
	});

	it("have their lines where it throws", async () => {
		const { engine, held, ledger } = leavingBench(() => Promise.reject(new Error("no")));
		const wave = engine.executeWave(callsOf("outer"));
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["TOOL_FAILED"]);
		expect(await pathsOf(ledger)).toEqual(wrapped("ok", "ok", "TOOL_FAILED"));
	});

	it.each(STANDS)("are stopped at the time limit of one that %s, and have their lines", async (_stood, after) => {
		const { engine, held, ledger, clock } = leavingBench(after);
		const wave = engine.executeWave(callsOf("outer"));
		await settled();
		held.release("inner 1");
		await clock.pass(TOOL_MS - 1);
		await clock.pass(1);
		expect(shorts(await wave)).toEqual(["OUTCOME_UNKNOWN"]);
		expect(await pathsOf(ledger)).toEqual(wrapped("ok", "OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN"));
	});

	it("are stopped by an abort, and have their lines", async () => {
		// Their accounting takes longer than their stop.
		const policies = [{ name: "slow", account: () => settled() }];
		for (const [, after] of STANDS) {
			const { engine, held, ledger } = leavingBench(after, { policies });
			const host = new AbortController();
			const wave = engine.executeWave(callsOf("outer"), { signal: host.signal });
			await settled();
			held.release("inner 2");
			await settled();
			host.abort();
			expect(shorts(await wave)).toEqual(["OUTCOME_UNKNOWN"]);
			expect(await pathsOf(ledger)).toEqual(wrapped("OUTCOME_UNKNOWN", "ok", "OUTCOME_UNKNOWN"));
		}
	});

	it("are stopped where its middleware answers before it, and have their lines", async () => {
		const hasty = middlewareOf(async ({ name }, next): Promise<Outcome> => {
			const answer = next();
			if (name !== "outer") return answer;
			await settled();
			return { ok: true, value: "hasty" };
		});
		const { engine, ledger } = leavingBench(never, { middleware: [hasty] });
		expect(shorts(await engine.executeWave(callsOf("outer")))).toEqual(['"hasty"']);
		expect(await pathsOf(ledger)).toEqual(wrapped("OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN", "ok"));
	});

	it("have their lines where they were made to tell keys that could not be told", async () => {
		const { engine, held, ledger } = leavingBench(() => {
			throw new Error("unknown");
		});
		const wave = engine.executeWave(callsOf("keyed"));
		await settled();
		held.releaseAll();
		expect(shorts(await wave)).toEqual(["LOCK_KEYS_FAILED"]);
		expect(await pathsOf(ledger)).toEqual(wrapped("ok", "ok", "LOCK_KEYS_FAILED"));
	});

	it("ask a person in its place", async () => {
		const asks = toolOf("asks", (_args, { interrupt }) => interrupt("well?"), { mayAsk: true });
		const outer = toolOf("outer", (_args, { invokeTool }) => void invokeTool("asks", {}), { mayAsk: true });
		const { engine } = benchOf({ tools: [asks, outer] });
		const paused = await engine.executeWave(callsOf("outer"));
		expect([paused.status, paused.questions.length]).toEqual(["paused", 1]);
	});

	it("CC1: cannot be followed by more once its own work has ended, though they run", async () => {
		const refused: string[] = [];
		const { engine, held, entered } = leavingBench(({ invokeTool, lock }) => {
			const late = async (): Promise<void> => {
				await settled();
				for (const ask of [() => invokeTool("inner", { n: 3 }), () => lock(["k"])]) {
					await ask().catch(({ message }: Error) => refused.push(message));
				}
			};
			void late();
			return "left";
		});
		const wave = engine.executeWave(callsOf("outer"));
		await settled(6);
		expect(refused).toEqual([
			"Could not invoke a tool: the call outer has ended.",
			"Could not take keys: the call outer has ended.",
		]);
		held.releaseAll();
		expect(shorts(await wave)).toEqual(['"left"']);
		expect(entered).toEqual(["inner 1", "inner 2"]);
	});
});
