// Command
//
// The arguments of `wavetrain` and what each asks for. Every mistake of a user ends here, as one line and an exit code.
//
// Owns:      the arguments, the help, errors as lines.
// Does not:  do the work (replay-command.ts, ledger-command.ts, locks-command.ts) or touch the process (main.ts).

import { createRequire } from "node:module";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { DEFAULT_MAX_PARALLEL_TOOL_CALLS, isEngineError, type StreamFormat } from "../index.js";
import { CommandError, EXIT_CODES } from "./command-error.js";
import type { CommandHost } from "./command-host.js";
import { type LedgerOptions, ledgerCommand } from "./ledger-command.js";
import { type LocksOptions, locksCommand } from "./locks-command.js";
import { oneLine } from "./plain-text.js";
import { replayCommand } from "./replay-command.js";
import type { ReplayOptions } from "./replay-options.js";

const PACE_DEFAULT = 40;

// A record, so that a format that the engine learns and this list lacks does not compile.
const FORMATS: Readonly<Record<StreamFormat, true>> = {
	anthropic: true,
	"openai-chat": true,
	"openai-responses": true,
	gemini: true,
	"gemini-interactions": true,
	"bedrock-converse": true,
	cohere: true,
	ollama: true,
	"ai-sdk": true,
	"ai-sdk-ui": true,
};

// Whoever replays a recording of somebody else's must read what it may do before it does it.
const BUILT_IN_TOOLS =
	"left out, those of the workspace, which read and write its files and run the commands that the recording asks for, without a question: replay no recording that you do not trust";

const HELP = `
Exit codes:
  0    it did what was asked; calls that failed say so in their answers
  1    nothing could run, or a ledger is damaged
  2    the arguments make no sense
  130  interrupted

Examples:
  $ wavetrain replay                                  the recording that ships, on a copy of this package's files
  $ wavetrain replay reply.sse --workspace . --ledger run.jsonl
  $ wavetrain replay reply.sse --tools ./tools.js --no-ahead --schedule serial
  $ wavetrain ledger run.jsonl --verify
  $ wavetrain ledger run.jsonl --runs                 which runs a crash has left unfinished
  $ wavetrain replay --trace run.trace && wavetrain locks run.trace`;

/** Runs the command with its arguments (without the program's name); the result is its exit code. Never rejects. */
export async function runCommand(args: readonly string[], host: CommandHost): Promise<number> {
	let exitCode: number = EXIT_CODES.done;
	const program = programFor(host, (code) => {
		exitCode = code;
	});
	try {
		await program.parseAsync(args, { from: "user" });
		return exitCode;
	} catch (error) {
		return codeOfError(error, host);
	}
}

function programFor(host: CommandHost, ended: (exitCode: number) => void): Command {
	const program = new Command("wavetrain");
	program
		.description("Runs the tool calls of a recorded model reply as a wave, and reads the ledgers that waves leave.")
		.version(versionOf())
		.configureOutput({
			writeOut: (text) => void host.out.line(text.trimEnd()),
			writeErr: (text) => void host.errors.line(text.trimEnd()),
			outputError: (text, write) => write(`wavetrain: ${oneLine(text.replace(/^error: /, "")).trim()}`),
		})
		.exitOverride()
		.addHelpText("after", HELP);
	addReplay(program).action(async (recording: string | undefined, options: Omit<ReplayOptions, "recording">) => {
		ended(await replayCommand({ recording, ...options }, host));
	});
	program
		.command("ledger")
		.description("Print a ledger, one entry a line, list its runs, or check it.")
		.argument("<file>", "a ledger that --ledger wrote, or the folder of one that is rotated by run")
		.option("--json", "one JSON object a line")
		.addOption(
			new Option("--runs", "one line a run: when it began, its last line, its steps, how it stands, its id").conflicts(
				"verify",
			),
		)
		.option("--verify", "check that it reads back as it was written; exit code 1 and the line when it does not")
		.action(async (file: string, options: Omit<LedgerOptions, "file">) => {
			ended(await ledgerCommand({ file, ...options }, host));
		});
	program
		.command("locks")
		.description("Show who held which key and who waited for whom, from a trace.")
		.argument("<file>", "a trace that --trace wrote")
		.option("--json", "one JSON object a key")
		.action(async (file: string, options: Omit<LocksOptions, "file">) => {
			ended(await locksCommand({ file, ...options }, host));
		});
	return program;
}

function addReplay(program: Command): Command {
	return program
		.command("replay")
		.description("Replay a recorded reply as if a model were writing it now, and run its calls.")
		.argument("[recording]", "a recorded reply as the provider sent it; left out, the one that ships")
		.addOption(
			new Option("--format <format>", "the wire format; left out, it is detected").choices(Object.keys(FORMATS)),
		)
		.option(
			"--pace <n>",
			"tokens a second, a token being 4 characters of what the model wrote; 0: no waiting",
			pace,
			PACE_DEFAULT,
		)
		.option("--tools <module>", `a module of tools, run on worker threads; ${BUILT_IN_TOOLS}`)
		.addOption(
			new Option(
				"--workspace <dir>",
				"the folder that the built-in tools work in; left out, the current one (of the recording that ships: a copy of the package's files, removed at the end)",
			).conflicts("tools"),
		)
		.option("--ledger <file>", "keep the history in this file")
		.option("--trace <file>", "keep the events in this file; `wavetrain locks` shows who held which key")
		.option("--json", "one JSON line an event, and a summary")
		.option("--no-ahead", "start nothing before the reply has ended")
		.option("--max-parallel <n>", `most calls at once (default: ${DEFAULT_MAX_PARALLEL_TOOL_CALLS})`, count)
		.option("--threads <n>", "most worker threads (default: the machine's cores, at least 2)", count)
		.addOption(
			new Option("--schedule <schedule>", "which calls run at once (default: barriers)").choices([
				"serial",
				"leading-reads",
				"barriers",
			]),
		);
}

function codeOfError(error: unknown, { errors }: CommandHost): number {
	if (error instanceof CommanderError) {
		// Commander has printed its line already; help and version are no errors.
		return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
	}
	if (error instanceof CommandError) {
		errors.line(`wavetrain: ${oneLine(error.message)}`);
		return error.exitCode;
	}
	if (isEngineError(error)) {
		errors.line(`wavetrain: ${oneLine(error.message)}`);
		return error.code === "INVALID_OPTIONS" ? EXIT_CODES.usage : EXIT_CODES.failed;
	}
	// A fault of this package: only the stack tells where.
	errors.line(`wavetrain: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
	return EXIT_CODES.failed;
}

function pace(text: string): number {
	const value = Number(text);
	if (text.trim() === "" || !Number.isFinite(value) || value < 0)
		throw new InvalidArgumentError("Not a number of 0 or more.");
	return value;
}

function count(text: string): number {
	const value = Number(text);
	if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("Not a whole number of 1 or more.");
	return value;
}

function versionOf(): string {
	const { version } = createRequire(import.meta.url)("wavetrain/package.json") as { version: string };
	return version;
}
