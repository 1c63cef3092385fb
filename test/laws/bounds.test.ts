// Law 14: nothing waits for ever and nothing grows for ever.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, describe, expect, it } from "vitest";
import { POLICY_MS_MAX } from "../../engine/core/limits.js";
import { tool } from "../../engine/core/tool.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

/** A signal that counts the listeners on it. */
function countedSignal(): { signal: AbortSignal; listeners: () => number; most: () => number } {
	const { signal } = new AbortController();
	let listeners = 0;
	let most = 0;
	const add = signal.addEventListener.bind(signal);
	const remove = signal.removeEventListener.bind(signal);
	const known = new Set<unknown>();
	signal.addEventListener = (type: string, listener: never, options: never) => {
		known.add(listener);
		listeners = known.size;
		most = Math.max(most, listeners);
		add(type, listener, options);
	};
	signal.removeEventListener = (type: string, listener: never, options: never) => {
		known.delete(listener);
		listeners = known.size;
		remove(type, listener, options);
	};
	return { signal, listeners: () => listeners, most: () => most };
}

const never = () => new Promise<never>(() => undefined);

describe("Law 14: nothing waits for ever and nothing grows for ever", () => {
	it("a wave has one abort listener on the host's signal while it runs and none after", async () => {
		const { engine, held } = benchOf({ maxParallelToolCalls: 20 });
		const { signal, listeners, most } = countedSignal();
		const running = engine.executeWave(callsOf(...Array.from({ length: 20 }, (_, n) => `read ${n}`), "write 20"), {
			signal,
		});
		await settled();
		expect(listeners()).toBe(1);
		held.releaseAll();
		await settled();
		held.releaseAll();
		await running;
		expect([most(), listeners()]).toEqual([1, 0]);
	});

	it("a step that was thrown away, or settled, leaves no listener on the host's signal", async () => {
		const { engine, held } = benchOf();
		const thrownAway = countedSignal();
		const step = engine.openStep({ signal: thrownAway.signal });
		for (const call of callsOf("read 0", "read 1")) step.offer(call);
		await settled();
		await step.discard("failed");
		held.releaseAll();
		await settled();
		expect([thrownAway.most(), thrownAway.listeners()]).toEqual([1, 0]);
		const kept = countedSignal();
		const other = engine.openStep({ signal: kept.signal });
		for (const call of callsOf("read 0", "write 1")) other.offer(call);
		const running = other.settle();
		await settled();
		held.releaseAll();
		await settled();
		held.releaseAll();
		await running;
		expect([kept.most(), kept.listeners()]).toEqual([1, 0]);
	});

	it("no timer is left after a wave, however its calls ended", async () => {
		const fails = toolOf("fails", () => Promise.reject(new Error("no")));
		const { engine, clock, held } = benchOf({ tools: [fails], timeouts: { toolMs: 1000, idleMs: 500, totalMs: 5000 } });
		const running = engine.executeWave(callsOf("read 0", "fails", "missing", "read 3", "write 4"));
		await settled();
		expect(clock.timersSet).toBeGreaterThan(0);
		held.release("read 0");
		await clock.pass(500);
		held.release("write 4");
		expect(shorts(await running)).toEqual(["0", "TOOL_FAILED", "UNKNOWN_TOOL", "TIMED_OUT", "4"]);
		held.releaseAll();
		await settled();
		expect(clock.timersSet).toBe(0);
	});

	it("a policy that never decides fails its call at the limit, and the wave goes on", async () => {
		const hangs = {
			name: "hangs",
			admit: (call: { name: string }) => (call.name === "read" ? never() : "clear"),
		} as const;
		const plain = toolOf("plain", ({ n }) => n);
		const { engine, clock } = benchOf({ tools: [plain], policies: [hangs as never] });
		const running = engine.executeWave(callsOf("read 0", "plain 1"));
		await clock.pass(POLICY_MS_MAX);
		expect(shorts(await running)).toEqual(["POLICY_FAILED", "1"]);
	});

	it("a policy that never accounts fails its call at the limit", async () => {
		const plain = toolOf("plain", ({ n }) => n);
		const { engine, clock } = benchOf({ tools: [plain], policies: [{ name: "hangs", account: never }] });
		const running = engine.executeWave(callsOf("plain 0"));
		await clock.pass(POLICY_MS_MAX);
		expect(shorts(await running)).toEqual(["POLICY_FAILED"]);
	});

	it("a schema that never answers refuses its call at the limit", async () => {
		const validate = never;
		const parameters = { "~standard": { version: 1, vendor: "test", validate } } as const;
		const stuck = tool({ name: "stuck", parameters, effect: "read", execute: () => 1 });
		const { engine, clock } = benchOf({ tools: [stuck, toolOf("plain", ({ n }) => n)] });
		const running = engine.executeWave(callsOf("stuck", "plain 1"));
		await clock.pass(POLICY_MS_MAX);
		expect(shorts(await running)).toEqual(["INVALID_ARGUMENTS", "1"]);
	});

	it("a stillGoing that never answers is taken for a cancel at the limit", async () => {
		const { engine, clock, entered } = benchOf();
		const running = engine.executeWave(callsOf("read 0", "write 1"), { stillGoing: never });
		await clock.pass(POLICY_MS_MAX);
		expect(shorts(await running)).toEqual(["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
		expect(entered).toEqual([]);
	});

	it("an abort ends a wave whose policy hangs", async () => {
		const { engine } = benchOf({ policies: [{ name: "hangs", admit: never }] });
		const host = new AbortController();
		const running = engine.executeWave(callsOf("read 0", "write 1"), { signal: host.signal });
		await settled();
		host.abort();
		expect(shorts(await running)).toEqual(["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]);
	});

	it("an abort ends a wave whose tool ignores its signal and never settles", async () => {
		const deaf = toolOf("deaf", never);
		const { engine } = benchOf({ tools: [deaf] });
		const host = new AbortController();
		const running = engine.executeWave(callsOf("deaf", "read 1"), { signal: host.signal });
		await settled();
		host.abort();
		expect(shorts(await running)).toEqual(["ABORTED", "ABORTED"]);
	});

	it("an abort ends a wave in which calls wait for a slot, and others for those", async () => {
		const { engine } = benchOf({ schedule: "leading-reads", maxParallelToolCalls: 1 });
		const host = new AbortController();
		const running = engine.executeWave(callsOf("read 0", "read 1", "note 2", "read 3"), { signal: host.signal });
		await settled();
		host.abort();
		const before = "ABORTED_BEFORE_DISPATCH";
		expect(shorts(await running)).toEqual(["ABORTED", before, before, before]);
	});
});

describe("Law 14: threads", () => {
	const started: unknown[] = [];
	const note = (message: unknown): void => void started.push(message);

	afterEach(() => {
		unsubscribe("worker_threads", note);
		started.length = 0;
	});

	it("a wave of one cheap inline read starts no thread", async () => {
		subscribe("worker_threads", note);
		const plain = toolOf("plain", ({ n }) => n);
		const { engine, events } = benchOf({ tools: [plain] });
		expect(shorts(await engine.executeWave(callsOf("plain 1")))).toEqual(["1"]);
		await engine.close();
		expect(started).toEqual([]);
		expect(events.filter(({ kind }) => kind === "thread_started")).toEqual([]);
	});
});
