// Middleware layer
//
// One middleware around one call. Whatever it does, the layer below is asked only through `next`, and the layer above
// gets one outcome.
//
// Owns:      what a middleware may return, throw, rewrite and how often it may ask; the bound of its own time.
// Does not:  run the call (wrapping.ts is behind the last layer).
//
// Invariants:
//   ML1. A layer answers exactly once, with an outcome.
//   ML2. Its bound counts only while nothing that it asked for is under way.
//   ML3. What only observes changes nothing: its layer answers what `next` gave.

import { readArguments, type ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { invariant } from "../core/invariant.js";
import { copyJson, type JsonObject } from "../core/json-value.js";
import { MIDDLEWARE_NEXT_MAX, POLICY_MS_MAX } from "../core/limits.js";
import { answered, failed, isOutcome, type Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { hearOut, isThenable, NeverSettled } from "../core/thenable.js";
import type { PassedOn } from "./call-forms.js";
import type { Middleware, WrappedCall } from "./middleware.js";

export interface LayerParts {
	readonly middleware: Middleware;
	readonly call: WrappedCall;
	readonly clock: Clock;
	/** The layers below; rejects with a pause alone. */
	readonly below: (passed: PassedOn) => Promise<Outcome>;
	/** Who left the arguments as they come, where it was not the model. */
	readonly by: string | undefined;
	/** The outcome of a call whose middleware failed. */
	readonly fault: (middleware: string, error: unknown) => Outcome;
}

export class MiddlewareLayer {
	readonly #parts: LayerParts;
	#asked = 0;
	#underWay = 0;
	#bounded = true;
	#cancelBound: () => void = () => undefined;
	#resolve: ((outcome: Outcome) => void) | undefined;
	/** What was asked for last. */
	#given: Promise<Outcome> | undefined;

	constructor(parts: LayerParts) {
		this.#parts = parts;
	}

	/** Resolves to the layer's outcome; never rejects. */
	run(): Promise<Outcome> {
		return new Promise((resolve) => {
			this.#resolve = resolve;
			this.#armBound();
			const { middleware, call } = this.#parts;
			try {
				const said = middleware.wrapToolCall(call, this.#next);
				if (isThenable(said)) void Promise.resolve(said).then(this.#returned, this.#threw);
				else this.#returned(said);
			} catch (error) {
				this.#threw(error);
			}
		});
	}

	readonly #next = (given?: Pick<ToolCall, "name" | "args">): Promise<Outcome> => {
		const { middleware, call, below, by, fault } = this.#parts;
		this.#asked += 1;
		if (this.#asked > MIDDLEWARE_NEXT_MAX) return this.#askedTooOften();
		if (this.#resolve === undefined) return Promise.resolve(answeredAlready(middleware.name));
		if (middleware.observesOnly === true && this.#given !== undefined) return this.#given;
		const read = given === undefined || given === call ? { args: call.args } : rewriteOf(call, given);
		if ("problem" in read) {
			this.#given = Promise.resolve(unusable(middleware.name, read.problem));
		} else if (middleware.observesOnly === true && read.args !== call.args) {
			const error = new TypeError("it says that it only observes, and passed other arguments on");
			this.#given = Promise.resolve(fault(middleware.name, error));
		} else {
			const changed = read.args !== call.args;
			this.#given = this.#whileUnderWay(below({ args: read.args, by: changed ? middleware.name : by }));
			hearOut(this.#given);
		}
		return this.#given;
	};

	// A loop around `next` that never gives up would not even let the event loop turn once the call cannot run any more. So
	// it is left waiting: nobody waits for it.
	#askedTooOften(): Promise<Outcome> {
		this.#threw(new RangeError(`it called next more than ${MIDDLEWARE_NEXT_MAX} times`));
		return new Promise(() => undefined);
	}

	async #whileUnderWay(asking: Promise<Outcome>): Promise<Outcome> {
		this.#underWay += 1;
		this.#cancelBound();
		try {
			return await asking;
		} finally {
			this.#underWay -= 1;
			// ML2: what the middleware does with the outcome is its own time again.
			if (this.#underWay === 0) this.#armBound();
		}
	}

	/** Nobody waits for the layer any more, so it may take as long as it likes. */
	unbind(): void {
		this.#bounded = false;
		this.#cancelBound();
	}

	#armBound(): void {
		if (this.#resolve === undefined || !this.#bounded) return;
		const { clock, middleware } = this.#parts;
		const expired = (): void => this.#threw(new NeverSettled(`the middleware ${middleware.name}`, POLICY_MS_MAX));
		this.#cancelBound = clock.setTimer(expired, POLICY_MS_MAX);
	}

	readonly #returned = (said: Outcome): void => {
		if (this.#parts.middleware.observesOnly === true) {
			// ML3: it may not even have waited for the outcome.
			if (this.#given === undefined) this.#threw(new TypeError("it says that it only observes, and did not call next"));
			else void this.#given.then((outcome) => this.#answer(outcome), this.#threw);
			return;
		}
		if (isOutcome(said)) this.#answer(asData(said));
		else this.#threw(new TypeError(`it answered ${showValue(said)}, which is no outcome`));
	};

	// What a call pauses with comes through here from below, and is the one thing that must go on up as it came.
	readonly #threw = (error: unknown): void => {
		const { fault, middleware } = this.#parts;
		if (this.#resolve !== undefined) this.#answer(fault(middleware.name, error));
	};

	#answer(outcome: Outcome): void {
		const resolve = this.#resolve;
		if (resolve === undefined) return;
		invariant(isOutcome(outcome), "ML1", `the middleware ${this.#parts.middleware.name} answered no outcome`);
		this.#resolve = undefined;
		this.#cancelBound();
		resolve(outcome);
	}
}

type Rewrite = { readonly args: JsonObject } | { readonly problem: string };

/** The arguments that a middleware passed on, as an object that nobody can change any more. */
function rewriteOf(call: WrappedCall, given: unknown): Rewrite {
	if (typeof given !== "object" || given === null) return { problem: `it passed on ${showValue(given)}, not a call` };
	const { name, args } = given as { readonly name?: unknown; readonly args?: unknown };
	if (name !== call.name)
		return { problem: `it passed on a call of ${showValue(name)}, and the call is of ${call.name}` };
	if (args === call.args) return { args: call.args };
	const read = readArguments(args);
	return read.ok ? { args: frozen(read.args) } : { problem: `the arguments cannot be read: ${read.problem}` };
}

/** A call that middleware left in a state in which it cannot run. */
export function unusable(middleware: string, problem: string): Outcome {
	const recovery = "Go on without this call; the host must correct the middleware that is named.";
	const message = `The middleware ${middleware} left a call that cannot run: ${problem}.`;
	return failed("INVALID_ARGUMENTS", { message, recovery, details: { middleware } });
}

function answeredAlready(middleware: string): Outcome {
	const message = `The middleware ${middleware} called next after it had answered; nothing was run.`;
	return failed("ABORTED_BEFORE_DISPATCH", { message });
}

export function frozen(data: JsonObject): JsonObject {
	for (const value of Object.values(data)) if (typeof value === "object" && value !== null) frozen(value as JsonObject);
	return Object.freeze(data);
}

// An outcome of the middleware's own goes the way of a tool's answer: it must be data before it comes near the ledger.
function asData(outcome: Outcome): Outcome {
	if (outcome.ok) return answered(outcome.value);
	const { details } = outcome.error;
	if (details === undefined) return outcome;
	const copied = copyJson(details);
	return { ok: false, error: { ...outcome.error, details: copied.ok ? (copied.value as JsonObject) : {} } };
}
