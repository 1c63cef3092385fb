// Account
//
// Stage three: every answer, one at a time, in call order, whatever order they came in. Accounting goes on as soon as
// the next call in order has settled; what it decides is the call's outcome and becomes its two lines of history.
//
// Owns:      the order, the faults of the accounting half, a call's lines, the stop on an error.
// Does not:  run calls or wait for them (wave/), nor say what accounting does (the face).
//
// Invariants:
//   A1. Call i is accounted exactly once, after every call below i.
//   A2. Both lines of a call stand together, with nothing but its children's between them, after what was received before.
//   A3. A repeat takes the accounted outcome of the call it repeats, which has a lower index.

import type { ToolCall } from "../core/call.js";
import type { ErrorCode } from "../core/call-codes.js";
import type { Clock } from "../core/clock.js";
import { broken, invariant } from "../core/invariant.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import { causeOf, failed, type Outcome, taken } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bounded, isThenable } from "../core/thenable.js";
import { type RanAs, type Registration, toolCalled, toolResult } from "../ledger/call-entries.js";
import type { EntryDraft } from "../ledger/entry.js";
import type { Ledger } from "../ledger/ledger.js";
import { ReorderBuffer } from "./reorder-buffer.js";

/** A call as it comes to accounting. */
export interface Settled {
	readonly index: number;
	readonly call: ToolCall;
	readonly registration: Registration | undefined;
	/** The stamp of the call's admission. */
	readonly at: number;
	/** The call's own outcome, or the index of the equal call whose outcome it repeats. */
	readonly answer:
		| { readonly kind: "own"; readonly outcome: Outcome }
		/** The host cancelled the wave before this call; a stop on an error does not say otherwise. */
		| { readonly kind: "cancelled"; readonly outcome: Outcome }
		| { readonly kind: "repeat"; readonly of: number };
	/** The indexes of the calls that the call is nested in, outermost first, and its own. */
	readonly path: readonly number[];
	/** What was received before the call. */
	readonly before: readonly EntryDraft[];
	/** The lines of the calls that this call made. */
	readonly children: readonly EntryDraft[];
	/** What it ran as, where that is not what the model asked for. */
	readonly ranAs: RanAs | undefined;
	/** The face's accounting half; left out for a call that was answered without a ticket. */
	readonly account: ((outcome: Outcome) => Outcome | Promise<Outcome>) | undefined;
}

/** A call as it leaves accounting. */
export interface Accounted {
	readonly index: number;
	readonly outcome: Outcome;
	readonly replayOf: number | undefined;
	/** How many later calls had settled and waited for this one. */
	readonly held: number;
}

export interface AccountantParts {
	readonly count: number;
	readonly runId: string;
	readonly ledger: Ledger;
	readonly clock: Clock;
	/** Whether the first failed call makes every later one `STOPPED_BY_ERROR`. */
	readonly stopOnError: boolean;
	/** What the first calls ended with that were accounted before a pause. */
	readonly before: readonly Outcome[];
	readonly onAccounted: (accounted: Accounted) => void;
	/** The ledger refused a line, or accounting itself is at fault; nothing is accounted any more. */
	readonly onFailure: (error: unknown) => void;
}

export class Accountant {
	readonly #parts: AccountantParts;
	readonly #buffer: ReorderBuffer<Settled>;
	readonly #outcomes: Outcome[];
	#stoppedBy: number | undefined;
	#pumping = false;
	#failed = false;
	#held = false;
	#waits: { readonly upTo: number; readonly resolve: () => void }[] = [];
	readonly #stillWaits: (() => void)[] = [];

	constructor(parts: AccountantParts) {
		this.#parts = parts;
		this.#buffer = new ReorderBuffer(parts.count, parts.before.length);
		this.#outcomes = [...parts.before];
		const failed = parts.stopOnError ? parts.before.findIndex(isFailure) : -1;
		if (failed >= 0) this.#stoppedBy = failed;
	}

	/** How many calls are accounted; the index of the next. */
	get accounted(): number {
		return this.#outcomes.length;
	}

	/** The call whose failure stopped the wave, where the host chose so. */
	get stoppedBy(): number | undefined {
		return this.#stoppedBy;
	}

	get outcomes(): readonly Outcome[] {
		return this.#outcomes;
	}

	arrive(settled: Settled): void {
		this.#buffer.accept(settled.index, settled);
		if (!this.#pumping) this.#pump();
	}

	/**
	 * Accounts nothing more. For a wave that will pause before it is known which calls are admitted beside the last ones:
	 * those see accounting as of the start of their segment, also when they are admitted after the pause.
	 */
	hold(): void {
		this.#held = true;
	}

	get held(): boolean {
		return this.#held;
	}

	/** Resolves once every call below `upTo` is accounted, or at once if the ledger has failed. */
	whenAccounted(upTo: number): Promise<void> | undefined {
		if (this.#failed || this.accounted >= upTo) return undefined;
		return new Promise((resolve) => this.#waits.push({ upTo, resolve }));
	}

	/** Resolves once no accounting is under way, which a policy may take its time for; nothing where none is. */
	whenStill(): Promise<void> | undefined {
		if (!this.#pumping || this.#failed) return undefined;
		return new Promise((resolve) => this.#stillWaits.push(resolve));
	}

	#pump(): void {
		this.#pumping = true;
		try {
			while (!this.#failed && !this.#held) {
				const settled = this.#buffer.release();
				if (settled === undefined) break;
				const outcome = this.#judge(settled);
				if (isThenable(outcome)) {
					void this.#goOnAfter(settled, outcome);
					return;
				}
				this.#write(settled, outcome);
			}
			this.#pumping = false;
		} catch (error) {
			this.#fail(error);
		} finally {
			this.#wake();
		}
	}

	async #goOnAfter(settled: Settled, judging: PromiseLike<Outcome>): Promise<void> {
		try {
			this.#write(settled, await judging);
		} catch (error) {
			this.#fail(error);
		}
		this.#pump();
	}

	// Whoever brings a call here may be anybody's callback, where nobody would hear of an error.
	#fail(error: unknown): void {
		this.#failed = true;
		this.#parts.onFailure(error);
	}

	#judge(settled: Settled): Outcome | Promise<Outcome> {
		const { index, answer, account } = settled;
		if (index !== this.accounted) broken("A1", `call ${index} came to accounting after call ${this.accounted - 1}`);
		const own = answer.kind === "repeat" ? this.#repeated(index, answer.of) : answer.outcome;
		// A model that is told of a stop takes it that nothing has changed.
		const standsAlone = answer.kind === "cancelled" || isUnknown(own);
		const stoppedBy = standsAlone ? undefined : this.#stoppedBy;
		const outcome = stoppedBy === undefined ? own : stopped(stoppedBy);
		if (account === undefined) return outcome;
		try {
			const judged = account(outcome);
			if (!isThenable(judged)) return checked(judged, outcome);
			const { clock } = this.#parts;
			const waited = bounded(judged, { what: "accounting", limitMs: POLICY_MS_MAX, clock });
			return waited.then((value) => checked(value, outcome), accountingFailed);
		} catch (error) {
			return accountingFailed(error);
		}
	}

	#repeated(index: number, of: number): Outcome {
		const outcome = this.#outcomes[of];
		invariant(outcome !== undefined, "A3", `call ${index} repeats call ${of}, which is not accounted`);
		return outcome;
	}

	#write(settled: Settled, outcome: Outcome): void {
		const { index, call, registration, before, children, answer, at, path } = settled;
		const replayOf = answer.kind === "repeat" && this.#stoppedBy === undefined ? answer.of : undefined;
		// A call after the one that stopped the wave may or may not have run by now, and its entry does not say so.
		const ranAs = this.#stoppedBy === undefined ? settled.ranAs : undefined;
		const { runId, ledger, clock, stopOnError } = this.#parts;
		const called = toolCalled({ runId, at }, { path, call, registration });
		const result = toolResult({ runId, at: clock.now() }, { path, id: call.id, outcome, replayOf, ranAs });
		// What a stopped call has made of calls went with it: a serial run would never have started it.
		const made = this.#stoppedBy === undefined ? children : NO_LINES;
		// A2: one append, so that nothing can come between.
		const alone = before.length === 0 && made.length === 0;
		ledger.append(alone ? [called, result] : [...before, called, ...made, result]);
		this.#outcomes.push(outcome);
		if (stopOnError && this.#stoppedBy === undefined && isFailure(outcome)) this.#stoppedBy = index;
		this.#parts.onAccounted({ index, outcome, replayOf, held: this.#buffer.held });
	}

	#wake(): void {
		if (!this.#pumping || this.#failed) for (const resolve of this.#stillWaits.splice(0)) resolve();
		if (this.#waits.length === 0) return;
		const ready = this.#waits.filter(({ upTo }) => this.#failed || this.accounted >= upTo);
		this.#waits = this.#waits.filter((wait) => !ready.includes(wait));
		for (const { resolve } of ready) resolve();
	}
}

const NO_LINES: readonly EntryDraft[] = [];

// What the host took back itself is no failure of a call.
function isFailure(outcome: Outcome): boolean {
	if (outcome.ok) return false;
	const { code, details } = outcome.error;
	return !TAKEN_BACK.has(code) && details?.reason !== "ABORTED";
}

function isUnknown(outcome: Outcome): boolean {
	return !outcome.ok && outcome.error.code === "OUTCOME_UNKNOWN";
}

const TAKEN_BACK: ReadonlySet<ErrorCode> = new Set(["ABORTED", "ABORTED_BEFORE_DISPATCH", "RESPONSE_INCOMPLETE"]);

function stopped(by: number): Outcome {
	const message = `Call ${by} of this step failed, and the host stops a step at its first error.`;
	return failed("STOPPED_BY_ERROR", { message, details: { index: by } });
}

function checked(judged: Outcome, given: Outcome): Outcome {
	// Mostly the outcome stands as it was, and it is ours already.
	if (judged === given) return given;
	return taken(judged) ?? accountingFailed(new TypeError(`it answered ${showValue(judged)}, which is no outcome`));
}

function accountingFailed(error: unknown): Outcome {
	const cause = causeOf(error);
	return failed("POLICY_FAILED", { message: `The accounting of the call failed: ${cause.message}`, cause });
}
