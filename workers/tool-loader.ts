// Tool loader
//
// The two ways into a tool's module. On a thread: the module is loaded once and one of its exports is made callable. On
// the host: the tools that a module declares are read, and each is placed on threads by its name.
//
// Owns:      what counts as a tool's code in a module, and what is said of a module that has none.
// Does not:  bound the loading on a thread; a module that blocks cannot do that itself, so the host does.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { systemClock } from "../engine/core/clock.js";
import { EngineError } from "../engine/core/errors.js";
import { MODULE_LOAD_MS_MAX } from "../engine/core/limits.js";
import { causeOf, type Outcome } from "../engine/core/outcome.js";
import { bounded } from "../engine/core/thenable.js";
import { isThreadRef, onThread, type ThreadRef } from "../engine/core/thread-ref.js";
import { isTool, type Tool } from "../engine/core/tool.js";
import type { ToolContext } from "../engine/core/tool-context.js";
import { notLoaded } from "./thread-end.js";

export type ThreadCode = (args: unknown, context: ToolContext) => unknown;

export type Loaded =
	| { readonly ok: true; readonly code: ThreadCode }
	| { readonly ok: false; readonly outcome: Outcome };

/** What Node says of TypeScript that it cannot read: all of it, some of its syntax, that of installed packages. */
const NOT_READ_AS_CODE: ReadonlySet<unknown> = new Set([
	"ERR_UNKNOWN_FILE_EXTENSION",
	"ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
	"ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
]);

const WHAT_READS_TYPESCRIPT =
	"the host must build the module to JavaScript, run on a Node that strips types (22.18 or later), or name in " +
	"threads.execArgv a module that registers a loader on each thread, by `register()` of tsx/esm/api for one; on Node 20 " +
	"`--import tsx` alone registers nothing there.";

type Module = Readonly<Record<string, unknown>>;

/** On a thread: the code behind a reference. Asking again for a module that loaded costs no import. */
export class ThreadToolLoader {
	readonly #loaded = new Map<string, Map<string, ThreadCode>>();

	/** The code, if it was loaded before. */
	known(moduleUrl: string, exportName: string): ThreadCode | undefined {
		return this.#loaded.get(moduleUrl)?.get(exportName);
	}

	async load(moduleUrl: string, exportName: string): Promise<Loaded> {
		try {
			const module = (await import(moduleUrl)) as Module;
			const code = codeIn(module, exportName);
			if (typeof code === "string") return { ok: false, outcome: notLoaded({ message: `${moduleUrl} ${code}` }) };
			const ofModule = this.#loaded.get(moduleUrl) ?? new Map<string, ThreadCode>();
			this.#loaded.set(moduleUrl, ofModule.set(exportName, code));
			return { ok: true, code };
		} catch (error) {
			return { ok: false, outcome: threwOnLoad(moduleUrl, error) };
		}
	}
}

/**
 * Reads the tools that a module declares and places them on worker threads.
 *
 * The module declares each tool once, with its code, by `tool({ ... })`: as exports of any name, or as a list exported as
 * `tools`. The host imports the module and reads the declarations; each thread that runs one of them imports the module
 * again and runs its `execute` there.
 *
 * @param moduleUrl - A `file:` URL, usually `new URL('./tools.js', import.meta.url)`.
 * @returns the tools in the order the module lists them, each with {@link onThread} in place of its `execute`.
 * @throws EngineError `INVALID_TOOL` when the URL is not a `file:` URL, or the module does not load within 30 seconds or
 * declares no tool.
 * @remarks Since 0.1.0.
 * @public
 */
export async function loadThreadTools(moduleUrl: string | URL): Promise<Tool[]> {
	const url = String(moduleUrl);
	const action = `load the tools of ${url}`;
	if (!url.startsWith("file:")) {
		const recovery = "Pass `new URL('./tools.js', import.meta.url)`.";
		throw new EngineError("INVALID_TOOL", { action, problem: "it is not a file: URL", recovery });
	}
	const tools = toolsIn(await imported(url, action));
	if (tools.length === 0) {
		const recovery = "Export tools made by tool(), one by one or as a list named `tools`.";
		throw new EngineError("INVALID_TOOL", { action, problem: "the module declares no tool", recovery });
	}
	return tools.map((one) => {
		const execute = typeof one.execute === "function" ? onThread(url, one.name) : one.execute;
		return Object.freeze({ ...one, execute });
	});
}

/** What is wrong with a reference as far as the file system tells; `undefined` if its module is there. */
export function problemOfModule(ref: ThreadRef): string | undefined {
	try {
		return existsSync(fileURLToPath(ref.moduleUrl)) ? undefined : `there is no file ${ref.moduleUrl}`;
	} catch (error) {
		return `${ref.moduleUrl} names no file: ${causeOf(error).message}`;
	}
}

/** A module that is missing is told when an engine is made, not when a model first asks for the tool. */
export function demandModule({ name, execute }: Tool): void {
	const problem = isThreadRef(execute) ? problemOfModule(execute) : undefined;
	if (problem === undefined) return;
	throw new EngineError("INVALID_TOOL", { action: `place the tool ${JSON.stringify(name)} on a thread`, problem });
}

async function imported(url: string, action: string): Promise<Module> {
	const what = "the module";
	try {
		return await bounded(import(url) as Promise<Module>, { what, limitMs: MODULE_LOAD_MS_MAX, clock: systemClock });
	} catch (cause) {
		const { code, message: problem } = causeOf(cause);
		const recovery = NOT_READ_AS_CODE.has(code) ? { recovery: `For TypeScript ${WHAT_READS_TYPESCRIPT}` } : {};
		throw new EngineError("INVALID_TOOL", { action, problem, cause, ...recovery });
	}
}

function toolsIn(module: Module): Tool[] {
	const { tools: list, ...exported } = module;
	const candidates = Array.isArray(list) ? [...list, ...Object.values(exported)] : Object.values(module);
	return [...new Set(candidates.filter(isTool))];
}

// A declared tool comes before a plain export of the same name: the export may be a helper of the tool, with arguments
// of another shape.
function codeIn(module: Module, name: string): ThreadCode | string {
	const exported = Object.hasOwn(module, name) ? module[name] : undefined;
	const declared = toolsIn(module).find((one) => one.name === name) ?? (isTool(exported) ? exported : undefined);
	if (declared !== undefined) {
		const { execute } = declared;
		if (typeof execute === "function") return (args, context) => execute(args, context);
		return `declares the tool ${JSON.stringify(name)} as one that runs elsewhere, so there is no code of it to run`;
	}
	if (typeof exported === "function") return exported as ThreadCode;
	if (exported !== undefined) return `exports ${JSON.stringify(name)}, but it is neither a function nor a tool`;
	const names = Object.keys(module).join(", ");
	return `has no export ${JSON.stringify(name)}; it exports ${names === "" ? "nothing" : names}`;
}

function threwOnLoad(moduleUrl: string, error: unknown): Outcome {
	const cause = causeOf(error);
	const message = `${moduleUrl} did not load: ${cause.message}`;
	if (!NOT_READ_AS_CODE.has(cause.code)) return notLoaded({ message, cause });
	return notLoaded({ message, recovery: `Go on without this tool; ${WHAT_READS_TYPESCRIPT}`, cause });
}
