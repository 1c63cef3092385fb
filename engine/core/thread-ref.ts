// Thread reference
//
// Where the code of a tool that runs on a worker thread is found: a module and the name of its export. The host holds
// only this; the function itself is loaded in the thread and never runs in the host.
//
// Owns:      the reference and its check.
// Does not:  load anything (workers/tool-loader.ts).

import { EngineError } from "./errors.js";

const THREAD_REF = Symbol.for("wavetrain.ThreadRef");

/**
 * A tool's code on a worker thread; made by {@link onThread}.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ThreadRef {
	/** Tells it from a function of this thread. */
	readonly kind: "on-thread";
	/** A `file:` URL. */
	readonly moduleUrl: string;
	/** The export to call; for a module of declared tools the tool's name. */
	readonly exportName: string;
}

/**
 * Says that a tool's `execute` is the named export of a module, run on a worker thread.
 *
 * The module is loaded once in each thread that runs one of its tools. Its export is called with the parsed arguments
 * and the call's context, as an inline `execute` is.
 *
 * @param moduleUrl - A `file:` URL, usually `new URL('./tools.js', import.meta.url)`.
 * @param exportName - The name of the exported function.
 * @throws EngineError `INVALID_TOOL` when the URL is not a `file:` URL or the name is empty.
 * @remarks Since 0.1.0.
 * @public
 */
export function onThread(moduleUrl: string | URL, exportName: string): ThreadRef {
	const url = String(moduleUrl);
	const action = "place a tool on a thread";
	if (!url.startsWith("file:")) {
		const problem = `the module ${JSON.stringify(url)} is not a file: URL`;
		const recovery = "Pass `new URL('./tools.js', import.meta.url)`.";
		throw new EngineError("INVALID_TOOL", { action, problem, recovery });
	}
	if (typeof exportName !== "string" || exportName === "") {
		throw new EngineError("INVALID_TOOL", { action, problem: `the export name is ${JSON.stringify(exportName)}` });
	}
	const ref: ThreadRef = { kind: "on-thread", moduleUrl: url, exportName };
	Object.defineProperty(ref, THREAD_REF, { value: true });
	return Object.freeze(ref);
}

export function isThreadRef(value: unknown): value is ThreadRef {
	return typeof value === "object" && value !== null && THREAD_REF in value;
}
