// Host link
//
// How a tool on a thread reaches its host: the members of its context that need an answer or an effect on the host's
// side. Comlink makes the calls; its messages travel over the thread's own port, in order with everything else the
// thread says, so the link opens no port and leaves none. It is made when a call first uses it, once a thread: making
// one for each call costs more than the call.
//
// Owns:      what the host exposes to calls, and Comlink's two ends.
// Does not:  carry what needs no host: the cancel flag and the signal (thread-context.ts).

import { type Endpoint, expose, type Remote, wrap } from "comlink";
import { INVOKED_ON_THREAD, type InvokedCall, type ServesThreads } from "../engine/core/invoked-on-thread.js";
import type { JsonValue } from "../engine/core/json-value.js";
import type { LockKeys } from "../engine/core/lock-keys.js";
import type { ToolContext, ToolValue } from "../engine/core/tool-context.js";
import { toWireError, type WireError } from "./error-wire.js";

export type { Remote } from "comlink";

/** What the host answered, or threw. Comlink's own way with errors keeps neither their codes nor their causes. */
export type HostAnswer<Value> =
	| { readonly ok: true; readonly value: Value }
	| { readonly ok: false; readonly error: WireError };

/**
 * What a call, named by its cell, may ask of its host. A member of the context that the host must serve is added here
 * and in `serveLink`.
 */
export interface HostLink {
	progress(cell: number, update: JsonValue): void;
	/** The answer is the grant's number, by which `unlock` lets it go; a function could not cross without a port. */
	lock(cell: number, keys: LockKeys): Promise<HostAnswer<number>>;
	unlock(cell: number, grant: number): void;
	invokeTool(cell: number, call: InvokedCall): Promise<HostAnswer<ToolValue>>;
	interrupt(cell: number, question: JsonValue): Promise<HostAnswer<JsonValue>>;
}

/** The host's side of the calls in hand, by their cells. */
export interface LinkedCalls {
	/** `undefined` once the call is over. */
	contextIn(cell: number): ToolContext | undefined;
	/** Asks the host on behalf of a call that waits for the answer; a call that is over is refused. */
	ask<Value>(cell: number, question: (context: ToolContext) => Promise<Value>): Promise<Value>;
}

type Listener = (event: { readonly data: unknown }) => void;

/** One end of the link: where Comlink listens and speaks, without a port of its own. */
export class LinkEnd implements Endpoint {
	readonly postMessage: (data: unknown) => void;
	#listener: Listener | undefined;

	constructor(post: (data: unknown) => void) {
		this.postMessage = post;
	}

	// Comlink passes a function; its type also knows the browser's listener objects.
	addEventListener(_type: string, listener: unknown): void {
		this.#listener = listener as Listener;
	}

	removeEventListener(): void {
		this.#listener = undefined;
	}

	receive(data: unknown): void {
		this.#listener?.({ data });
	}
}

/** The host's end. */
export function serveLink(end: LinkEnd, calls: LinkedCalls): void {
	// By the call's context, so that what a call did not let go is forgotten with it.
	const grants = new WeakMap<ToolContext, Map<number, () => void>>();
	let grantsMade = 0;
	const lock = async (context: ToolContext, keys: LockKeys): Promise<number> => {
		const release = await context.lock(keys);
		grantsMade += 1;
		const own = grants.get(context) ?? new Map<number, () => void>();
		grants.set(context, own.set(grantsMade, release));
		return grantsMade;
	};
	const link: HostLink = {
		progress: (cell, update) => calls.contextIn(cell)?.progress(update),
		lock: (cell, keys) => answer(() => calls.ask(cell, (context) => lock(context, keys))),
		unlock(cell, grant) {
			const context = calls.contextIn(cell);
			const own = context && grants.get(context);
			own?.get(grant)?.();
			own?.delete(grant);
		},
		interrupt: (cell, question) => answer(() => calls.ask(cell, (context) => context.interrupt(question))),
		invokeTool: (cell, call) => answer(() => calls.ask(cell, (context) => invoke(context, call))),
	};
	expose(link, end);
}

// Whoever gives calls a context of its own, as a test of an executor does, need not know threads.
function invoke(context: ToolContext & Partial<ServesThreads>, call: InvokedCall): Promise<ToolValue> {
	return context[INVOKED_ON_THREAD]?.(call) ?? context.invokeTool(call.name, call.args);
}

async function answer<Value>(question: () => Promise<Value>): Promise<HostAnswer<Value>> {
	try {
		return { ok: true, value: await question() };
	} catch (error) {
		return { ok: false, error: toWireError(error) };
	}
}

/** The thread's end: what each member returns is a promise of the host's answer. */
export function openLink(end: LinkEnd): Remote<HostLink> {
	return wrap<HostLink>(end);
}
