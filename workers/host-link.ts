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
import type { JsonValue } from "../engine/core/json-value.js";
import type { ToolContext } from "../engine/core/tool-context.js";

export type { Remote } from "comlink";

/**
 * What a call, named by its cell, may ask of its host. A member of the context that the host must serve is added here
 * and in `serveLink`.
 */
export interface HostLink {
	progress(cell: number, update: JsonValue): void;
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

/** The host's end. A cell whose call is over answers nobody. */
export function serveLink(end: LinkEnd, contextIn: (cell: number) => ToolContext | undefined): void {
	const link: HostLink = {
		progress: (cell, update) => contextIn(cell)?.progress(update),
	};
	expose(link, end);
}

/** The thread's end: what each member returns is a promise of the host's answer. */
export function openLink(end: LinkEnd): Remote<HostLink> {
	return wrap<HostLink>(end);
}
