// Thread watch
//
// What stands between a thread's life (host-thread.ts) and whoever has many of them (dispatcher.ts).
//
// Owns:      what a thread is made of and what it tells.
// Does not:  decide anything.

import type { Clock } from "../engine/core/clock.js";
import type { ErrorCause } from "../engine/core/outcome.js";
import type { HostCall } from "./host-call.js";
import type { HostThread } from "./host-thread.js";
import type { WireCode } from "./protocol.js";
import type { ThreadEnd } from "./thread-end.js";
import type { StartThread } from "./thread-start.js";

export interface ThreadWatch {
	/** It may take a call, or more of them. */
	ready(): void;
	/** Calls that had not begun were taken back. */
	returned(calls: readonly HostCall[]): void;
	stray(cause: ErrorCause): void;
	/** It was ended, and does not exit. */
	stuck(thread: HostThread): void;
	ended(thread: HostThread, end: ThreadEnd): void;
}

export interface HostThreadParts {
	/** Counts the pool's threads from 1. */
	readonly number: number;
	readonly start: StartThread;
	readonly preload: readonly WireCode[];
	readonly heapMb: number;
	readonly clock: Clock;
	readonly watch: ThreadWatch;
}
