// Workspace reads
//
// The workspace tools that only read, all on worker threads: a pattern that never ends, or a tree that is huge, costs
// its own call a time limit and the host nothing.
//
// Owns:      their declarations: names, stamps, time limits, how a call is shown.
// Does not:  hold their code (workers/tools/) or check paths: the thread that opens a file does, right before.

import { onThread } from "../core/thread-ref.js";
import { type Tool, tool } from "../core/tool.js";
import { WORKSPACE_TOOL_MS_MAX } from "../core/tool-limits.js";
import { workspaceModuleUrl } from "./workspace-module-url.js";
import { readSchemas } from "./workspace-schemas.js";
import { fileStamp, folderStamp } from "./workspace-stamps.js";

const READS = {
	effect: "read",
	annotations: { readOnlyHint: true, openWorldHint: false },
	timeout: WORKSPACE_TOOL_MS_MAX,
} as const;

export function workspaceReads(root: string): Tool[] {
	return [...namingTools(root), ...textTools(root)];
}

/** The tools that answer with names, or with one file. */
function namingTools(root: string): Tool[] {
	const schemas = readSchemas(root);
	return [
		tool({
			...READS,
			name: "read_file",
			description: "Reads a text file of the workspace, or some lines of it.",
			parameters: schemas.readFile,
			presentation: ({ path, fromLine, lines }) => ({ title: `Read ${path}${linesShown(fromLine, lines)}` }),
			observed: fileStamp,
			execute: onThread(workspaceModuleUrl, "readFile"),
		}),
		tool({
			...READS,
			name: "list_files",
			description: "Lists files and folders of the workspace with sizes. Links and node_modules are left out.",
			parameters: schemas.listFiles,
			presentation: ({ path, ending }) => ({ title: `List ${filesShown(path, ending)}` }),
			observed: folderStamp,
			execute: onThread(workspaceModuleUrl, "listFiles"),
		}),
		tool({
			...READS,
			name: "glob",
			description:
				"Finds files by a pattern of their paths: *, **, ?, [a-z], {a,b}. Links, .git and node_modules are left out.",
			parameters: schemas.globFiles,
			presentation: ({ pattern, path }) => ({ title: `Glob ${pattern} in ${filesShown(path, undefined)}` }),
			observed: ({ root: base, path }) => folderStamp({ root: base, path }),
			execute: onThread(workspaceModuleUrl, "globFiles"),
		}),
	];
}

/** The tools that read what files hold. */
function textTools(root: string): Tool[] {
	const schemas = readSchemas(root);
	return [
		tool({
			...READS,
			name: "grep",
			description: "Finds the lines of text files that hold a text or match a regular expression.",
			parameters: schemas.grepFiles,
			presentation: ({ pattern, path, regex, ending }) => ({
				title: `Grep ${regex ? `/${pattern}/` : JSON.stringify(pattern)} in ${filesShown(path, ending)}`,
			}),
			observed: folderStamp,
			execute: onThread(workspaceModuleUrl, "grepFiles"),
		}),
		tool({
			...READS,
			name: "hash_file",
			description: "Computes the digest of a file.",
			parameters: schemas.hashFile,
			presentation: ({ path, algorithm }) => ({ title: `Hash ${path} (${algorithm})` }),
			observed: fileStamp,
			execute: onThread(workspaceModuleUrl, "hashFile"),
		}),
		tool({
			...READS,
			name: "analyse",
			description: "Counts lines and words of text files, finds the longest line, measures how much repeats itself.",
			parameters: schemas.analyseFiles,
			presentation: ({ path, ending, compress }) => ({
				title: `Analyse ${filesShown(path, ending)}${compress ? ", compressed" : ""}`,
			}),
			observed: folderStamp,
			execute: onThread(workspaceModuleUrl, "analyseFiles"),
		}),
	];
}

function linesShown(fromLine: number, lines: number | undefined): string {
	if (lines !== undefined) return `, lines ${fromLine} to ${fromLine + lines - 1}`;
	return fromLine === 1 ? "" : ` from line ${fromLine}`;
}

function filesShown(path: string, ending: string | undefined): string {
	const where = path === "." ? "the workspace" : path;
	return ending === undefined ? where : `*${ending} of ${where}`;
}
