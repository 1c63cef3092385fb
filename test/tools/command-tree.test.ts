// A command's tree
//
// That nothing of a command is left: its own process, its children and theirs, timers and listeners. Each process holds a
// connection that closes with it, so an end is an event.

import { getEventListeners } from "node:events";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMMAND_DRAIN_MS, COMMAND_GRACE_MS, COMMAND_MS_MAX } from "../../engine/core/tool-limits.js";
import { createEngine } from "../../engine/index.js";
import { runCommandTool } from "../../engine/tools/run-command.js";
import { commandIn } from "../support/command-in.js";
import { type Lifelines, lifelines } from "../support/lifelines.js";
import { ManualClock } from "../support/manual-clock.js";
import { quietContext } from "../support/quiet-context.js";
import { scratchFolder } from "../support/scratch-folder.js";

function started(lines: Lifelines, names: readonly string[], timeoutMs = 1_000) {
	const clock = new ManualClock();
	const controller = new AbortController();
	onTestFinished(() => controller.abort());
	const context = quietContext({ signal: controller.signal });
	const args = { command: process.execPath, args: lines.chain(...names), timeoutMs };
	const answer = commandIn(scratchFolder(), args, { context, clock });
	answer.catch(() => undefined);
	return { clock, controller, answer };
}

describe("a command at its limit", () => {
	it("CP1: ends with its child and its grandchild, and leaves no timer and no listener", async () => {
		const exitListeners = process.listenerCount("exit");
		const lines = await lifelines();
		const { clock, controller, answer } = started(lines, ["command", "child", "grandchild"]);
		await lines.until("child", "command", "grandchild");
		await clock.pass(999);
		expect(lines.alive).toEqual(["child", "command", "grandchild"]);
		await clock.pass(1);
		await lines.until();
		expect(await answer).toMatchObject({ exitCode: null, signal: "SIGTERM", timedOut: true });
		expect((await answer).remark).toContain("still running after 1000 ms and was ended with all it had started");
		expect(clock.timersSet).toBe(0);
		expect(getEventListeners(controller.signal, "abort")).toEqual([]);
		expect(process.listenerCount("exit")).toBe(exitListeners);
	});

	it("is killed with all of it when it does not end within the grace", async () => {
		const lines = await lifelines();
		const { clock, answer } = started(lines, ["stubborn", "stubborn child", "stubborn grandchild"]);
		await lines.until("stubborn", "stubborn child", "stubborn grandchild");
		await clock.pass(1_000 + COMMAND_GRACE_MS - 1);
		expect(lines.alive).toHaveLength(3);
		await clock.pass(1);
		await lines.until();
		expect(await answer).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: true });
	});

	it("takes a stubborn child with it once its own process has gone, before the grace is over", async () => {
		const lines = await lifelines();
		const { clock, answer } = started(lines, ["command", "stubborn child"]);
		await lines.until("command", "stubborn child");
		await clock.pass(1_000);
		await lines.until();
		expect(await answer).toMatchObject({ signal: "SIGTERM", timedOut: true });
	});

	it.runIf(process.platform === "linux")("takes with it a child that leads a group of its own", async () => {
		const lines = await lifelines();
		const { clock, answer } = started(lines, ["command", "apart", "grandchild"]);
		await lines.until("apart", "command", "grandchild");
		await clock.pass(1_000);
		await lines.until();
		expect(await answer).toMatchObject({ timedOut: true });
	});
});

describe("a command that is cancelled", () => {
	it("ends with its child and its grandchild, and rejects with the reason", async () => {
		const lines = await lifelines();
		const { controller, answer, clock } = started(lines, ["command", "child", "grandchild"]);
		await lines.until("child", "command", "grandchild");
		controller.abort(new Error("enough"));
		await lines.until();
		await expect(answer).rejects.toThrow("enough");
		expect(clock.timersSet).toBe(0);
	});

	it("does not start when that was so before", async () => {
		const context = quietContext({ signal: AbortSignal.abort(new Error("enough")) });
		await expect(commandIn(scratchFolder(), { command: "no-such-program" }, { context })).rejects.toThrow("enough");
	});
});

describe("a command in a wave", () => {
	function waveOf(lines: Lifelines) {
		const clock = new ManualClock();
		const command = { ...runCommandTool(scratchFolder()), timeout: 1_000 };
		const engine = createEngine({ tools: [command], clock });
		onTestFinished(() => engine.close().then(() => undefined));
		const controller = new AbortController();
		const args = { command: process.execPath, args: lines.chain("command", "child", "grandchild") };
		const { signal } = controller;
		const wave = engine.executeWave([{ id: "", name: "run_command", args }], { signal });
		return { clock, controller, wave };
	}

	it("is answered as unknown at the tool's limit, and its tree is gone", async () => {
		const lines = await lifelines();
		const { clock, wave } = waveOf(lines);
		await lines.until("child", "command", "grandchild");
		await clock.pass(1_000);
		const error = { code: "OUTCOME_UNKNOWN", details: { reason: "TIMED_OUT", limitMs: 1_000 } };
		expect((await wave).results[0]?.outcome).toMatchObject({ ok: false, error });
		await lines.until();
	});

	it("is answered as unknown when the run is aborted, and its tree is gone", async () => {
		const lines = await lifelines();
		const { controller, wave } = waveOf(lines);
		await lines.until("child", "command", "grandchild");
		controller.abort(new Error("enough"));
		const error = { code: "OUTCOME_UNKNOWN", details: { reason: "ABORTED" } };
		expect((await wave).results[0]?.outcome).toMatchObject({ ok: false, error });
		await lines.until();
	});
});

describe("a command that exits", () => {
	it("leaves nothing in the background, and says that it would have", async () => {
		const lines = await lifelines();
		const { answer } = started(lines, ["command", "stubborn child"]);
		await lines.until("command", "stubborn child");
		lines.exit("command");
		await lines.until();
		expect(await answer).toMatchObject({
			exitCode: 0,
			timedOut: false,
			remark: "what it had left running in the background was ended",
		});
	});

	it("is answered although a process that left its group still holds the output, and says so", async () => {
		const lines = await lifelines();
		const { clock, answer } = started(lines, ["command", "apart"], COMMAND_MS_MAX);
		await lines.until("apart", "command");
		lines.exit("command");
		await lines.until("apart");
		let answered = false;
		void answer.then(() => {
			answered = true;
		});
		// The wait for the output begins when the host is told of the exit, which may be after the lifeline has gone.
		while (!answered) await clock.pass(COMMAND_DRAIN_MS);
		expect((await answer).remark).toContain("a process that it had started apart still holds its output open");
		lines.exit("apart");
		await lines.until();
	});
});
