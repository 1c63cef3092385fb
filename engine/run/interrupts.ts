// Interrupts
//
// The host's asker, as a wave may use it. A callback that shows one dialog drops the second question or answers it for the
// first; so whatever number of waves wait at once, one question stands in front of the person at a time. Each has a limit
// of its own, which starts when it is shown and not while it waits behind another.
//
// Owns:      the line of questions, their limit, and what is no answer.
// Does not:  judge an approval (core/question.ts), or know which call asks next (wave/questions.ts).
//
// Invariants:
//   IR1. One question is with the host's asker at a time.
//   IR2. What is not answered is said to be so; it never reads as a refusal.

import type { Clock } from "../core/clock.js";
import { invariant } from "../core/invariant.js";
import { copyJson, type JsonValue } from "../core/json-value.js";
import { causeOf } from "../core/outcome.js";
import type { AskedQuestion } from "../core/question.js";
import { bounded } from "../core/thenable.js";
import type { Asking, PersonSaid } from "../wave/wave-options.js";

type Asker = (question: AskedQuestion, signal: AbortSignal) => unknown;

export class AskerLine {
	readonly #asker: Asker;
	readonly #clock: Clock;
	#last: Promise<unknown> = Promise.resolve();
	#asking = false;

	constructor(asker: Asker, clock: Clock) {
		this.#asker = asker;
		this.#clock = clock;
	}

	/** Never rejects. The limit is in milliseconds, from the moment the asker is called. */
	ask(question: AskedQuestion, limitMs: number, signal: AbortSignal): Promise<PersonSaid> {
		const said = this.#last.then(() => this.#ask(question, limitMs, signal));
		this.#last = said;
		return said;
	}

	async #ask(question: AskedQuestion, limitMs: number, signal: AbortSignal): Promise<PersonSaid> {
		// The wave was aborted while its question waited behind another's.
		if (signal.aborted) return { unanswered: "the run was aborted" };
		invariant(!this.#asking, "IR1", `the question ${question.id} was asked beside another`);
		this.#asking = true;
		// The asker's own signal, because it ends at the limit too.
		const controller = new AbortController();
		const onAbort = (): void => controller.abort(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
		try {
			const asking = Promise.resolve(this.#asker(question, controller.signal));
			const aborted = new Promise<undefined>((resolve) => {
				controller.signal.addEventListener("abort", () => resolve(undefined), { once: true });
			});
			const bound = { what: "the person", limitMs, clock: this.#clock };
			return answerOf(await bounded(Promise.race([asking, aborted]), bound));
		} catch (error) {
			// IR2: a limit, a throw and a dialog that was closed say nothing about what the person wants.
			return { unanswered: causeOf(error).message };
		} finally {
			signal.removeEventListener("abort", onAbort);
			if (!controller.signal.aborted) controller.abort(new DOMException("The answer is wanted no more", "AbortError"));
			this.#asking = false;
		}
	}
}

/** How a wave asks; with a line, each question for so many milliseconds at most. */
export function askingBy(asker: "pause" | "none" | AskerLine, limitMs: number, rules: Asking["rules"]): Asking {
	if (!(asker instanceof AskerLine)) return { how: asker, rules };
	return { how: (question, signal) => asker.ask(question, limitMs, signal), rules };
}

function answerOf(said: unknown): PersonSaid {
	if (said === undefined) return { unanswered: "the asker gave no answer" };
	const copied = copyJson(said);
	if (!copied.ok) return { unanswered: `the answer is not data at ${copied.path}: ${copied.problem}` };
	return { answer: copied.value as JsonValue };
}
