// Call identity
//
// What names a call for its tool, for events and for the lines of the ledger.
//
// Owns:      the fields, and how events tell them.
// Does not:  give out ids or indexes (the wave does), or know anything of how the call runs.

import type { CallPlace } from "../core/events.js";

/** What names a call for its tool and for whoever watches. */
export interface CallIdentity {
	readonly runId: string;
	readonly step: number;
	readonly index: number;
	readonly callId: string;
	readonly name: string;
	/** The indexes of the calls it is nested in, outermost first, and its own. */
	readonly path: readonly number[];
}

/** The identity as events tell it. */
export function placeOf({ runId, step, index, name, path }: CallIdentity): CallPlace {
	return path.length > 1 ? { runId, step, index, name, path } : { runId, step, index, name };
}
