// Early starts
//
// Reads of a reply that the model still generates. A call may start once its arguments are complete, if every call of a
// lower index is known and a read: what follows something that changes the world must see the changed world, and only
// the closed reply can tell what else is asked for. What started early reaches the wave only if admission clears the
// same call; otherwise it is stopped and nobody hears of it but the events.
//
// Owns:      which calls start early, how many at once, and throwing them away.
// Does not:  admit or account anything.
//
// Invariants:
//   EA1. A call starts early only if every call of a lower index was offered and only reads.
//   EA2. What was started is taken at most once, by the same index, tool and arguments; everything else is discarded.

import type { ConcurrentInvoke, ToolMeta } from "../admission/concurrent-invoke.js";
import { plannedAs } from "../admission/planned-as.js";
import { sameCall, type ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { isRead } from "../core/effect.js";
import type { DiscardReason, EventHub } from "../core/events.js";
import { invariant } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import type { Outcome } from "../core/outcome.js";
import { CallContext, type CallServices } from "../execution/call-context.js";
import { CallEvents } from "../execution/call-events.js";
import { ASKED, type RunLimits, RunningCall } from "../execution/running-call.js";
import { Slots } from "../execution/slots.js";

export interface EarlyParts {
	readonly face: ConcurrentInvoke<unknown>;
	readonly runId: string;
	readonly step: number;
	/** Most early starts at once. */
	readonly max: number;
	readonly limits: RunLimits;
	readonly clock: Clock;
	readonly hub: EventHub;
	/** What the engine that runs the calls keeps open. */
	readonly openIn: object | undefined;
}

interface Startable {
	readonly invocable: Invocable;
	readonly meta: ToolMeta;
}

type Early =
	/** Known; its turn in index order has not come, or it does not start early. */
	| { readonly kind: "offered"; readonly call: ToolCall }
	| { readonly kind: "queued"; readonly call: ToolCall; readonly running: RunningCall }
	| { readonly kind: "started"; readonly call: ToolCall; readonly running: RunningCall }
	| { readonly kind: "gone"; readonly call: ToolCall };

/**
 * The reads of one reply that started before it ended. Made by {@link openAhead}; {@link executeConcurrent} takes it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export class EarlyStarts {
	readonly #parts: EarlyParts;
	readonly #slots: Slots;
	readonly #watch: CallEvents;
	readonly #calls = new Map<number, Early>();
	readonly #services: CallServices;
	/** The lowest index that has not been looked at. */
	#next = 0;
	/** Set once nothing may start early any more. */
	#closed = false;

	constructor(parts: EarlyParts) {
		this.#parts = parts;
		this.#slots = new Slots(parts.max);
		this.#watch = new CallEvents(parts.hub, true);
		const abandon = (context: CallContext): Promise<never> => this.#abandon(context);
		this.#services = { openIn: parts.openIn, lock: abandon, invokeTool: abandon, interrupt: abandon };
	}

	/** Takes a complete call of the reply; an engine's face must have prepared it. */
	offer(index: number, call: ToolCall): void {
		const known = this.#calls.get(index);
		if (known !== undefined) {
			// Two different calls at one place: whatever the reply turns out to say, nothing more is started on a guess.
			if (!sameCall(known.call, call)) this.#doubt(index, known);
			return;
		}
		this.#calls.set(index, { kind: "offered", call });
		this.#advance();
	}

	/** The early run of the admitted call, if there is one; the caller has it from here on. */
	take(index: number, call: ToolCall): RunningCall | undefined {
		const early = this.#calls.get(index);
		if (early === undefined || early.kind === "gone" || early.kind === "offered") return undefined;
		// A queued one is started by the wave like any other call.
		if (early.kind === "queued") {
			this.#calls.set(index, { kind: "gone", call: early.call });
			return undefined;
		}
		if (!sameCall(early.call, call)) {
			this.#throwAway(index, early, "not the admitted call");
			return undefined;
		}
		this.#calls.set(index, { kind: "gone", call: early.call });
		this.#emitUsed(index, early);
		return early.running;
	}

	/** The reply is closed: nothing more starts early. What has started stays until it is taken or discarded. */
	close(): void {
		this.#closed = true;
	}

	/** Throws away whatever was not taken. */
	discard(reason: DiscardReason): void {
		this.#closed = true;
		for (const [index, early] of [...this.#calls]) this.#throwAway(index, early, reason);
	}

	#advance(): void {
		for (;;) {
			const early = this.#calls.get(this.#next);
			if (this.#closed || early?.kind !== "offered") return;
			const { face } = this.#parts;
			const index = this.#next;
			this.#next += 1;
			const meta = safely(() => face.metaOf(early.call));
			if (meta === undefined || !isRead(meta.effect)) {
				this.#closed = true;
				return;
			}
			invariant(index < this.#next, "EA1", `call ${index} was looked at before a lower one`);
			const invocable = safely(() => face.ahead?.(early.call));
			if (invocable !== undefined) this.#queue(index, early.call, { invocable, meta });
		}
	}

	#queue(index: number, call: ToolCall, { invocable, meta }: Startable): void {
		const { runId, step, limits, clock, hub } = this.#parts;
		const identity = { runId, step, index, callId: call.id, name: call.name, path: [index] };
		const running = new RunningCall({
			call,
			invocable,
			context: new CallContext({ identity, read: true, parent: undefined, services: this.#services }),
			read: true,
			limits: { ...limits, toolMs: meta.timeoutMs ?? limits.toolMs },
			clock,
			watch: this.#watch,
		});
		this.#calls.set(index, { kind: "queued", call, running });
		if (hub.watched) hub.emit({ kind: "call_planned", runId, step, index, name: call.name, ...plannedAs(meta) });
		const start = (): void => this.#start(index);
		if (this.#slots.take(start)) start();
	}

	/** Holding a slot. */
	#start(index: number): void {
		const early = this.#calls.get(index);
		if (early?.kind !== "queued" || this.#closed) {
			this.#slots.give();
			return;
		}
		const { call, running } = early;
		this.#calls.set(index, { kind: "started", call, running });
		running.onAnswer((outcome) => this.#answered(index, outcome));
		running.start();
	}

	/** Its answer waits for the reply to end; a call that was thrown away meanwhile has nothing that waits. */
	#answered(index: number, outcome: Outcome | typeof ASKED): void {
		this.#slots.give();
		const early = this.#calls.get(index);
		if (early?.kind !== "started" || outcome === ASKED) return;
		const { runId, step, hub } = this.#parts;
		const { call, running } = early;
		hub.emit({ kind: "ahead_settled", runId, step, index, name: call.name, outcome, ranMs: running.ranMs });
	}

	// What waits for others, or is a call that somebody must admit, cannot happen before admission: the early run is given
	// up, and the call runs from its beginning once it is admitted.
	#abandon(context: CallContext): Promise<never> {
		const early = this.#calls.get(context.index);
		if (early !== undefined) this.#throwAway(context.index, early, "needs admission");
		return Promise.reject(context.signal.reason);
	}

	#doubt(index: number, known: Early): void {
		this.#closed = true;
		this.#throwAway(index, known, "not the admitted call");
	}

	#throwAway(index: number, early: Early, reason: DiscardReason): void {
		this.#calls.set(index, { kind: "gone", call: early.call });
		if (early.kind !== "started") return;
		const { runId, step, hub } = this.#parts;
		const { running, call } = early;
		running.abort(new DOMException(`The early start was discarded: ${reason}`, "AbortError"));
		const ranMs = running.ranMs;
		hub.emit({ kind: "ahead_discarded", runId, step, index, name: call.name, reason, ranMs });
	}

	#emitUsed(index: number, early: Early & { readonly kind: "started" }): void {
		const { runId, step, hub } = this.#parts;
		invariant(this.#calls.get(index)?.kind === "gone", "EA2", `the early start of call ${index} is still to be had`);
		hub.emit({ kind: "ahead_used", runId, step, index, name: early.call.name, hiddenMs: early.running.ranMs });
	}
}

// A face that throws about an early start has its say again at admission, where a throw is that call's outcome.
function safely<Value>(ask: () => Value): Value | undefined {
	try {
		return ask();
	} catch {
		return undefined;
	}
}
