// Thread end
//
// How a thread can end, and what that means for a call it had: lost if the call had begun, not loaded if the thread died
// over the call's module, and nothing at all if the call had not begun, for then it runs elsewhere.
//
// Owns:      telling one end from another, and those outcomes with their details.
// Does not:  tell a read from a write; a lost write is made OUTCOME_UNKNOWN by the call that waits for it.

import type { JsonObject } from "../engine/core/json-value.js";
import { type CallErrorParts, causeOf, type ErrorCause, failed, type Outcome } from "../engine/core/outcome.js";
import type { Leaving } from "./protocol.js";

/** Why a thread ended. */
export type ThreadEnd =
	| { readonly kind: "exit"; readonly exitCode: number }
	| { readonly kind: "memory"; readonly exitCode: number; readonly limitMb: number }
	| { readonly kind: "uncaught"; readonly exitCode: number; readonly cause: ErrorCause }
	/** Ended by us after a call's grace, or by somebody else. */
	| { readonly kind: "terminated"; readonly exitCode: number }
	/** A module gave no sign for too long while it loaded. */
	| { readonly kind: "load"; readonly limitMs: number }
	/** It left a call untouched for too long, though it had no other. */
	| { readonly kind: "silent"; readonly limitMs: number }
	| { readonly kind: "start"; readonly problem: string }
	/** Something that an ended call left behind had failed on it. */
	| { readonly kind: "stray" }
	| { readonly kind: "idle" }
	| { readonly kind: "closed" };

/** What is known of a thread whose exit was seen. */
export interface SeenExit {
	/** Why we ended it, if we did. */
	readonly planned: ThreadEnd | undefined;
	readonly wasStarting: boolean;
	readonly lastWords: Leaving | undefined;
	readonly exitCode: number;
	readonly error: unknown;
	readonly heapMb: number;
}

export function endOf({ planned, wasStarting, lastWords, exitCode, error, heapMb }: SeenExit): ThreadEnd {
	if (planned !== undefined) return planned;
	const cause = error === undefined ? undefined : causeOf(error);
	if (wasStarting) return { kind: "start", problem: cause?.message ?? `it exited with code ${exitCode}` };
	if (cause?.code === "ERR_WORKER_OUT_OF_MEMORY") return { kind: "memory", exitCode, limitMb: heapMb };
	if (lastWords?.kind === "uncaught") return { kind: "uncaught", exitCode, cause: lastWords.cause };
	if (lastWords?.kind === "exit") return { kind: "exit", exitCode };
	if (cause !== undefined) return { kind: "uncaught", exitCode, cause };
	// A thread that is terminated by somebody else says nothing and has this code.
	return exitCode === 1 ? { kind: "terminated", exitCode } : { kind: "exit", exitCode };
}

/** The outcome of a call that had begun on a thread that ended. */
export function workerLost(end: ThreadEnd): Outcome {
	return failed("WORKER_LOST", {
		message: `The worker thread ${described(end)} before the call answered.`,
		details: detailsOf(end),
		...("cause" in end && { cause: end.cause }),
	});
}

/** The outcome of a call whose module's loading ended the thread, or for which no thread could be started. */
export function notLoadedOn(end: ThreadEnd, moduleUrl: string): Outcome {
	const said = end.kind === "start" ? described(end) : `${described(end)} while it loaded ${moduleUrl}`;
	return failed("TOOL_NOT_LOADED", {
		message: `The worker thread ${said}.`,
		details: detailsOf(end),
		...(end.kind === "start" && {
			recovery: "Go on without this tool; the host must correct its options for threads.",
		}),
		...("cause" in end && { cause: end.cause }),
	});
}

export function notLoaded(parts: CallErrorParts): Outcome {
	return failed("TOOL_NOT_LOADED", parts);
}

/** The outcome of a call whose arguments, as its schema read them, cannot leave the host's thread. */
export function argumentsNotCloneable(path: string, problem: string): Outcome {
	return failed("NOT_CLONEABLE", {
		message: `The arguments cannot be sent to a worker thread at ${path}: ${problem}.`,
		recovery: "Go on without this tool; its schema must make plain data at the named path.",
		details: { path },
	});
}

/** The end as a part of a sentence whose subject is the thread. */
export function described(end: ThreadEnd): string {
	switch (end.kind) {
		case "exit":
			return `exited with code ${end.exitCode}`;
		case "memory":
			return `used up its heap of ${end.limitMb} MB`;
		case "uncaught":
			return `ended by an error that nothing caught (${end.cause.message})`;
		case "terminated":
			return "was terminated";
		case "load":
			return `was ended after ${end.limitMs} ms`;
		case "silent":
			return `took no call for ${end.limitMs} ms`;
		case "start":
			return `did not start: ${end.problem}`;
		case "stray":
			return "was replaced after an error that an ended call had left behind";
		case "idle":
			return "had nothing to do";
		case "closed":
			return "was closed";
	}
}

function detailsOf(end: ThreadEnd): JsonObject {
	switch (end.kind) {
		case "exit":
		case "uncaught":
		case "terminated":
			return { reason: end.kind, exitCode: end.exitCode };
		case "memory":
			return { reason: end.kind, exitCode: end.exitCode, limitMb: end.limitMb };
		case "load":
		case "silent":
			return { reason: end.kind, limitMs: end.limitMs };
		case "start":
		case "stray":
		case "idle":
		case "closed":
			return { reason: end.kind };
	}
}
