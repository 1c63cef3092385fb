// Protocol
//
// The messages between the host and one thread, over one port. README.md tells the steps, the races and why they cannot
// happen. One port for everything: what a thread says arrives in the order it was said, and whatever was said before the
// thread ended can still be read from the host's end.
//
// Owns:      the messages' shapes.
// Does not:  send them (host-thread.ts, thread-server.ts).

import type { MessagePort } from "node:worker_threads";
import type { JsonValue } from "../engine/core/json-value.js";
import type { ErrorCause } from "../engine/core/outcome.js";
import type { WireOutcome } from "./answer-wire.js";

/** A call as it travels to a thread. */
export interface WireCall extends WireCode {
	readonly cell: number;
	readonly args: unknown;
	readonly callId: string;
	readonly runId: string;
	readonly index: number;
	readonly idempotencyKey: string;
}

/**
 * What the thread has claimed: the call in this cell has begun, or its module is loading. The first is what a thread says
 * most, and a bare number costs the host a third of an object.
 */
export type Claimed = number | { readonly loading: number };

export type ToThread =
	/** Calls as JSON text, where their arguments are nothing but JSON; four calls cost a third of a clone that way. */
	| { readonly kind: "calls"; readonly text: string }
	| { readonly kind: "calls"; readonly calls: readonly WireCall[] }
	| { readonly kind: "cancel"; readonly cell: number }
	| { readonly kind: "link"; readonly data: unknown };

/** An answer and what the thread does next, in one message: a message costs more than a short call. */
export interface Answered {
	readonly kind: "answered";
	readonly cell: number;
	readonly answer: WireOutcome;
	/** The last progress report, if it came too soon after the one before it. */
	readonly held?: { readonly update: JsonValue };
	readonly next?: Claimed;
}

export type ToHost =
	| Claimed
	| Answered
	/** The call was taken back while its module loaded. */
	| { readonly kind: "passed"; readonly cell: number; readonly next?: Claimed }
	| { readonly kind: "link"; readonly data: unknown }
	/** Something that an ended call left behind has failed; the call that runs has nothing to do with it. */
	| { readonly kind: "stray"; readonly cause: ErrorCause }
	/** The last words of a thread that ends itself. */
	| { readonly kind: "leaving"; readonly why: Leaving };

export type Leaving =
	| { readonly kind: "exit"; readonly exitCode: number }
	| { readonly kind: "uncaught"; readonly cause: ErrorCause };

/** Where the code of a tool is. */
export interface WireCode {
	readonly moduleUrl: string;
	readonly exportName: string;
}

/** What a thread is opened with: its end of the port and the memory it shares with the host. */
export interface OpenThread {
	readonly port: MessagePort;
	readonly memory: SharedArrayBuffer;
	/** Loaded before any call asks for it. */
	readonly preload: readonly WireCode[];
}
