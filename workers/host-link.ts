// Host link
//
// How a tool on a thread reaches its host: the members of its context that need an answer or an effect on the host's
// side. Comlink makes the calls; its messages travel over the thread's own port, in order with everything else the
// thread says, so a link opens no port and leaves none, and a tool that does not use it has none.
//
// Owns:      what the host exposes to a call, and Comlink's two ends.
// Does not:  carry what needs no host: the cancel flag and the signal (thread-context.ts).

import { type Endpoint, expose, type Remote, wrap } from "comlink";
import type { JsonValue } from "../engine/core/json-value.js";
import type { ToolContext } from "../engine/core/tool-context.js";

/** What a call may ask of its host. A member of the context that the host must serve is added here, and nowhere else. */
export interface HostLink {
	progress(update: JsonValue): void;
}

type Listener = (event: { readonly data: unknown }) => void;

/** One end of one call's link: where Comlink listens and speaks, without a port of its own. */
export class LinkEnd implements Endpoint {
	readonly #post: (data: unknown) => void;
	#listener: Listener | undefined;
	#closed = false;

	constructor(post: (data: unknown) => void) {
		this.#post = post;
	}

	postMessage(data: unknown): void {
		// Comlink speaks once more when a proxy is collected, which may be long after its call.
		if (!this.#closed) this.#post(data);
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

	close(): void {
		this.#closed = true;
		this.#listener = undefined;
	}
}

/** The host's end: serves one call until the end is closed. */
export function serveLink(end: LinkEnd, context: ToolContext): void {
	const link: HostLink = {
		progress: (update) => context.progress(update),
	};
	expose(link, end);
}

/** The thread's end: what each member returns is a promise of the host's answer. */
export function openLink(end: LinkEnd): Remote<HostLink> {
	return wrap<HostLink>(end);
}
