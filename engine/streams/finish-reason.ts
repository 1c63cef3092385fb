// Finish reason
//
// The provider's word for how its reply ended. Some send it twice, some send a second one that contradicts the first,
// and a word that is not known may mean anything.
//
// Owns:      which of several reasons counts, and the end that follows from it.
// Does not:  know any provider's words (each format has its table).
//
// Invariants:
//   FR1. A reason that is not good is never replaced by one that is.

import type { EndMeaning, Reply } from "./reply.js";

export class FinishReason {
	readonly #meanings: ReadonlyMap<string, EndMeaning>;
	#word = "";

	constructor(meanings: ReadonlyMap<string, EndMeaning>) {
		this.#meanings = meanings;
	}

	/** The reason that counts so far; empty if there was none. */
	get word(): string {
		return this.#word;
	}

	/** A word that is in no table fails the reply: it may mean that something is missing. */
	get meaning(): EndMeaning {
		return this.#meanings.get(this.#word) ?? "failed";
	}

	say(word: string): void {
		// FR1: of two that contradict each other the worse one counts, whichever came first.
		if (word !== "" && (this.#word === "" || this.meaning === "good")) this.#word = word;
	}

	forget(): void {
		this.#word = "";
	}

	/** Ends the reply; `asksForCalls` are the words that cannot be true of a reply without any. */
	end(reply: Reply, asksForCalls: ReadonlySet<string>): void {
		const word = this.#word;
		if (word === "") reply.fail({ problem: "the reply ended without a finish reason" });
		else if (asksForCalls.has(word) && reply.calls.length === 0)
			reply.fail({ problem: "the reply asks for calls, holds none", reason: word });
		else reply.end(word, this.meaning);
	}
}
