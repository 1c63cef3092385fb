// Thread start
//
// What stands between a thread's life (host-thread.ts) and whatever makes threads (pool.ts): how one is started, and how
// it says that it is gone.
//
// Owns:      that seam.
// Does not:  make a thread.

import type { OpenThread } from "./protocol.js";

export interface StartedThread {
	/** Resolves once the thread serves its port; may reject, or stay pending, if the thread ends first. */
	readonly opened: Promise<unknown>;
	/** How long its event loop has been busy so far, in milliseconds. */
	busyMs(): number;
	/** Keeps the process alive until the thread's exit is seen. */
	hold(): void;
	/** Ends the thread, whatever it does. Idempotent. */
	end(): void;
}

/** Called once, when no code of the thread runs any more. `error` is what ended it, if anything was thrown. */
export type OnExit = (exitCode: number, error: unknown) => void;

/** Throws when no thread can be made at all. */
export type StartThread = (open: OpenThread, onExit: OnExit) => StartedThread;
