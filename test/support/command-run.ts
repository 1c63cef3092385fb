// Command run
//
// The whole command in this process, with streams of its own: what it printed, where, and its exit code.

import { PassThrough } from "node:stream";
import { runCommand } from "../../engine/cli/command.js";
import { Output, type OutputStream } from "../../engine/cli/output.js";
import { type Clock, systemClock } from "../../engine/core/clock.js";

export interface CommandRun {
	readonly code: number;
	readonly out: string;
	readonly errors: string;
}

export interface CommandSetting {
	readonly folder?: string;
	readonly clock?: Clock;
	readonly signal?: AbortSignal;
	/** A terminal of this many columns; left out: a pipe. */
	readonly columns?: number;
	/** Of that terminal; left out: 40. */
	readonly rows?: number;
	/** Told each piece as it is printed. */
	readonly onOut?: (text: string) => void;
}

export async function commandRun(args: readonly string[], setting: CommandSetting = {}): Promise<CommandRun> {
	const { columns, rows = 40 } = setting;
	const terminal = columns === undefined ? {} : { isTTY: true, columns, rows };
	const out = gathered(setting.onOut);
	const errors = gathered();
	const code = await runCommand(args, {
		out: new Output(Object.assign(out.stream, terminal)),
		errors: new Output(errors.stream),
		clock: setting.clock ?? systemClock,
		signal: setting.signal ?? new AbortController().signal,
		folder: setting.folder ?? process.cwd(),
	});
	return { code, out: out.text(), errors: errors.text() };
}

function gathered(onText: (text: string) => void = () => undefined) {
	let all = "";
	const stream: OutputStream = new PassThrough().setEncoding("utf8").on("data", (text: string) => {
		all += text;
		onText(text);
	});
	return { stream, text: () => all };
}
