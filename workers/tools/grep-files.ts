// Grep
//
// The lines that hold a text or match a pattern. The pattern is JavaScript's own, which can take for ever on one line;
// that is why this runs on a thread with a time limit, where only this call pays for it.
//
// Owns:      the search of a text's lines, and what of a match is answered.
// Does not:  end a pattern that takes for ever: the call's time limit ends its thread.

import { insideWorkspace } from "../../engine/core/inside-workspace.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { GREP_LINE_CHARS_MAX, GREP_MATCHES_MAX } from "../../engine/core/tool-limits.js";
import { textFiles } from "./text-files.js";
import { WorkBudget } from "./work-budget.js";

export interface GrepFilesArgs {
	readonly root: string;
	readonly path: string;
	readonly pattern: string;
	/** The pattern is a regular expression; otherwise it is looked for as it is written. */
	readonly regex: boolean;
	readonly ignoreCase: boolean;
	readonly ending?: string | undefined;
}

interface Match {
	readonly path: string;
	/** From 1. */
	readonly line: number;
	readonly text: string;
}

export async function grepFiles(args: GrepFilesArgs, context: ToolContext) {
	const place = await insideWorkspace(args.root, args.path);
	const budget = new WorkBudget(context);
	const finds = finder(args);
	const matches: Match[] = [];
	for (const file of textFiles(place, budget, args.ending)) {
		const lines = file.text.split("\n");
		for (const [index, line] of lines.entries()) {
			const column = finds(line);
			if (column === -1) continue;
			if (matches.length >= GREP_MATCHES_MAX) {
				budget.stop(`after ${GREP_MATCHES_MAX} matches`);
				break;
			}
			matches.push({ path: file.shown, line: index + 1, text: around(line, column) });
		}
		if (!budget.mayGoOn()) break;
	}
	return { pattern: args.pattern, matches, filesSearched: budget.files, ...budget.remark() };
}

function finder({ pattern, regex, ignoreCase }: GrepFilesArgs): (line: string) => number {
	if (!regex && !ignoreCase) return (line) => line.indexOf(pattern);
	const source = regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	const expression = new RegExp(source, ignoreCase ? "i" : "");
	return (line) => line.search(expression);
}

// The match must be in what is shown of a long line.
function around(line: string, column: number): string {
	if (line.length <= GREP_LINE_CHARS_MAX) return line.trim();
	const start = Math.max(0, Math.min(column - GREP_LINE_CHARS_MAX / 4, line.length - GREP_LINE_CHARS_MAX));
	return `${start > 0 ? "…" : ""}${line.slice(start, start + GREP_LINE_CHARS_MAX).trim()}…`;
}
