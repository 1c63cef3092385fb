// A running call: its one answer, its limits, and the end of its work.

import { describe, expect, it } from "vitest";
import type { BeginHooks, Beginnable, Execution } from "../../engine/core/invocable.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { CallContext, type CallServices } from "../../engine/execution/call-context.js";
import { type RunLimits, RunningCall } from "../../engine/execution/running-call.js";
import { ManualClock, settled } from "../support/manual-clock.js";

const call = { id: "1", name: "work", args: {} };
const identity = { runId: "run", step: 0, index: 0, callId: "1", name: "work", path: [0] };
const services: CallServices = {
	openIn: undefined,
	lock: () => Promise.reject(new Error("no locks here")),
	invokeTool: () => Promise.reject(new Error("no tools here")),
};
const done: Outcome = { ok: true, value: "done" };

/** Work of an executor that a test begins and ends by hand. */
class ByHand implements Beginnable {
	begun: BeginHooks["onBegan"] = () => undefined;
	end: (outcome: Outcome) => void = () => undefined;
	readonly stops: number[] = [];

	begin(_context: unknown, hooks: BeginHooks): Execution {
		this.begun = (thread) => hooks.onBegan(thread);
		const ended = new Promise<Outcome>((resolve) => {
			this.end = resolve;
		});
		return { ended, stop: (graceMs) => void this.stops.push(graceMs) };
	}

	invoke(): never {
		throw new Error("begin is asked for");
	}
}

function started(limits: Partial<RunLimits> = {}, read = true) {
	const clock = new ManualClock();
	const work = new ByHand();
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
			endedLate: (_identity, outcome) => void heard.push(`ended late ${outcome.ok}`),
		},
	});
	running.onAnswer((outcome) => void heard.push(`answer ${outcome.ok ? "ok" : outcome.error.code}`));
	running.onEnd(() => void heard.push("end"));
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
		expect(heard).toEqual(["began", "answer TIMED_OUT", "ended late true", "end"]);
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
		expect(heard).toEqual(["began", "answer ABORTED", "ended late true", "end"]);
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
		expect(heard).toEqual(["answer ABORTED_BEFORE_DISPATCH", "ended late true", "end"]);
	});

	it.each([
		["TIMED_OUT", (clock: ManualClock) => clock.pass(100)],
		["ABORTED", async (_clock: ManualClock, running: RunningCall) => running.abort(new Error("stop"))],
	])("that may have changed something and is cut short is OUTCOME_UNKNOWN with reason %s", async (reason, cut) => {
		const { clock, work, running } = started({}, false);
		work.begun();
		await cut(clock, running);
		expect(running.answer).toMatchObject({ ok: false, error: { code: "OUTCOME_UNKNOWN", details: { reason } } });
		work.end(done);
	});

	it("that lost its worker is WORKER_LOST for a read and OUTCOME_UNKNOWN for anything else", async () => {
		const lost: Outcome = { ok: false, error: { code: "WORKER_LOST", message: "Gone.", recovery: "Again." } };
		const [read, write] = [started({}, true), started({}, false)];
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
