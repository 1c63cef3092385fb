// A running call: its one answer, its limits, and the end of its work.

import { describe, expect, it } from "vitest";
import { BEGIN, type BeginHooks, type Beginnable, type Execution } from "../../engine/core/invocable.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { CallContext, type CallServices } from "../../engine/execution/call-context.js";
import type { RunLimits } from "../../engine/execution/call-limits.js";
import { ASKED, RunningCall } from "../../engine/execution/running-call.js";
import { ManualClock, settled } from "../support/manual-clock.js";

const call = { id: "1", name: "work", args: {} };
const identity = { runId: "run", step: 0, index: 0, callId: "1", name: "work", path: [0] };
const services: CallServices = {
	openIn: undefined,
	lock: () => Promise.reject(new Error("no locks here")),
	invokeTool: () => Promise.reject(new Error("no tools here")),
	interrupt: () => Promise.reject(new Error("nobody to ask here")),
};
const done: Outcome = { ok: true, value: "done" };

/** Work of an executor that a test begins and ends by hand. */
class ByHand implements Beginnable {
	begun: BeginHooks["onBegan"] = () => undefined;
	end: (outcome: Outcome) => void = () => undefined;
	readonly stops: number[] = [];
	readonly #endsWhenStopped: boolean;

	constructor(endsWhenStopped: boolean) {
		this.#endsWhenStopped = endsWhenStopped;
	}

	[BEGIN](_context: unknown, hooks: BeginHooks): Execution {
		this.begun = (thread) => hooks.onBegan(thread);
		const ended = new Promise<Outcome>((resolve) => {
			this.end = resolve;
		});
		const stop = (graceMs: number): void => void this.stops.push(graceMs);
		return this.#endsWhenStopped ? { ended, stop, endsWhenStopped: true } : { ended, stop };
	}

	invoke(): never {
		throw new Error("begin is asked for");
	}
}

function started(limits: Partial<RunLimits> = {}, { read = true, endsWhenStopped = true } = {}) {
	const clock = new ManualClock();
	const work = new ByHand(endsWhenStopped);
	const heard: string[] = [];
	const context = new CallContext({ identity, read, parent: undefined, services });
	const running = new RunningCall({
		call,
		invocable: work,
		context,
		read,
		limits: { toolMs: 100, idleMs: Number.POSITIVE_INFINITY, graceMs: 7, ...limits },
		clock,
		watch: {
			began: () => void heard.push("began"),
			progressed: () => void heard.push("progressed"),
			overran: (_identity, { limit, limitMs, ranMs }) => void heard.push(`overran ${limit} ${limitMs} with ${ranMs}`),
			endedLate: (_identity, outcome) => void heard.push(`ended late ${outcome.ok}`),
		},
	});
	running.onAnswer((answer) => {
		heard.push(`answer ${answer === ASKED ? ASKED : answer.ok ? "ok" : answer.error.code}`);
	});
	running.onEnd(() => void heard.push("end"));
	running.onRoomFree(() => void heard.push("room"));
	running.start();
	return { clock, work, heard, running, context };
}

describe("a running call", () => {
	it("C1: answers once, whatever comes after the answer", async () => {
		const { clock, work, heard, running } = started();
		work.begun();
		await clock.pass(100);
		running.abort(new Error("stop"));
		work.end(done);
		await settled();
		running.abort(new Error("stop again"));
		expect(heard).toEqual(["began", "answer TIMED_OUT", "ended late true", "end", "room"]);
		expect(clock.timersSet).toBe(0);
	});

	it("C2: counts its limit from the moment the work began, not from the hand-over", async () => {
		const { clock, work, heard, running } = started();
		await clock.pass(5_000);
		work.begun();
		await clock.pass(99);
		expect(heard).toEqual(["began"]);
		await clock.pass(1);
		expect(heard).toEqual(["began", "answer TIMED_OUT"]);
		expect(running.ranMs).toBe(100);
		expect(work.stops).toEqual([7]);
		work.end(done);
	});

	it("C3: is over only once its work has ended, however early it was answered", async () => {
		const { work, heard, running, context } = started();
		work.begun();
		running.abort(new Error("enough"));
		await settled();
		expect(heard).toEqual(["began", "answer ABORTED"]);
		expect(context.cancelled()).toBe(true);
		expect(context.signal.aborted).toBe(true);
		work.end(done);
		await settled();
		expect(heard).toEqual(["began", "answer ABORTED", "ended late true", "end", "room"]);
	});

	it("C4: takes room until its work has ended, if a stop ends it, and no longer than a thread is waited for", async () => {
		const ended = started();
		ended.work.begun();
		ended.running.abort(new Error("enough"));
		expect(ended.running.takesRoom).toBe(true);
		ended.work.end(done);
		await settled();
		expect(ended.heard.slice(1)).toEqual(["answer ABORTED", "ended late true", "end", "room"]);
		expect(ended.clock.timersSet).toBe(0);
		const stuck = started();
		stuck.work.begun();
		stuck.running.abort(new Error("enough"));
		await stuck.clock.pass(5_006);
		expect(stuck.heard.slice(1)).toEqual(["answer ABORTED"]);
		await stuck.clock.pass(1);
		expect(stuck.heard.slice(1)).toEqual(["answer ABORTED", "room"]);
		stuck.work.end(done);
		await settled();
		expect(stuck.heard.slice(3)).toEqual(["ended late true", "end"]);
	});

	it("C4: that nothing can end takes no room once it is answered", async () => {
		const { work, heard, running } = started({}, { endsWhenStopped: false });
		work.begun();
		running.abort(new Error("enough"));
		expect(running.takesRoom).toBe(false);
		expect(heard.slice(1)).toEqual(["answer ABORTED", "room"]);
	});

	it("that answers past its limit keeps its answer, and the measured time is told", async () => {
		const late = started({ toolMs: 100 });
		late.work.begun();
		late.clock.leap(5_600);
		late.work.end(done);
		await settled();
		expect(late.heard).toEqual(["began", "overran toolMs 100 with 5600", "answer ok", "end", "room"]);
		expect(late.running.overran).toMatchObject({ limit: "toolMs", limitMs: 100, ranMs: 5_600 });
		const silent = started({ toolMs: 1_000, idleMs: 100 });
		silent.work.begun();
		await silent.clock.pass(50);
		silent.context.progress("a sign");
		silent.clock.leap(101);
		silent.work.end(done);
		await settled();
		expect(silent.heard.slice(2, 4)).toEqual(["overran idleMs 100 with 101", "answer ok"]);
	});

	it("that its limit cuts short is told to have overrun it only if that came late", async () => {
		for (const [skippedMs, told] of [
			[150, []],
			[151, ["overran toolMs 100 with 151"]],
		] as const) {
			const { clock, work, heard } = started({ toolMs: 100 });
			work.begun();
			clock.leap(skippedMs);
			await clock.pass(0);
			expect(heard).toEqual(["began", ...told, "answer TIMED_OUT"]);
			work.end(done);
		}
	});

	it("restarts the idle limit at each progress report, and never the limit of the whole", async () => {
		const { clock, work, heard, context } = started({ toolMs: 1_000, idleMs: 100 });
		work.begun();
		for (let report = 0; report < 9; report += 1) {
			await clock.pass(99);
			context.progress(report);
		}
		expect(heard.at(-1)).toBe("progressed");
		await clock.pass(100);
		expect(heard.at(-1)).toBe("answer TIMED_OUT");
		work.end(done);
	});

	it("aborted before it began is ABORTED_BEFORE_DISPATCH and never begins", async () => {
		const { work, heard, running } = started();
		running.abort(new Error("stop"));
		work.begun();
		work.end(done);
		await settled();
		expect(heard).toEqual(["answer ABORTED_BEFORE_DISPATCH", "ended late true", "end", "room"]);
	});

	it.each([
		["TIMED_OUT", (clock: ManualClock) => clock.pass(100)],
		["ABORTED", async (_clock: ManualClock, running: RunningCall) => running.abort(new Error("stop"))],
	])("that may have changed something and is cut short is OUTCOME_UNKNOWN with reason %s", async (reason, cut) => {
		const { clock, work, running } = started({}, { read: false });
		work.begun();
		await cut(clock, running);
		expect(running.answer).toMatchObject({ ok: false, error: { code: "OUTCOME_UNKNOWN", details: { reason } } });
		work.end(done);
	});

	it("that lost its worker is WORKER_LOST for a read and OUTCOME_UNKNOWN for anything else", async () => {
		const lost: Outcome = { ok: false, error: { code: "WORKER_LOST", message: "Gone.", recovery: "Again." } };
		const [read, write] = [started({}, { read: true }), started({}, { read: false })];
		for (const { work } of [read, write]) {
			work.begun();
			work.end(lost);
		}
		await settled();
		expect(read.running.answer).toMatchObject({ error: { code: "WORKER_LOST" } });
		expect(write.running.answer).toMatchObject({
			error: { code: "OUTCOME_UNKNOWN", details: { reason: "WORKER_LOST" } },
		});
	});
});
