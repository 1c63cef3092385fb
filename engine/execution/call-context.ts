// Call context
//
// The host's side of a tool's context, made for every call; so whatever costs (the abort signal) is made on first use.
//
// Owns:      the stop flag, the signal, the hand-over of progress.
// Does not:  carry any of it to a thread (workers/host-link.ts).

import type { JsonValue } from "../core/json-value.js";
import type { ToolContext } from "../core/tool-context.js";
import { type Lineage, newLineage } from "../locks/lineage.js";

/** What names a call for its tool and for whoever watches. */
export interface CallIdentity {
	readonly runId: string;
	readonly step: number;
	readonly index: number;
	readonly callId: string;
	readonly name: string;
}

export class CallContext implements ToolContext {
	readonly identity: CallIdentity;
	/** Set by the running call; told of each update. */
	running: { progressed(update: JsonValue): void } | undefined;
	readonly #parent: Lineage | undefined;
	#lineage: Lineage | undefined;
	#controller: AbortController | undefined;
	#stopped: { readonly reason: unknown } | undefined;

	/** @param parent - The lineage of the call that this one is nested in. */
	constructor(identity: CallIdentity, parent?: Lineage) {
		this.identity = identity;
		this.#parent = parent;
	}

	/** What the call's locks are held as, and what its own calls descend from. */
	get lineage(): Lineage {
		this.#lineage ??= newLineage(this.#parent);
		return this.#lineage;
	}

	get callId(): string {
		return this.identity.callId;
	}

	get runId(): string {
		return this.identity.runId;
	}

	get index(): number {
		return this.identity.index;
	}

	get idempotencyKey(): string {
		return `${this.identity.runId}/${this.identity.step}/${this.identity.index}`;
	}

	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
		}
		return this.#controller.signal;
	}

	// Bound functions and not methods, because tools take the context apart: `execute: (args, { cancelled }) => ...`.
	get cancelled(): () => boolean {
		return () => this.#stopped !== undefined;
	}

	get progress(): (update: JsonValue) => void {
		return (update) => this.running?.progressed(update);
	}

	/** Tells the tool to stop. The first reason stands. */
	stop(reason: unknown): void {
		if (this.#stopped !== undefined) return;
		this.#stopped = { reason };
		this.#controller?.abort(reason);
	}
}
