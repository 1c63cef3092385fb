// Tool threads
//
// The worker threads of an engine: the modules of its tools are looked for before any call asks for them, and loaded by
// the threads that start with the engine.
//
// Owns:      what the pool has to know of the tools.
// Does not:  make threads (pool.ts) or load a module (tool-loader.ts).

import { isThreadRef, type ThreadRef } from "../engine/core/thread-ref.js";
import type { Tool } from "../engine/core/tool.js";
import type { Executor } from "../engine/execution/executor.js";
import { type ThreadExecutorOptions, threadExecutor } from "./pool.js";
import { demandModule } from "./tool-loader.js";

/** Throws EngineError `INVALID_TOOL` for a tool whose module is not there. */
export function toolThreads(
	tools: readonly Tool[],
	options: Omit<ThreadExecutorOptions, "preload">,
): Executor<ThreadRef> {
	for (const tool of tools) demandModule(tool);
	return threadExecutor({ ...options, preload: tools.map(({ execute }) => execute).filter(isThreadRef) });
}
