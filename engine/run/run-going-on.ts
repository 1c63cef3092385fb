// Run going on
//
// Where a run goes on that had paused, or whose process has ended. A pause leaves a wave; a crash may leave it anywhere.
//
// Owns:      those places.
// Does not:  go on from them (run-loop.ts) or find them in a ledger (recover-run.ts).

import type { WaveResult } from "../wave/wave-result.js";
import type { Reply } from "./read-reply.js";
import type { RunEnd, RunSoFar } from "./run-result.js";

export type RunPlace =
	/** With what is left of a wave: its calls, as the model asked for them, and the way to their outcomes. */
	| { readonly kind: "wave"; readonly calls: Reply["calls"]; readonly wave: () => Promise<WaveResult> }
	/** The model is asked next. `stands`: the request is in the ledger already, and counted. */
	| { readonly kind: "request"; readonly stands: boolean; readonly ready: () => Promise<void> }
	/** Behind a reply that asked for no call. */
	| { readonly kind: "reply"; readonly cut: "length" | "filtered" | undefined; readonly ready: () => Promise<void> }
	/** It had ended. */
	| { readonly kind: "ended"; readonly end: Exclude<RunEnd, { readonly status: "paused" }> };

export interface RunGoingOn extends Pick<RunSoFar, "messages" | "text" | "steps"> {
	readonly spentMs: number;
	/** Why the host wanted no more of it, where the ledger says so. */
	readonly cancelled: string | undefined;
	readonly place: RunPlace;
}
