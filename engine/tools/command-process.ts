// Command process
//
// One command from its start until nothing of it runs any more.
//
//   started ──exits──▶ the rest of its group is killed ──output read──▶ over
//      └─ limit or cancel ─▶ asked to end ──grace──▶ killed ─┘
//
// A command that has ended leaves nothing behind: what it put into the background would hold its output open, run beside
// calls that a barrier should keep apart from it, and outlive the host.
//
// Owns:      that sequence, and its bounds.
// Does not:  say what a command may be (run-command.ts) or find what belongs to it (process-tree.ts).
//
// Invariants:
//   CP1. Nothing is left of a command that is over: no process of its group, timer, listener or open pipe.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "../core/clock.js";
import { COMMAND_DRAIN_MS, COMMAND_DRAIN_TURNS, COMMAND_GRACE_MS } from "../core/tool-limits.js";
import { KeptOutput } from "./kept-output.js";
import { ProcessTree } from "./process-tree.js";

export interface Command {
	readonly file: string;
	readonly args: readonly string[];
	/** `file` is a line for the system's shell; there are no `args` then. */
	readonly shell: boolean;
	readonly folder: string;
}

export interface CommandBounds {
	readonly clock: Clock;
	/** Longest it may run, from its start. */
	readonly limitMs: number;
	readonly signal: AbortSignal;
	/** Told of everything that arrived so far. */
	readonly onOutput: (bytes: number) => void;
}

export interface CommandEnd {
	/** What ended it: its own exit, the limit, the signal. */
	readonly why: "exit" | "limit" | "cancelled";
	/** One of the two, as the system tells; neither of a process that could not be ended. */
	readonly exitCode: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: KeptOutput;
	readonly stderr: KeptOutput;
	/** Something it had started still ran when its own process exited, and was killed. */
	readonly leftBehind: boolean;
	/** Whether both outputs were read to their ends; otherwise something outside the group still holds one open. */
	readonly outputEnded: boolean;
}

type Exit = Pick<CommandEnd, "exitCode" | "signal">;
type Child = ChildProcessByStdio<null, Readable, Readable>;

const nothing = (): void => undefined;

/** Rejects where the command cannot be started. */
export async function runToEnd(command: Command, bounds: CommandBounds): Promise<CommandEnd> {
	bounds.signal.throwIfAborted();
	const child = started(command);
	const kept = keepOutput(child, bounds.onOutput);
	const exited = new Promise<Exit>((resolve) => {
		child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
	});
	const closed = new Promise<boolean>((resolve) => void child.once("close", () => resolve(true)));
	await once(child, "spawn");
	const tree = new ProcessTree(child.pid ?? 0);
	const stopping = new Stopping(tree, bounds);
	try {
		const exit = await Promise.race([exited, stopping.inVain]);
		stopping.end();
		const leftBehind = tree.kill() && stopping.why === "exit";
		const outputEnded = await outputRead(closed, bounds.clock);
		return { ...exit, ...kept, why: stopping.why, leftBehind, outputEnded };
	} finally {
		// CP1: whatever happened above.
		stopping.end();
		tree.close();
		child.stdout.destroy();
		child.stderr.destroy();
	}
}

function started({ file, args, shell, folder }: Command): Child {
	const child = spawn(file, [...args], {
		cwd: folder,
		shell,
		// A group of its own. With no input a command that asks sees the end of it instead of waiting.
		detached: true,
		stdio: ["ignore", "pipe", "pipe"],
		windowsHide: true,
	});
	// An error without a listener ends this process; the one that matters rejects the wait for the start.
	child.on("error", nothing);
	return child;
}

function keepOutput({ stdout: out, stderr: errors }: Child, onOutput: (bytes: number) => void) {
	const stdout = new KeptOutput();
	const stderr = new KeptOutput();
	const keep = (from: Readable, kept: KeptOutput): void => {
		from.on("data", (piece: Buffer) => {
			kept.take(piece);
			onOutput(stdout.bytes + stderr.bytes);
		});
		// The read end of a pipe may fail when a process is killed; what had arrived is kept.
		from.on("error", nothing);
	};
	keep(out, stdout);
	keep(errors, stderr);
	return { stdout, stderr };
}

/** Ends a tree at the limit or by the signal, in two steps. */
class Stopping {
	readonly #tree: ProcessTree;
	readonly #bounds: CommandBounds;
	readonly #onAbort = (): void => this.#stop("cancelled");
	#cancelTimer: () => void;
	#giveUp: () => void = nothing;
	why: CommandEnd["why"] = "exit";
	/** Resolves when the process is still there although it was killed. */
	readonly inVain = new Promise<Exit>((resolve) => {
		this.#giveUp = () => resolve({ exitCode: null, signal: null });
	});

	constructor(tree: ProcessTree, bounds: CommandBounds) {
		this.#tree = tree;
		this.#bounds = bounds;
		this.#cancelTimer = bounds.clock.setTimer(() => this.#stop("limit"), bounds.limitMs);
		bounds.signal.addEventListener("abort", this.#onAbort, { once: true });
		// It may have been aborted while the process started.
		if (bounds.signal.aborted) this.#onAbort();
	}

	end(): void {
		this.#cancelTimer();
		this.#bounds.signal.removeEventListener("abort", this.#onAbort);
	}

	#stop(why: "limit" | "cancelled"): void {
		if (this.why !== "exit") return;
		this.why = why;
		this.#tree.terminate();
		this.#after(COMMAND_GRACE_MS, () => {
			this.#tree.kill();
			this.#after(COMMAND_DRAIN_MS, this.#giveUp);
		});
	}

	#after(delayMs: number, act: () => void): void {
		this.#cancelTimer();
		this.#cancelTimer = this.#bounds.clock.setTimer(act, delayMs);
	}
}

/** Waits for the end of the output. Everything that had it open is gone, unless something left the group. */
async function outputRead(closed: Promise<boolean>, clock: Clock): Promise<boolean> {
	let cancel = nothing;
	const waited = new Promise<boolean>((resolve) => {
		cancel = clock.setTimer(() => resolve(false), COMMAND_DRAIN_MS);
	});
	const ended = await Promise.race([closed, waited]);
	cancel();
	// A host that was busy for that long finds the timer due before it has read what has long been there.
	for (let turn = 0; !ended && turn < COMMAND_DRAIN_TURNS; turn += 1) await clock.nextTurn();
	return ended;
}
