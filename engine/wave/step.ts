// Step
//
// One model reply while it streams: calls are offered as their arguments are complete, reads among them start early,
// and the end of the reply decides. A good end runs the wave; any other end runs none of it.
//
//   open ──settle──▶ settled
//    │ ▲ └─discard──▶ discarded
//    └─┘ restarted: everything offered is void, the step takes the calls of the new attempt
//
// Owns:      that sequence, and the early starts of the reply.
// Does not:  run the stages (wave.ts) or choose what starts early (ahead/early-starts.ts).
//
// Invariants:
//   ST1. A step is settled or discarded once.
//   ST2. A reply that did not end well runs none of its calls.

import type { PreparingFace } from "../admission/policy-face.js";
import type { EarlyStarts } from "../ahead/early-starts.js";
import { PlacedCall, type ToolCall } from "../core/call.js";
import { EngineError, InvariantError } from "../core/errors.js";
import type { DiscardReason } from "../core/events.js";
import { failed, type Outcome } from "../core/outcome.js";
import { isThenable } from "../core/thenable.js";
import type { Abortable, WaveOptions } from "./wave-options.js";
import type { WaveResult } from "./wave-result.js";

/**
 * How a reply can end other than well.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type BadEnd = Exclude<DiscardReason, "not the admitted call" | "needs admission">;

/**
 * A reply that streams. Made by `engine.openStep()`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Step {
	/**
	 * Tells of a call whose arguments are complete. It may start at once, if it and every call of a lower index only read.
	 *
	 * @param index - The call's place in the reply. Default: the one after the last offered.
	 * @throws EngineError `STEP_CLOSED`.
	 */
	offer(call: ToolCall, index?: number): void;
	/**
	 * The reply ended well: runs the wave.
	 *
	 * @param calls - The calls of the closed reply. Default: those that were offered.
	 * @throws EngineError `STEP_CLOSED`; `INVALID_OPTIONS` when a place below an offered call is empty.
	 */
	settle(calls?: readonly ToolCall[]): Promise<WaveResult>;
	/**
	 * The reply did not end well: none of its calls runs and what started early is thrown away. After `'length'` and
	 * `'filtered'` each offered call is accounted as `RESPONSE_INCOMPLETE`; otherwise nothing is written. After
	 * `'restarted'` the step stays open for the calls of the new attempt.
	 *
	 * @throws EngineError `STEP_CLOSED`.
	 */
	discard(reason: BadEnd): Promise<WaveResult>;
}

export interface StepParts<T> {
	/** A face for one attempt at the reply. */
	readonly newFace: () => PreparingFace<T>;
	readonly newEarly: (face: PreparingFace<T>) => EarlyStarts;
	readonly run: (face: PreparingFace<T>, calls: readonly ToolCall[], early: EarlyStarts) => Promise<WaveResult>;
	/** Accounts calls that are all answered already: nobody is asked about them, and none stops another. */
	readonly account: (face: PreparingFace<T>, calls: readonly ToolCall[]) => Promise<WaveResult>;
	readonly options: Pick<WaveOptions, "signal" | "open">;
}

interface Attempt<T> {
	readonly face: PreparingFace<T>;
	readonly early: EarlyStarts;
	readonly calls: ToolCall[];
	readonly preparing: Promise<void>[];
}

type Phase<T> =
	| { readonly kind: "open"; readonly attempt: Attempt<T> }
	| { readonly kind: "closed"; readonly how: "settled" | "discarded" };

export class StreamedStep<T> implements Step, Abortable {
	readonly #parts: StepParts<T>;
	#phase: Phase<T>;

	constructor(parts: StepParts<T>) {
		this.#parts = parts;
		this.#phase = this.#newPhase();
	}

	/** For a closing engine: the step ends as one that was cancelled. */
	abort(): void {
		if (this.#phase.kind === "open") this.#close("close the engine", "discarded").early.discard("cancelled");
	}

	offer(call: ToolCall, index?: number): void {
		const { calls, face, early, preparing } = this.#open("offer a call");
		const place = index ?? calls.length;
		if (!Number.isInteger(place) || place < 0) {
			const problem = `its index is ${String(index)}, not a whole number from 0`;
			throw new EngineError("INVALID_OPTIONS", { action: "offer a call", problem });
		}
		const own = new PlacedCall(call, place);
		calls[place] ??= own;
		if (this.#parts.options.signal?.aborted) return;
		const prepared = face.prepare(own, place);
		if (isThenable(prepared)) preparing.push(prepared.then(() => early.offer(place, own)));
		else early.offer(place, own);
	}

	async settle(calls?: readonly ToolCall[]): Promise<WaveResult> {
		const { face, early, calls: offered, preparing } = this.#close("settle the step", "settled");
		early.close();
		if (calls === undefined) demandDense(offered);
		// What is being prepared finishes first: a schema that is parsed once cannot be parsed again by the wave.
		await Promise.all(preparing);
		return this.#parts.run(face, calls ?? offered, early);
	}

	async discard(reason: BadEnd): Promise<WaveResult> {
		const { face, early, calls } = this.#close("discard the step", "discarded");
		early.discard(reason);
		if (reason === "length" || reason === "filtered") {
			const whole = calls.filter((call) => call !== undefined);
			return this.#parts.account(incomplete(face, reason), whole);
		}
		if (reason === "restarted") this.#phase = this.#newPhase();
		return { status: "aborted", results: [], steers: [], timing: { totalMs: 0, ranMs: 0 } };
	}

	#newPhase(): Phase<T> {
		const { newFace, newEarly, options } = this.#parts;
		const face = newFace();
		options.signal?.addEventListener("abort", this.#onAbort, { once: true });
		options.open?.add(this);
		return { kind: "open", attempt: { face, early: newEarly(face), calls: [], preparing: [] } };
	}

	#open(action: string): Attempt<T> {
		if (this.#phase.kind === "open") return this.#phase.attempt;
		throw new EngineError("STEP_CLOSED", { action, problem: `the step was ${this.#phase.how} already` });
	}

	#close(action: string, how: "settled" | "discarded"): Attempt<T> {
		// ST1: whoever closes the step first has its attempt; the next finds no open one.
		const attempt = this.#open(action);
		const { signal, open } = this.#parts.options;
		this.#phase = { kind: "closed", how };
		signal?.removeEventListener("abort", this.#onAbort);
		open?.delete(this);
		return attempt;
	}

	// An abort while the model streams: nothing more starts early. The host still settles or discards.
	readonly #onAbort = (): void => {
		if (this.#phase.kind === "open") this.#phase.attempt.early.discard("cancelled");
	};
}

function demandDense(calls: readonly (ToolCall | undefined)[]): void {
	for (let index = 0; index < calls.length; index += 1) {
		if (calls[index] !== undefined) continue;
		const problem = `call ${index} was never offered, and call ${calls.length - 1} was`;
		const recovery = "Offer every call, or settle with the calls of the closed reply.";
		throw new EngineError("INVALID_OPTIONS", { action: "settle the step", problem, recovery });
	}
}

// ST2: the calls go through the stages so that each has its outcome and its lines, and none can be cleared.
function incomplete<T>(face: PreparingFace<T>, reason: "length" | "filtered"): PreparingFace<T> {
	const why = reason === "length" ? "it reached the length limit" : "the provider filtered it";
	const outcome: Outcome = failed("RESPONSE_INCOMPLETE", {
		message: `Not run: the reply is incomplete, ${why}.`,
		details: { reason },
	});
	const never = (): never => {
		throw new InvariantError("ST2", "a call of an incomplete reply came to admission");
	};
	return {
		prepare: (call, index) => face.prepare(call, index),
		metaOf: (call) => face.metaOf(call),
		answeredWithout: () => outcome,
		another: never,
		rewrite: never,
		admit: never,
		tool: never,
		account: never,
	};
}
