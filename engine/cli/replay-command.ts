// Replay command
//
// `wavetrain replay`: sets an engine up as the arguments say, replays the recording into it, and judges how it went.
//
// Owns:      tools, ledger and engine of one replay, its exit code, and the line that says why nothing ran.
// Does not:  read the arguments (command.ts) or the reply (replay.ts).

import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
	createEngine,
	type Engine,
	type EngineCloseReport,
	fileLedger,
	loadThreadTools,
	type Tool,
	workspaceTools,
} from "../index.js";
import { CommandError, EXIT_CODES } from "./command-error.js";
import type { CommandHost } from "./command-host.js";
import { jsonView } from "./json-view.js";
import { liveView } from "./live-view.js";
import { requireOutputFiles } from "./output-files.js";
import { counted, oneLine } from "./plain-text.js";
import { plainView } from "./plain-view.js";
import { fileProblem, openRecording, type Recording, shippedRecording } from "./recording.js";
import { replay } from "./replay.js";
import type { ReplayOptions } from "./replay-options.js";
import type { ReplayEnd, ReplayView } from "./replay-view.js";
import { tourWorkspace } from "./tour-workspace.js";
import { traceFile } from "./trace-file.js";

/** Runs the command; the result is its exit code. */
export async function replayCommand(options: ReplayOptions, host: CommandHost): Promise<number> {
	const source = await sourceOf(options, host.folder);
	try {
		return await replayFrom(source, options, host);
	} finally {
		await source.release();
	}
}

async function replayFrom(source: Source, options: ReplayOptions, host: CommandHost): Promise<number> {
	const recording = await openRecording(source.name, { path: source.path, format: options.format });
	const tools = options.tools === undefined ? folderTools(source) : await moduleTools(options.tools, host.folder);
	await requireOutputFiles({ recording: source.path, ledger: options.ledger, trace: options.trace }, host.folder);
	const engine = engineOf(options, tools, host);
	let end: ReplayEnd;
	let closed: EngineCloseReport;
	try {
		end = await replayInto(engine, recording, { options, host });
	} finally {
		// Once more where the replay ran: what is opened between the two may throw.
		closed = await engine.close();
	}
	if (closed.ledgerFailure !== undefined) throw closed.ledgerFailure;
	return judge(end, options, host);
}

async function replayInto(engine: Engine, recording: Recording, { options, host }: Asked): Promise<ReplayEnd> {
	const { clock, signal, folder } = host;
	const { trace: name, pace: tokensPerSecond } = options;
	const trace = name === undefined ? undefined : traceFile(name, resolve(folder, name), engine);
	const view = viewOf(options, recording, host);
	let end: ReplayEnd | undefined;
	try {
		end = await replay({ engine, recording, view, tokensPerSecond, clock, signal });
		return end;
	} finally {
		view.close(end);
		await engine.close();
		trace?.close();
	}
}

interface Asked {
	readonly options: ReplayOptions;
	readonly host: CommandHost;
}

interface Source {
	readonly name: string;
	readonly path: string;
	readonly workspace: string;
	/** The replay is over, and nothing works in the workspace any more. */
	release(): Promise<void>;
}

const NOTHING_TO_RELEASE = { release: () => Promise.resolve() };

// The recording that ships asks about the package itself, wherever the command is called from.
async function sourceOf({ recording, workspace }: ReplayOptions, folder: string): Promise<Source> {
	if (recording !== undefined) {
		const inFolder = resolve(folder, workspace ?? ".");
		return { name: recording, path: resolve(folder, recording), workspace: inFolder, ...NOTHING_TO_RELEASE };
	}
	const name = "the shipped reply";
	const { path, packageFolder } = shippedRecording();
	if (workspace !== undefined) return { name, path, workspace: resolve(folder, workspace), ...NOTHING_TO_RELEASE };
	const tour = await tourWorkspace(packageFolder);
	return { name, path, workspace: tour.folder, release: tour.remove };
}

function folderTools({ workspace }: Source): Tool[] {
	const stat = statSync(workspace, { throwIfNoEntry: false });
	if (!stat?.isDirectory()) throw new CommandError(`The workspace ${JSON.stringify(workspace)} is not a folder.`);
	return workspaceTools({ root: workspace });
}

async function moduleTools(path: string, folder: string): Promise<readonly Tool[]> {
	const full = resolve(folder, path);
	if (statSync(full, { throwIfNoEntry: false }) === undefined) {
		throw new CommandError(fileProblem(path, { code: "ENOENT" }));
	}
	return await loadThreadTools(pathToFileURL(full));
}

function engineOf(options: ReplayOptions, tools: readonly Tool[], host: CommandHost): Engine {
	const { ledger, maxParallel, threads, schedule } = options;
	return createEngine({
		tools,
		clock: host.clock,
		ahead: options.ahead ? "local" : false,
		...(ledger !== undefined && { ledger: fileLedger(resolve(host.folder, ledger)) }),
		...(maxParallel !== undefined && { maxParallelToolCalls: maxParallel }),
		// Nothing but the picture needs this thread, so no core is left to it; two threads show calls beside one another.
		threads: { max: threads ?? Math.max(2, availableParallelism()) },
		...(schedule !== undefined && { schedule }),
	});
}

function viewOf(options: ReplayOptions, recording: Recording, { out, clock }: CommandHost): ReplayView {
	if (options.json) return jsonView(out);
	if (!out.live) return plainView(out, clock);
	const pace = options.pace === 0 ? "no pace" : `${options.pace} tokens/s`;
	return liveView(out, clock, `${oneLine(recording.name)} (${recording.format}, ${pace})`);
}

function judge({ wave, reply, timeline }: ReplayEnd, options: ReplayOptions, host: CommandHost): number {
	const { out, errors, signal } = host;
	// A reader that has seen enough is no fault, though it ends the wave.
	if (out.closed) return EXIT_CODES.done;
	const say = (line: string) => errors.line(`wavetrain: ${line}`);
	const started = timeline.lanes.filter(({ spans }) =>
		spans.some(({ phase }) => phase === "ahead" || phase === "running"),
	);
	if (signal.aborted) {
		say("Interrupted; what had not started did not run.");
		return EXIT_CODES.interrupted;
	}
	if (!reply.good) {
		const discarded = started.length === 0 ? "" : ` ${counted(started.length, "early start")} thrown away.`;
		say(`The recording is no whole reply: ${oneLine(reply.problem)}. None of its calls ran.${discarded}`);
		return EXIT_CODES.failed;
	}
	if (wave.results.length === 0) say("The reply asks for no call.");
	const [first] = wave.results;
	if (first === undefined || started.length > 0) return EXIT_CODES.done;
	const why = first.outcome.ok ? "" : oneLine(first.outcome.error.message);
	const calls = wave.results.length;
	const unknown = wave.results.some(({ outcome }) => !outcome.ok && outcome.error.code === "UNKNOWN_TOOL");
	const advice =
		unknown && options.tools === undefined ? " Give it the tools that it asks for: --tools ./tools.js" : "";
	const which = calls === 1 ? "Its one call could not run:" : `None of its ${calls} calls could run; the first:`;
	say(`${which} ${why}${advice}`);
	return EXIT_CODES.failed;
}
