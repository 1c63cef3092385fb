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

import type { PreparingFace } from "../admission/preparing-face.js";
import type { ReplyAhead } from "../ahead/early-starts.js";
import { PlacedCall, sameCall, type ToolCall } from "../core/call.js";
import type { CutReason } from "../core/cut-short.js";
import { EngineError } from "../core/errors.js";
import type { DiscardReason } from "../core/events.js";
import { WAVE_CALLS_MAX } from "../core/limits.js";
import { showValue } from "../core/show-value.js";
import { isThenable } from "../core/thenable.js";
import { incomplete } from "./incomplete-face.js";
import type { InputTeller } from "./input-teller.js";
import type { ReplyItem } from "./reply-item.js";
import type { Abortable, WaveOptions } from "./wave-options.js";
import type { WaveResult } from "./wave-result.js";

/**
 * How a reply can end other than well.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type BadEnd = Extract<DiscardReason, "length" | "filtered" | "failed" | "restarted" | "cancelled">;

/** What a step says of a reply that was fed to it and told neither a good end nor what was wrong. */
const NO_GOOD_END = "the reply has no good end";

const BAD_ENDS: readonly BadEnd[] = ["length", "filtered", "failed", "restarted", "cancelled"];

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
	 * Takes the next item of the reply as `readStream` yields it: offers calls as they are complete, tells the tools' input
	 * hooks, starts over at a restart, and keeps the calls that the reply closes with. After the last item the host settles.
	 *
	 * A hook of a call or a reply that was voided is told nothing more.
	 *
	 * @throws EngineError `STEP_CLOSED`.
	 */
	feed(item: ReplyItem): void;
	/**
	 * The reply ended well: runs the wave. A step that was fed knows better: where its reply has no end, or one that is not
	 * good, it is discarded instead, and the result's `problem` says what was wrong with it.
	 *
	 * @param calls - The calls of the closed reply. Default: those that a fed reply closed with, else what was offered.
	 * @throws EngineError `STEP_CLOSED`; `INVALID_OPTIONS` when a place below an offered call is empty.
	 */
	settle(calls?: readonly ToolCall[]): Promise<WaveResult>;
	/**
	 * The reply did not end well: none of its calls runs and what started early is thrown away. After `'length'` and
	 * `'filtered'` each offered call is accounted as `RESPONSE_INCOMPLETE`; otherwise nothing is written. After
	 * `'restarted'` the step stays open for the calls of the new attempt.
	 *
	 * @throws EngineError `STEP_CLOSED`; `INVALID_OPTIONS` for any other reason, and the step stays as it was.
	 */
	discard(reason: BadEnd): Promise<WaveResult>;
}

export interface StepParts<T> {
	readonly newTeller: () => InputTeller;
	/** A face for one attempt at the reply. */
	readonly newFace: () => PreparingFace<T>;
	readonly newEarly: (face: PreparingFace<T>) => ReplyAhead;
	readonly run: (
		face: PreparingFace<T>,
		calls: readonly ToolCall[],
		own: Pick<WaveOptions, "early" | "prepared">,
	) => Promise<WaveResult>;
	/** Accounts calls that are all answered already: nobody is asked about them, and none stops another. */
	readonly account: (face: PreparingFace<T>, calls: readonly ToolCall[], cut: CutReason) => Promise<WaveResult>;
	readonly options: Pick<WaveOptions, "signal" | "open">;
}

interface Attempt<T> {
	readonly face: PreparingFace<T>;
	readonly early: ReplyAhead;
	readonly calls: ToolCall[];
	readonly preparing: Promise<void>[];
	readonly teller: InputTeller;
	/** Left out until the step is fed. */
	fed?: FedReply;
}

/** What the items said of a reply so far. */
interface FedReply {
	readonly closed: ToolCall[];
	end?: Extract<ReplyItem, { kind: "end" }>;
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
		if (this.#phase.kind === "open") this.#discard("cancelled");
	}

	offer(call: ToolCall, index?: number): void {
		const attempt = this.#open("offer a call");
		const place = index ?? attempt.calls.length;
		if (!Number.isInteger(place) || place < 0 || place >= WAVE_CALLS_MAX) {
			const problem = `its index is ${String(index)}, not a whole number from 0 to ${WAVE_CALLS_MAX - 1}`;
			throw new EngineError("INVALID_OPTIONS", { action: "offer a call", problem });
		}
		void this.#offer(attempt, call, place);
	}

	feed(item: ReplyItem): void {
		const attempt = this.#open("feed the step");
		const { fed = { closed: [] }, early, teller } = attempt;
		attempt.fed = fed;
		switch (item.kind) {
			case "call-started":
				teller.arrived(item);
				return;
			case "call-delta":
				teller.arrived(item, item.delta);
				return;
			case "call-complete":
				this.#feedComplete(attempt, item);
				return;
			case "call-closed":
				fed.closed[item.index] = item.call;
				this.#feedClosed(attempt, item);
				return;
			case "restart":
				void this.discard("restarted");
				return;
			case "end":
				fed.end = item;
				early.close();
				return;
			case "text":
				return;
		}
	}

	async settle(calls?: readonly ToolCall[]): Promise<WaveResult> {
		const attempt = this.#open("settle the step");
		const { fed } = attempt;
		// ST2: a reply that was read to no good end admits nothing, whatever its host makes of it.
		if (fed !== undefined && fed.end?.good !== true) {
			const result = await this.discard(fed.end?.cut ?? "failed");
			return { ...result, problem: fed.end?.problem ?? NO_GOOD_END };
		}
		this.#close("settle the step", "settled");
		const { face, early, preparing } = attempt;
		early.close();
		const whole = calls ?? fed?.closed ?? attempt.calls;
		if (calls === undefined) demandDense(whole);
		// The wave is asked for at once, so that whoever ends it finds it, and begins when what is being prepared is ready.
		return this.#parts.run(face, whole, { early, prepared: Promise.all(preparing) });
	}

	async discard(reason: BadEnd): Promise<WaveResult> {
		if (!BAD_ENDS.includes(reason)) {
			const problem = `the reason is ${showValue(reason)}, none of ${BAD_ENDS.join(", ")}`;
			throw new EngineError("INVALID_OPTIONS", { action: "discard the step", problem });
		}
		const { face, calls } = this.#discard(reason);
		if (reason === "restarted") this.#phase = this.#newPhase();
		if (reason === "length" || reason === "filtered") {
			const whole = calls.filter((call) => call !== undefined);
			return this.#parts.account(incomplete(face, reason), whole, reason);
		}
		return { status: "aborted", results: [], questions: [], steers: [], timing: { totalMs: 0, ranMs: 0 } };
	}

	/** A promise where the call's schema answers by one. */
	#offer({ calls, face, early, preparing }: Attempt<T>, call: ToolCall, place: number): void | Promise<void> {
		const own = new PlacedCall(call, place);
		calls[place] ??= own;
		if (this.#parts.options.signal?.aborted) return;
		const prepared = face.prepare(own, place);
		if (!isThenable(prepared)) {
			early.offer(place, own);
			return;
		}
		const offered = prepared.then(() => early.offer(place, own));
		preparing.push(offered);
		return offered;
	}

	#feedComplete(attempt: Attempt<T>, item: Extract<ReplyItem, { kind: "call-complete" | "call-closed" }>): void {
		const { calls, face, teller } = attempt;
		const offered = this.#offer(attempt, item.call, item.index);
		const own = calls[item.index];
		if (own === undefined || this.#parts.options.signal?.aborted) return;
		teller.complete(item, () => face.parsed(own), offered);
	}

	#feedClosed(
		{ calls, early, teller }: Attempt<T>,
		{ index, call }: Extract<ReplyItem, { index: number; call: ToolCall }>,
	): void {
		const complete = calls[index];
		if (complete === undefined || sameCall(complete, call)) return;
		// It was complete and went on: what started for it is thrown away, and nothing more starts on a guess.
		early.offer(index, new PlacedCall(call, index));
		teller.voidCall(index);
	}

	#discard(reason: BadEnd): Attempt<T> {
		const attempt = this.#close("discard the step", "discarded");
		attempt.early.discard(reason);
		attempt.teller.voidAll();
		return attempt;
	}

	#newPhase(): Phase<T> {
		const { newFace, newEarly, newTeller, options } = this.#parts;
		const face = newFace();
		options.signal?.addEventListener("abort", this.#onAbort, { once: true });
		options.open?.add(this);
		return { kind: "open", attempt: { face, early: newEarly(face), calls: [], preparing: [], teller: newTeller() } };
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
		if (this.#phase.kind === "open") this.#phase.attempt.early.stop("cancelled");
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
