// Nested run
//
// What an agent that is a tool gets of the call it is the work of: its model's calls run as waves below that call, its
// lines stand between that call's two, and what it must not do twice is kept with that call when it asks a person. It is
// found by the context that every tool gets, and only a call that an engine runs has it: neither an early start nor a tool
// on a thread can be an agent.
//
// Owns:      that port, and finding it.
// Does not:  loop (run/run-loop.ts) or run waves (nested-calls.ts).

import type { ReplyRecord } from "../core/call-record.js";
import type { Clock } from "../core/clock.js";
import type { Tool } from "../core/tool.js";
import type { ToolContext } from "../core/tool-context.js";
import { CallContext } from "../execution/call-context.js";
import type { EntryDraft } from "../ledger/entry.js";
import { type AskedForBy, NestedCalls } from "./nested-calls.js";
import type { ReplyCall } from "./reply-item.js";
import type { WaveResult } from "./wave-result.js";

export interface NestedRun {
	readonly runId: string;
	/** The path of the call that the run is the work of. */
	readonly path: readonly number[];
	readonly signal: AbortSignal;
	readonly clock: Clock;
	/** All tools of the engine. */
	readonly tools: readonly Tool[];
	/** What the model had replied before the call asked a person. */
	readonly replies: readonly ReplyRecord[];
	/** Runs the calls of a reply. Rejects with a pause where one of them asks; `replies` is then kept. */
	wave(calls: readonly AskedFor[], by: AskedForBy, replies: readonly ReplyRecord[]): Promise<WaveResult["results"]>;
	write(lines: readonly EntryDraft[]): void;
	/** An agent reports no progress; how long its model may be silent is bounded where it is asked. */
	neverSilent(): void;
}

type AskedFor = Pick<ReplyCall, "id" | "name"> & { readonly args: unknown };

/** Nothing where the context is not that of a call that an engine runs. */
export function nestedRunOf(context: ToolContext): NestedRun | undefined {
	if (!(context instanceof CallContext) || !(context.services instanceof NestedCalls)) return undefined;
	const { services, identity, signal } = context;
	const { clock, tools } = services.options;
	return {
		runId: identity.runId,
		path: identity.path,
		signal,
		clock,
		tools,
		replies: context.remembered?.replies ?? [],
		async wave(calls, by, replies) {
			try {
				return await services.invokeWave(context, calls, { by });
			} finally {
				if (context.hasAsked) context.memory.replies = replies;
			}
		},
		write: (lines) => services.write(context, lines),
		neverSilent: () => context.running?.waitsForOwn(true),
	};
}
