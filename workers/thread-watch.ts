// Thread watch
//
// What stands between a thread's life (host-thread.ts) and whoever has many of them (dispatcher.ts).
//
// Owns:      what a thread is made of and what it tells.
// Does not:  decide anything.

import type { Clock } from "../engine/core/clock.js";
import type { ErrorCause } from "../engine/core/outcome.js";
import type { HostCall } from "./host-call.js";
import type { WireCode } from "./protocol.js";
import type { ThreadEnd } from "./thread-end.js";
import type { StartThread } from "./thread-start.js";

/** `Thread` is the thread's own class, which this file need not know. */
export interface ThreadWatch<Thread> {
	/** It may take a call, or more of them. */
	ready(): void;
	/** Calls that had not begun were taken back. */
	returned(calls: readonly HostCall[]): void;
	stray(cause: ErrorCause): void;
	/** It was ended, and does not exit. */
	stuck(thread: Thread): void;
	ended(thread: Thread, end: ThreadEnd): void;
}

export interface HostThreadParts<Thread> {
	/** Counts the pool's threads from 1. */
	readonly number: number;
	readonly start: StartThread;
	readonly preload: readonly WireCode[];
	readonly heapMb: number;
	readonly clock: Clock;
	readonly watch: ThreadWatch<Thread>;
}
