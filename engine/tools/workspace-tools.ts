// Workspace tools
//
// Tools over one folder: read, list, find and analyse its files on worker threads; write and edit them, and run
// commands, on the host. They are what the command offers when it is given no tools of its own, and hosts may use them
// as they are.
//
// Owns:      the set, and the declarations of what changes files.
// Does not:  declare the reads (workspace-reads.ts) or commands (run-command.ts), or write anything (text-files.ts).

import { type Tool, tool } from "../core/tool.js";
import { WORKSPACE_TOOL_MS_MAX } from "../core/tool-limits.js";
import { folderOption } from "./folder-option.js";
import { placeKeys } from "./locked-place.js";
import { runCommandTool } from "./run-command.js";
import { editText, writeText } from "./text-files.js";
import { workspaceReads } from "./workspace-reads.js";
import { editFileArgs, writeFileArgs } from "./workspace-schemas.js";

/**
 * What the workspace tools work on.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface WorkspaceToolsOptions {
	/** The folder, which must be there. No file tool opens anything outside it, by `..`, by an absolute path or through a link. */
	readonly root: string;
}

const WRITES = {
	effect: { write: "workspace" },
	annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
	timeout: WORKSPACE_TOOL_MS_MAX,
} as const;

/**
 * Tools over one folder. Reads, on worker threads: `read_file`, `list_files`, `glob`, `grep`, `hash_file`, `analyse`.
 * Calls that run alone: `write_file` and `edit_file`, whose lock keys are those of the real file, and `run_command`.
 *
 * Answers are bounded in files, bytes and time; one that is a part carries a `remark` that says so. A read that does not
 * look up, such as a pattern that never ends on one line, is `TIMED_OUT` after 20 seconds. A relative path is read from
 * the root, and an absolute one inside the root is the same file with the same key. A path that leads out of the root is
 * `TOOL_FAILED` with a message that names the path or the link, before anything is opened. A process that swaps folders
 * for links at the same time can still get past the check, and a command is not held to the root at all: neither the
 * check nor a thread is a sandbox.
 *
 * @throws EngineError `INVALID_OPTIONS`, also where the root is not there or is no folder.
 * @remarks Since 0.1.0.
 * @public
 */
export function workspaceTools(options: WorkspaceToolsOptions): Tool[] {
	const base = folderOption(options, "root");
	return [
		...workspaceReads(base),
		tool({
			...WRITES,
			name: "write_file",
			description: "Writes a text file of the workspace, replacing what it held; missing folders are made.",
			parameters: writeFileArgs,
			lockKeys: ({ path }) => placeKeys({ path, base }),
			presentation: ({ path, text }) => ({ title: `Write ${path}`, detail: `${text.length} characters` }),
			execute: (args, context) => writeText({ ...args, base }, context),
		}),
		tool({
			...WRITES,
			name: "edit_file",
			description:
				"Replaces a text in a file of the workspace. The text must occur exactly once, unless every place is asked for. All other bytes stay as they are.",
			parameters: editFileArgs,
			lockKeys: ({ path }) => placeKeys({ path, base }),
			presentation: ({ path, oldText, newText, replaceAll }) => ({
				title: `Edit ${path}${replaceAll ? ", every place" : ""}`,
				detail: `${oldText.length} characters become ${newText.length}`,
			}),
			execute: (args, context) => editText({ ...args, base }, context),
		}),
		runCommandTool(base),
	];
}
