// Restricting file tools
//
// Keeps tools that take a path inside one folder. Each call's path is resolved against the base to the real place it
// means, right before the call's keys are worked out and again right before it runs; what leads out is refused by then.
//
// Owns:      the change to `lockKeys`, `observed` and `execute`, and nothing else of a tool.
// Does not:  know what the tools do. Whatever else they declare (safety, effect, how a call is shown, what is called as
//            its arguments arrive) stays theirs and sees the arguments as the model wrote them.

import { EngineError } from "../core/errors.js";
import { insideWorkspace, OutsideWorkspaceError } from "../core/inside-workspace.js";
import { isThreadRef } from "../core/thread-ref.js";
import type { Tool } from "../core/tool.js";
import { folderOption } from "./folder-option.js";

/**
 * Where restricted tools may go.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RestrictFileToolsOptions {
	/** The folder, which must be there. A relative path is read from it, and nothing outside it is reached. */
	readonly base: string;
}

type PathArgs = { readonly path: string };

/**
 * The same tools, for paths inside one folder. Their `execute`, `lockKeys` and `observed` get `path` as the real path of
 * what the model named, and `base` beside it; everything else about them is kept.
 *
 * A path that leads out, by `..`, as an absolute path or through a link, is `TOOL_FAILED` with a message that names the
 * path or the link, and the tool does not run. The check is made right before the tool runs, and the tools of
 * {@link fileTools} make it again under their keys; it is no sandbox.
 *
 * @param tools - Tools whose arguments hold a `path`, such as those of {@link fileTools}.
 * @throws EngineError `INVALID_TOOL` for a tool that runs on a thread: what it is given cannot be changed here;
 * `INVALID_OPTIONS`, also where the base is not there or is no folder.
 * @remarks Since 0.1.0.
 * @public
 */
export function restrictFileTools(tools: readonly Tool[], options: RestrictFileToolsOptions): Tool[] {
	const base = folderOption(options, "base");
	return tools.map((tool) => restricted(tool, base));
}

function restricted(tool: Tool, base: string): Tool {
	const { name, execute, lockKeys, observed } = tool;
	if (isThreadRef(execute)) {
		const problem = "it runs on a thread, where its path cannot be changed";
		throw new EngineError("INVALID_TOOL", { action: `restrict the tool ${JSON.stringify(name)}`, problem });
	}
	const resolved = async (args: PathArgs) => {
		if (typeof args.path !== "string") throw new Error(`The arguments of ${name} hold no path.`);
		return { ...args, path: (await insideWorkspace(base, args.path)).real, base };
	};
	return {
		...tool,
		execute: async (args: PathArgs, context) => execute(await resolved(args), context),
		...(observed && { observed: async (args: PathArgs) => observed(await resolved(args)) }),
		...(lockKeys && {
			lockKeys: async (args: PathArgs, context) => {
				try {
					return await lockKeys(await resolved(args), context);
				} catch (error) {
					// The call is refused when it runs; until then it keeps nobody waiting.
					if (error instanceof OutsideWorkspaceError) return [];
					throw error;
				}
			},
		}),
	};
}
