// An executor of the host's own: what the engine makes of one that keeps its promises, and of one that breaks each.

import { describe, expect, it } from "vitest";
import { failed, type Outcome } from "../../engine/core/outcome.js";
import type { Execution, Executor, Job, ThreadRef } from "../../engine/index.js";
import { createEngine, onThread } from "../../engine/index.js";
import { benchOf, callsOf, entriesOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const ELSEWHERE = onThread("file:///elsewhere/tools.js", "run");

function remote(name: string, fields: Parameters<typeof toolOf>[2] = {}) {
	return toolOf(name, ELSEWHERE as never, fields);
}

/** An executor that starts every job as it is told. */
function executorOf(start: (job: Job<ThreadRef>) => Execution, close = async () => ({ abandoned: 0 })) {
	return { start, close } satisfies Executor<ThreadRef>;
}

const stop = (): void => undefined;
const value = (of: Job): Outcome => ({ ok: true, value: of.args as never });

function tools() {
	return [remote("far"), remote("put", { effect: "write" })];
}

describe("an engine with an executor of the host's own", () => {
	it("hands it what is placed with onThread, its module unseen, and starts no thread", async () => {
		const jobs: Job<ThreadRef>[] = [];
		const executor = executorOf((job) => {
			jobs.push(job);
			job.hooks.onBegan();
			return { ended: value(job), stop };
		});
		const { engine, events } = benchOf({ tools: [...tools(), toolOf("near", () => "near")], executor });
		expect(shorts(await engine.executeWave(callsOf("far 1", "near 2")))).toEqual(['{"n":1}', '"near"']);
		expect(jobs.map(({ work, args, read, ahead }) => ({ work, args, read, ahead }))).toEqual([
			{ work: ELSEWHERE, args: { n: 1 }, read: true, ahead: false },
		]);
		expect(events.filter(({ kind }) => kind.startsWith("thread_"))).toEqual([]);
	});

	it("counts a call's time from the beginning that the executor tells, and asks it to stop at the limit", async () => {
		const stops: number[] = [];
		let begin = (): void => undefined;
		let end: (outcome: Outcome) => void = () => undefined;
		const executor = executorOf((job) => {
			begin = () => job.hooks.onBegan();
			return { ended: new Promise((resolve) => (end = resolve)), stop: (graceMs) => void stops.push(graceMs) };
		});
		const { engine, clock } = benchOf({ tools: tools(), executor, timeouts: { toolMs: 100, graceMs: 7 } });
		const wave = engine.executeWave(callsOf("put 1"));
		await settled();
		await clock.pass(1_000);
		expect(stops).toEqual([]);
		begin();
		await clock.pass(100);
		expect(stops).toEqual([7]);
		expect((await wave).results[0]?.outcome).toMatchObject({
			error: { code: "OUTCOME_UNKNOWN", details: { reason: "TIMED_OUT", ranMs: 100 } },
		});
		end(failed("WORKER_LOST", { message: "it was ended" }));
	});

	it.each<[string, (job: Job<ThreadRef>) => Execution]>([
		[
			"throws",
			() => {
				throw new Error("no room");
			},
		],
		["rejects", () => ({ ended: Promise.reject(new Error("no room")), stop })],
		["answers what is no outcome", () => ({ ended: Promise.resolve("no room" as never), stop })],
		["answers it at once", () => ({ ended: { ok: "no room" } as never, stop })],
		["gives nothing", () => undefined as never],
	])("HE1: loses the one call where it %s: a read as lost, a write as unknown", async (_how, start) => {
		const { engine } = benchOf({ tools: [...tools(), toolOf("near", () => "near")], executor: executorOf(start) });
		const wave = await engine.executeWave(callsOf("far 1", "near 2", "put 3"));
		expect(shorts(wave)).toEqual(["WORKER_LOST", '"near"', "OUTCOME_UNKNOWN"]);
		expect(wave.results[0]?.outcome).toMatchObject({
			error: { message: expect.stringContaining("The host's executor failed") },
		});
	});

	it("HE2: takes a value for a beginning that was not told, and a second beginning for none", async () => {
		const executor = executorOf((job) => {
			if (job.args !== undefined && (job.args as { n: number }).n === 1) return { ended: value(job), stop };
			job.hooks.onBegan(3);
			job.hooks.onBegan(4);
			return { ended: Promise.resolve(value(job)), stop };
		});
		const { engine, events, ledger } = benchOf({ tools: tools(), executor });
		expect(shorts(await engine.executeWave(callsOf("far 1", "far 2")))).toEqual(['{"n":1}', '{"n":2}']);
		expect(events.filter(({ kind }) => kind === "call_began")).toHaveLength(2);
		expect((await entriesOf(ledger)).filter(({ kind }) => kind === "tool_result")).toHaveLength(2);
	});

	it("hears of a stop and a close that throw as events, and counts what still runs by itself", async () => {
		const broken = (): never => {
			throw new Error("gone");
		};
		const executor = executorOf((job) => {
			job.hooks.onBegan();
			return { ended: new Promise(() => undefined), stop: broken };
		}, broken);
		const { engine, events } = benchOf({ tools: tools(), executor });
		const wave = engine.executeWave(callsOf("far 1"));
		await settled();
		expect(await engine.close()).toEqual({ abandoned: 1 });
		expect(shorts(await wave)).toEqual(["ABORTED"]);
		const strays = events.filter(({ kind }) => kind === "stray_error");
		expect(strays).toHaveLength(2);
		expect(strays[0]).toMatchObject({ message: "The host's executor failed: gone" });
	});

	it("is refused beside options of threads, and where it is none", () => {
		const executor = executorOf((job) => ({ ended: value(job), stop }));
		expect(() => createEngine({ tools: [], executor, threads: { max: 1 } })).toThrow(
			"threads is given beside an executor",
		);
		expect(() => createEngine({ tools: [], executor: {} as never })).toThrow("executor is {}, which has no start()");
	});
});
