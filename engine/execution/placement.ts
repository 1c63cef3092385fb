// Placement
//
// Which executor a tool's work goes to: a function runs inline, an export that was named with onThread on a worker
// thread. Threads cost; so the executor for them is asked for nothing until the first such call begins.
//
// Owns:      that choice.
// Does not:  know either executor's type; both are given.

import type { ToolCall } from "../core/call.js";
import { BEGIN, type BeginHooks, type Beginnable, type Execution } from "../core/invocable.js";
import type { Outcome } from "../core/outcome.js";
import { isThreadRef, type ThreadRef } from "../core/thread-ref.js";
import type { Tool } from "../core/tool.js";
import type { ToolContext } from "../core/tool-context.js";
import { runInLineage } from "../locks/lineage.js";
import { CallContext } from "./call-context.js";
import type { CloseReport, Executor, InlineWork } from "./executor.js";

export interface Executors {
	readonly inline: Executor<InlineWork>;
	readonly threads: Executor<ThreadRef>;
}

// What the tool's own code asks of the locks, or calls by itself, descends from this call.
function inLineage(work: InlineWork, context: ToolContext): InlineWork {
	if (!(context instanceof CallContext)) return work;
	return (args, given) => runInLineage(context.lineage, work, args, given);
}

export interface Placed {
	readonly tool: Tool;
	readonly args: unknown;
	readonly read: boolean;
}

export class Placement {
	readonly #executors: Executors;

	constructor(executors: Executors) {
		this.#executors = executors;
	}

	/** What a tool runs on with its parsed arguments; `early` says that it starts before admission. */
	readonly place = (what: Placed, early: boolean): Beginnable => new PlacedTool(this.#executors, what, early);

	async close(graceMs: number): Promise<CloseReport> {
		const { inline, threads } = this.#executors;
		const reports = await Promise.all([inline.close(graceMs), threads.close(graceMs)]);
		return { abandoned: reports.reduce((sum, { abandoned }) => sum + abandoned, 0) };
	}
}

class PlacedTool implements Beginnable {
	readonly #executors: Executors;
	readonly #placed: Placed;
	readonly #early: boolean;

	constructor(executors: Executors, placed: Placed, early: boolean) {
		this.#executors = executors;
		this.#placed = placed;
		this.#early = early;
	}

	[BEGIN](context: ToolContext, hooks: BeginHooks): Execution {
		const { inline, threads } = this.#executors;
		const { tool, args, read } = this.#placed;
		const work = tool.execute;
		const ahead = this.#early;
		if (isThreadRef(work)) return threads.start({ work, args, context, ahead, read, hooks });
		return inline.start({ work: inLineage(work, context), args, context, ahead, read, hooks });
	}

	invoke(_call: ToolCall, context: ToolContext): Outcome | Promise<Outcome> {
		return this[BEGIN](context, { onBegan: () => undefined }).ended;
	}
}
