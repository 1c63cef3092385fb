// Wave lines
//
// The records of one wave, and its history once somebody asks for that. Of the waves that a run has behind it a recovery
// needs no more than their lines, as they stand in the ledger: parsing them and writing them again was most of what a
// recovery cost.
//
// Owns:      the lines, their text, and reading that text back.
// Does not:  say what a history is (wave-history.ts).
//
// Invariants:
//   WL1. A text of lines says of the calls of its wave what the lines say.

import { invariant } from "../core/invariant.js";
import type { Entry, EntryDraft, EntryKind, Intent } from "./entry.js";
import { type RunRecord, UnreadRecord } from "./usual-line.js";
import { WaveHistory } from "./wave-history.js";

/** What a person was asked and said; the answers of the calls are known without it. */
const ASKING_KINDS: ReadonlySet<string> = new Set([
	"question_asked",
	"answer_received",
	"run_paused",
	"run_resumed",
] satisfies EntryKind[]);

export class WaveLines {
	readonly #first: RunRecord;
	readonly #more: RunRecord[] = [];
	#history: WaveHistory | undefined;
	/** How many of those behind the first the history has. */
	#readCount = 0;

	/** `first`: the reply that asks for the wave. */
	constructor(first: RunRecord) {
		this.#first = first;
	}

	/** Whether a person was asked anything. */
	get hasAsked(): boolean {
		return this.#more.some(({ kind }) => ASKING_KINDS.has(kind));
	}

	add(line: RunRecord): void {
		this.#more.push(line);
	}

	/** The history of all the lines so far; the same one each time. Throws `LEDGER_DAMAGED`. */
	read(): WaveHistory {
		this.#history ??= new WaveHistory(recordOf(this.#first));
		for (const line of this.#more.slice(this.#readCount)) this.#history.add(recordOf(line));
		this.#readCount = this.#more.length;
		return this.#history;
	}

	/** The lines that say how its calls ended, as JSON: what `historyIn` reads. */
	text(): string {
		// Joined once, the brackets with them: a text of half a megabyte that is put together again costs as much again.
		const bodies = [`[${bodyOf(this.#first)}`];
		for (const line of this.#more)
			if (line.kind !== "intent" && !ASKING_KINDS.has(line.kind)) bodies.push(bodyOf(line));
		bodies.push(`${bodies.pop()}}]`);
		return bodies.join("},");
	}
}

/** What the lines of a wave's text say of it. */
export function historyIn([first, ...more]: readonly EntryDraft[]): WaveHistory {
	invariant(first !== undefined, "WL1", "the text of a wave's lines has none");
	const history = new WaveHistory(first);
	for (const line of more) history.add(line);
	return history;
}

function bodyOf(line: RunRecord): string {
	return line instanceof UnreadRecord ? line.body : JSON.stringify(line).slice(0, -1);
}

function recordOf(line: RunRecord): Entry | Intent {
	return line instanceof UnreadRecord ? line.read() : line;
}
