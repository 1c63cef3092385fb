// Running a command
//
// The tool that runs a program in the workspace. Its arguments reach the program as they are: nothing is read by a
// shell unless the call asks for one, so a file name with a space or a semicolon in it is a file name. A shell is no
// danger that a program would not be; asking for it is a matter of what the text means.
//
// Owns:      the declaration, and what is answered.
// Does not:  hold processes (command-process.ts). The folder a command starts in is checked; what the command then does
//            is not: a program can read and write whatever the host can.

import { stat } from "node:fs/promises";
import { z } from "zod";
import { type Clock, systemClock } from "../core/clock.js";
import { insideWorkspace } from "../core/inside-workspace.js";
import { type Tool, tool } from "../core/tool.js";
import type { ToolContext } from "../core/tool-context.js";
import {
	COMMAND_ARGUMENTS_MAX,
	COMMAND_CHARS_MAX,
	COMMAND_DRAIN_MS,
	COMMAND_GRACE_MS,
	COMMAND_MS_DEFAULT,
	COMMAND_MS_MAX,
	WORKSPACE_PROGRESS_MS_MIN,
} from "../core/tool-limits.js";
import { type CommandEnd, runToEnd } from "./command-process.js";

const text = z
	.string()
	.max(COMMAND_CHARS_MAX)
	.refine((value) => !value.includes("\0"), "holds a zero byte");

const parameters = z
	.strictObject({
		command: text.min(1).describe("The program, by name or path; with shell, a whole line for the shell"),
		args: z.array(text).max(COMMAND_ARGUMENTS_MAX).default([]).describe("What the program is given, word by word"),
		shell: z.boolean().default(false).describe("Have the system's shell read the command: pipes, globs, variables"),
		path: z.string().min(1).default(".").describe("The folder to run in, from the root of the workspace"),
		timeoutMs: z.int().min(1).max(COMMAND_MS_MAX).default(COMMAND_MS_DEFAULT).describe("Longest it may run"),
	})
	.refine(({ shell, args }) => !shell || args.length === 0, {
		path: ["args"],
		message: "with shell the whole line is in command",
	});

type RunCommandArgs = z.output<typeof parameters>;

export function runCommandTool(root: string, clock: Clock = systemClock): Tool {
	return tool({
		name: "run_command",
		description:
			"Runs a program in the workspace, without a shell unless asked for, and without input. Ends everything it started when it exits, so a server cannot be left running.",
		parameters,
		effect: "spawn",
		annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
		// The call's own limit comes first, and answers with the output so far.
		timeout: COMMAND_MS_MAX + COMMAND_GRACE_MS + 2 * COMMAND_DRAIN_MS,
		presentation: (args) => ({ title: `Run ${lineOf(args)}`, detail: `in ${args.path}` }),
		execute: (args, context) => runCommand(root, args, { context, clock }),
	});
}

interface Surroundings {
	readonly context: ToolContext;
	readonly clock: Clock;
}

async function runCommand(root: string, args: RunCommandArgs, { context, clock }: Surroundings) {
	const place = await insideWorkspace(root, args.path);
	const isFolder = await stat(place.real).then(
		(found) => found.isDirectory(),
		() => false,
	);
	if (!isFolder) throw new Error(`There is no folder ${JSON.stringify(place.shown)} to run in.`);
	const { command: file, timeoutMs: limitMs, shell } = args;
	const command = { file, args: args.args, shell, folder: place.real };
	const bounds = { clock, limitMs, signal: context.signal, onOutput: progressTeller(context, clock) };
	const end = await runToEnd(command, bounds).catch((error: NodeJS.ErrnoException) => {
		throw error.code === "ENOENT" ? new Error(`There is no program ${JSON.stringify(file)}.`, { cause: error }) : error;
	});
	if (end.why === "cancelled") context.signal.throwIfAborted();
	return answerOf(end, limitMs);
}

function answerOf(end: CommandEnd, limitMs: number) {
	const [stdout, stderr] = [end.stdout.text(), end.stderr.text()];
	const remarks = [
		...(end.why === "limit"
			? [
					`it was still running after ${limitMs} ms and was ended with all it had started; check what it has changed before running it again`,
				]
			: []),
		...(end.exitCode === null && end.signal === null ? ["its process could not be ended and may still run"] : []),
		...(end.leftBehind ? ["what it had left running in the background was ended"] : []),
		...(end.outputEnded ? [] : ["a process that it had started apart still holds its output open and may still run"]),
	];
	return {
		exitCode: end.exitCode,
		signal: end.signal,
		timedOut: end.why === "limit",
		stdout: stdout.text,
		stderr: stderr.text,
		droppedBytes: { stdout: stdout.droppedBytes, stderr: stderr.droppedBytes },
		...(remarks.length > 0 && { remark: remarks.join("; ") }),
	};
}

// A report restarts the idle limit and is shown to a person; more of them than a person can read cost the host's time.
function progressTeller(context: ToolContext, clock: Clock): (bytes: number) => void {
	let toldMs = Number.NEGATIVE_INFINITY;
	return (bytes) => {
		const nowMs = clock.monotonicMs();
		if (nowMs - toldMs < WORKSPACE_PROGRESS_MS_MIN) return;
		toldMs = nowMs;
		context.progress({ bytes });
	};
}

function lineOf({ command, args, shell }: RunCommandArgs): string {
	if (shell) return command;
	return [command, ...args].map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
