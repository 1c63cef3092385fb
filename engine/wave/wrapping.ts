// Wrapping
//
// One call in the hands of its middleware, from its turn to its outcome. Each layer gets one middleware and hands the call
// on to the next; behind the innermost stand the attempts. The middleware may ask for none, one or several; the call
// settles once, with what the outermost layer answers.
//
//   waiting for its step ──▶ in its middleware ◀──▶ an attempt
//            │                     │                    │
//            └──────────▶ settled ◀┴──── abort ─────────┘
//
// Owns:      the layers in their order, the moment of settling, what an abort answers.
// Does not:  know what one layer may do (middleware-layer.ts) or what may be attempted (attempts.ts).
//
// Invariants:
//   WG1. The call settles once; what its middleware does afterwards changes nothing and starts nothing.
//   WG2. An abort settles the call without waiting for its middleware.
//   WG3. A call that has asked a person does not settle, whatever its middleware answers.

import { readArguments } from "../core/call.js";
import { invariant } from "../core/invariant.js";
import type { JsonObject } from "../core/json-value.js";
import { causeOf, failed, type Outcome } from "../core/outcome.js";
import type { CallIdentity } from "../execution/call-identity.js";
import { beforeDispatch } from "../execution/interrupted.js";
import type { Ending } from "../execution/run-in-order.js";
import type { RanAs } from "../ledger/call-entries.js";
import { Attempts, type AttemptsParts } from "./attempts.js";
import type { ClearedForm, PassedOn } from "./call-forms.js";
import type { Wrapped } from "./call-state.js";
import { frozen, MiddlewareLayer } from "./middleware-layer.js";

export class Wrapping<T> implements Wrapped<T> {
	readonly #parts: Omit<AttemptsParts<T>, "args">;
	readonly #attempts: Attempts<T>;
	/** Layers that have not answered. */
	readonly #layers = new Set<MiddlewareLayer>();
	/** What the model asked with, as an object. */
	readonly #args: JsonObject;
	/** There from when the call runs until it settles. */
	#resolve: ((ending: Promise<Ending>) => void) | undefined;

	constructor(parts: Omit<AttemptsParts<T>, "args">) {
		this.#parts = parts;
		const { call, index } = parts.state;
		const read = readArguments(call.args);
		invariant(read.ok, "WG1", `call ${index} was cleared and cannot be read`);
		this.#args = frozen(read.args);
		this.#attempts = new Attempts({ ...parts, args: this.#args });
	}

	get identity(): CallIdentity {
		return this.#attempts.identity;
	}

	get ran(): ClearedForm<T> | undefined {
		return this.#attempts.ran;
	}

	get ranAs(): RanAs | undefined {
		const { ran } = this.#attempts;
		if (ran?.rewritten === undefined || ran.meta === undefined) return undefined;
		return { args: ran.rewritten, effect: ran.meta.effect };
	}

	/** Resolves once the call has settled and nothing of it is under way, to how it leaves its slot. Never rejects. */
	run(): Promise<Ending> {
		const { wave, state, ticket } = this.#parts;
		return new Promise((resolve) => {
			this.#resolve = resolve;
			wave.wraps(state, ticket, this);
			const opened = this.#attempts.whenOpen();
			// At once where it can be, so that calls come to their middleware in call order.
			const outcome = opened === undefined ? this.#outcome() : opened.then(() => this.#outcome());
			// A pause: what the call must run again for is with its attempts.
			void outcome.then(
				(settled) => this.#settle(settled),
				() => this.#settle(beforeDispatch()),
			);
		});
	}

	abort(reason: unknown): void {
		// WG2: an attempt that is under way ends at once for the same reason.
		void this.#attempts.stop(reason).then((outcome) => this.#settle(outcome));
	}

	#outcome(): Promise<Outcome> {
		if (this.#attempts.startsNothing) return Promise.resolve(beforeDispatch());
		return this.#through(0, { args: this.#args, by: undefined });
	}

	/** The call through the layers from `depth` on. */
	#through(depth: number, { args, by }: PassedOn): Promise<Outcome> {
		const { wave, state } = this.#parts;
		const { runId, step, clock, middleware } = wave.options;
		const own = middleware[depth];
		if (own === undefined) return this.#attempts.ask({ args, by });
		const { id, name } = state.call;
		const layer = new MiddlewareLayer({
			middleware: own,
			call: Object.freeze({ id, name, args, runId, step, index: state.index }),
			by,
			clock,
			below: (passed) => this.#through(depth + 1, passed),
			fault: (failing, error) => this.#fault(failing, error),
		});
		if (this.#resolve !== undefined) this.#layers.add(layer);
		// The call has settled, and a middleware that nobody waits for hands it on all the same.
		else layer.unbind();
		const answered = layer.run().finally(() => this.#layers.delete(layer));
		return this.#attempts.unlessUnwound(answered);
	}

	#settle(outcome: Outcome): void {
		const resolve = this.#resolve;
		if (resolve === undefined) return;
		this.#resolve = undefined;
		// WG1: an attempt that the middleware did not wait for is no part of the call any more.
		void this.#attempts.stop(new DOMException("The call's middleware has answered", "AbortError"));
		for (const layer of this.#layers) layer.unbind();
		// What such an attempt has made of calls was stopped with it, and has its lines between those of this call.
		const quiet = this.#attempts.whenQuiet();
		if (quiet === undefined) this.#leave(outcome, resolve);
		else void quiet.then(() => this.#leave(outcome, resolve));
	}

	#leave(outcome: Outcome, resolve: (ending: Promise<Ending>) => void): void {
		const { wave, state } = this.#parts;
		const { unwinds } = this.#attempts;
		// WG3: whatever its middleware made of the pause.
		if (unwinds === undefined) wave.settle(state, outcome);
		else if (wave.startsNothing) wave.settle(state, this.#attempts.unstarted());
		else if (unwinds.why === "asked") wave.interrupt(state, unwinds.left);
		else wave.putBack(state, unwinds.left);
		resolve(this.#attempts.ended());
	}

	#fault(middleware: string, error: unknown): Outcome {
		const cause = causeOf(error);
		const after = this.#attempts.hasActed ? " after the call had run" : "";
		return failed("POLICY_FAILED", {
			message: `The middleware ${middleware} failed${after}: ${cause.message}`,
			recovery: this.#attempts.hasActed
				? "Check whether the change happened before doing it again; the host must correct the middleware that is named."
				: "Go on without this call; the host must correct the middleware that is named.",
			cause,
			details: { middleware },
		});
	}
}
