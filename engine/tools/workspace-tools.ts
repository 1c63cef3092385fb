// Workspace tools
//
// Tools over one folder: read, list, search, hash, analyse and write its files, all on worker threads. They are what the
// command offers when it is given no tools of its own, and hosts may use them as they are.
//
// Owns:      the declarations: names, effects, lock keys, stamps, time limits, how a call is shown.
// Does not:  hold their code (workers/tools/) or check paths: the thread that opens a file does, right before.

import { resolve } from "node:path";
import { WORKSPACE_TOOL_MS_MAX } from "../core/limits.js";
import { onThread } from "../core/thread-ref.js";
import { type Tool, tool } from "../core/tool.js";
import { fileLockKey } from "../locks/file-lock-key.js";
import { workspaceModuleUrl } from "./workspace-module-url.js";
import { workspaceSchemas } from "./workspace-schemas.js";
import { fileStamp, folderStamp } from "./workspace-stamps.js";

/**
 * What the workspace tools work on.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface WorkspaceToolsOptions {
	/** The folder. Nothing outside it is opened, by `..`, by an absolute path or through a link. */
	readonly root: string;
}

const READS = {
	effect: "read",
	annotations: { readOnlyHint: true, openWorldHint: false },
	timeout: WORKSPACE_TOOL_MS_MAX,
} as const;

/**
 * Tools over one folder, on worker threads: `read_file`, `list_files`, `search`, `hash_file`, `analyse` (reads) and
 * `write_file`.
 *
 * Answers are bounded in files, bytes and time; one that is a part carries a `remark` that says so. A call that does not
 * look up, such as a pattern that never ends on one line, is `TIMED_OUT` after 20 seconds. A path that leads out of the
 * root is `TOOL_FAILED` with a message that names the path or the link, before anything is opened. A process that swaps
 * folders for links at the same time can still get past the check: worker threads are no sandbox.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function workspaceTools({ root }: WorkspaceToolsOptions): Tool[] {
	const realRoot = resolve(root);
	const schemas = workspaceSchemas(realRoot);
	const code = (exportName: keyof typeof schemas) => onThread(workspaceModuleUrl, exportName);
	return [
		tool({
			...READS,
			name: "read_file",
			description: "Reads a text file of the workspace, or some lines of it.",
			parameters: schemas.readFile,
			presentation: ({ path, fromLine, lines }) => ({ title: `Read ${path}${linesShown(fromLine, lines)}` }),
			observed: fileStamp,
			execute: code("readFile"),
		}),
		tool({
			...READS,
			name: "list_files",
			description: "Lists files and folders of the workspace with sizes. Links and node_modules are left out.",
			parameters: schemas.listFiles,
			presentation: ({ path, ending }) => ({ title: `List ${filesShown(path, ending)}` }),
			observed: folderStamp,
			execute: code("listFiles"),
		}),
		tool({
			...READS,
			name: "search",
			description: "Finds the lines of text files that hold a text or match a regular expression.",
			parameters: schemas.searchFiles,
			presentation: ({ pattern, path, regex, ending }) => ({
				title: `Search ${regex ? `/${pattern}/` : JSON.stringify(pattern)} in ${filesShown(path, ending)}`,
			}),
			observed: folderStamp,
			execute: code("searchFiles"),
		}),
		tool({
			...READS,
			name: "hash_file",
			description: "Computes the digest of a file.",
			parameters: schemas.hashFile,
			presentation: ({ path, algorithm }) => ({ title: `Hash ${path} (${algorithm})` }),
			observed: fileStamp,
			execute: code("hashFile"),
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
			execute: code("analyseFiles"),
		}),
		tool({
			name: "write_file",
			description: "Writes a text file of the workspace, replacing what it held; missing folders are made.",
			parameters: schemas.writeFile,
			effect: { write: "workspace" },
			annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
			timeout: WORKSPACE_TOOL_MS_MAX,
			lockKeys: async ({ path }) => [await fileLockKey(resolve(realRoot, path))],
			presentation: ({ path, text }) => ({ title: `Write ${path}`, detail: `${text.length} characters` }),
			execute: code("writeFile"),
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
