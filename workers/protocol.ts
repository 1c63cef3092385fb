// Protocol
//
// The messages between the host and one thread, over one port. README.md tells the steps, the races and why they cannot
// happen. One port for everything: what a thread says arrives in the order it was said, and whatever was said before the
// thread ended can still be read from the host's end.
//
// Owns:      the messages' shapes.
// Does not:  send them (host-thread.ts, thread-server.ts).

import type { MessagePort } from "node:worker_threads";
import type { ErrorCause } from "../engine/core/outcome.js";
import type { WireOutcome } from "./answer-wire.js";

/** A call as it travels to a thread. */
export interface WireCall {
	readonly cell: number;
	readonly moduleUrl: string;
	readonly exportName: string;
	readonly args: unknown;
	readonly callId: string;
	readonly runId: string;
	readonly index: number;
	readonly idempotencyKey: string;
}

/** Which call the thread has claimed: it is loading the call's module, or it has begun the call. */
export interface Claimed {
	readonly cell: number;
	readonly phase: "loading" | "begun";
}

export type ToThread =
	| { readonly kind: "calls"; readonly calls: readonly WireCall[] }
	| { readonly kind: "cancel"; readonly cell: number }
	| { readonly kind: "link"; readonly cell: number; readonly data: unknown };

export type ToHost =
	| { readonly kind: "claimed"; readonly claimed: Claimed }
	/** An answer and what the thread does next, in one message: a message costs more than a short call. */
	| { readonly kind: "answered"; readonly cell: number; readonly answer: WireOutcome; readonly next?: Claimed }
	/** The call was taken back while its module loaded. */
	| { readonly kind: "passed"; readonly cell: number; readonly next?: Claimed }
	| { readonly kind: "link"; readonly cell: number; readonly data: unknown }
	/** Something that an ended call left behind has failed; the call that runs has nothing to do with it. */
	| { readonly kind: "stray"; readonly cause: ErrorCause }
	/** The last words of a thread that ends itself. */
	| { readonly kind: "leaving"; readonly why: Leaving };

export type Leaving =
	| { readonly kind: "exit"; readonly exitCode: number }
	| { readonly kind: "uncaught"; readonly cause: ErrorCause };

/** What a thread is opened with: its end of the port and the memory it shares with the host. */
export interface OpenThread {
	readonly port: MessagePort;
	readonly memory: SharedArrayBuffer;
}
