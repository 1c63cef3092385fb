// Replay view
//
// The port to whoever watches a replay: a live picture on a terminal, plain lines elsewhere, JSON for programs. Views
// are told everything in the order it happens and decide nothing.
//
// Owns:      the port.
// Does not:  draw.

import type { EngineEvent, ReplyEvent, Timeline, WaveResult } from "../index.js";
import type { Waits } from "./wave-table.js";

export type WatchedEvent = EngineEvent | ReplyEvent;

/** How a replay ended. */
export interface ReplayEnd {
	readonly wave: WaveResult;
	readonly waits: Waits;
	readonly timeline: Timeline;
	/** `problem`: why the reply is not good, as a clause; empty for one that is. */
	readonly reply: { readonly good: boolean; readonly reason: string; readonly problem: string };
}

export interface ReplayView {
	show(event: WatchedEvent): void;
	/** Called once, whatever happened: nothing of the view may go on after it. `end` is left out when there is none. */
	close(end?: ReplayEnd): void;
}
