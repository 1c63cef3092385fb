// Command in a folder
//
// Calls run_command as the engine does: arguments through its schema, then its code.

import type { Clock } from "../../engine/core/clock.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { runCommandTool } from "../../engine/tools/run-command.js";
import { quietContext } from "./quiet-context.js";

export interface CommandAnswer {
	readonly exitCode: number | null;
	readonly signal: string | null;
	readonly timedOut: boolean;
	readonly stdout: string;
	readonly stderr: string;
	readonly droppedBytes: { readonly stdout: number; readonly stderr: number };
	readonly remark?: string;
}

export interface CommandWorld {
	readonly context?: ToolContext;
	readonly clock?: Clock;
}

export async function commandIn(
	root: string,
	args: object,
	{ context, clock }: CommandWorld = {},
): Promise<CommandAnswer> {
	const { parameters, execute } = runCommandTool(root, clock);
	const parsed = await parameters["~standard"].validate(args);
	if (parsed.issues !== undefined) throw new Error(parsed.issues.map(({ message }) => message).join("; "));
	if (typeof execute !== "function") throw new Error("run_command runs inline");
	return execute(parsed.value, context ?? quietContext()) as Promise<CommandAnswer>;
}
