// Wave history
//
// What a ledger holds of one wave, as far as a recovery needs it. A crash ends the records anywhere: behind
// the reply, between the two lines of a call, behind an intent. What is whole is an answer, what is not is left as it
// stands, and nothing is guessed.
//
// Lines of nested calls stand between their parent's two, and a result names no path; so calls that are open form a
// stack, and a line that does not fit under the open ones closes them. That is how a call that was cut off between its
// lines, and written again by a recovery, is read.
//
// Owns:      the way from records to a wave.
// Does not:  say what becomes of a call without an answer (run/recover.ts).
//
// Invariants:
//   RH1. A call is answered by the result that stands under its own line, never by that of a call nested in it.
//   RH2. An intent is open from its line on until its call is answered, has asked a person, or its wave has paused.

import { isPathWithin } from "../core/call-path.js";
import type { LineRecord, RanAsRecord } from "../core/call-record.js";
import { invariant } from "../core/invariant.js";
import type { JsonObject, JsonValue } from "../core/json-value.js";
import type { EntryDraft, Intent } from "./entry.js";

/** A call as the model asked for it. */
export interface AskedCall {
	readonly id: string;
	readonly name: string;
	readonly args: JsonValue;
	/** A policy changed the arguments on their way into the ledger: they are not what the model asked for. */
	readonly altered?: boolean;
}

/** How a call ended. */
export interface AnsweredCall {
	/** The stamp of its admission. */
	readonly at: number;
	readonly outcome: JsonObject;
	/** The form that it ran as, where middleware made it another than the model asked for. */
	readonly ranAs?: RanAsRecord;
	readonly replayOf?: number;
	/** The lines of the calls that it made. */
	readonly made?: readonly LineRecord[];
}

/** What a call asked a person, and what was said. */
export interface AskedInRun {
	readonly id: string;
	readonly path: readonly number[];
	readonly question: JsonValue;
	/** Left out while nobody has answered. `altered`: a policy changed the answer on its way into the ledger. */
	said?: { readonly answer: JsonValue; readonly altered: boolean } | { readonly unanswered: string } | undefined;
}

/** The intents of a call of a wave, and of the calls that it made, that no answer has closed. */
export interface OpenIntent {
	readonly path: readonly number[];
	readonly at: number;
	readonly idempotent: boolean;
}

/** A call whose first line is there and whose last is not. */
export interface OpenCall {
	readonly path: readonly number[];
	readonly at: number;
	readonly entry: EntryDraft;
}

export class WaveHistory {
	readonly step: number;
	readonly at: number;
	/** What the reply says beside its calls; a policy may have put anything in its place. */
	readonly text: JsonValue;
	readonly calls: readonly AskedCall[];
	/** Why the reply ended before its calls could run. */
	readonly cut: "length" | "filtered" | undefined;
	/** In call order, without a gap. */
	readonly answered: AnsweredCall[] = [];
	readonly steers: string[] = [];
	cancelled = false;
	/** What stands in the ledger of the call that comes next, up to where it was cut off. */
	readonly tail: EntryDraft[] = [];
	readonly asked = new Map<string, AskedInRun>();
	/** What the last pause wrote down. */
	paused: JsonObject | undefined;
	/** Whether the wave has gone on since. */
	resumed = false;
	/** Steers that its last pause had kept back, and how many it had been told of by then. */
	#keptBack: { readonly steers: readonly string[]; readonly told: number } = { steers: [], told: 0 };
	#intents: OpenIntent[] = [];
	#open: OpenCall[] = [];

	constructor({ at, data }: Pick<EntryDraft, "at" | "data">) {
		this.step = data.step as number;
		this.at = at;
		this.text = data.text ?? "";
		this.calls = data.calls as unknown as AskedCall[];
		this.cut = data.cut as WaveHistory["cut"];
	}

	/** What the host had said before the call that comes next; nothing where it is not known that it was asked. */
	get heard(): readonly EntryDraft[] | undefined {
		return this.tail.length === 0 ? undefined : this.tail.filter(({ kind }) => HOST_KINDS.has(kind));
	}

	/** The calls that the lines of the call that comes next were cut off in, innermost first: called, and not answered. */
	get cutOff(): readonly OpenCall[] {
		return this.tail.length === 0 ? [] : this.#open.slice(1).reverse();
	}

	get intents(): readonly OpenIntent[] {
		return this.#intents;
	}

	/** Steers that the host was told are taken, and that no line says yet. They are written in the order in which they came. */
	get keptBack(): readonly string[] {
		const { steers, told } = this.#keptBack;
		return steers.slice(Math.max(0, this.steers.length - told));
	}

	add(record: EntryDraft | Intent): void {
		const { data } = record;
		switch (record.kind) {
			case "intent":
				this.#intend(record);
				return;
			case "tool_called":
				this.#called(record);
				return;
			case "tool_result":
				this.#returned(record);
				return;
			case "steer_received":
				this.steers.push(data.text as string);
				this.tail.push(record);
				return;
			case "cancel_received":
				this.cancelled = true;
				this.tail.push(record);
				return;
			case "question_asked":
				this.#question(data);
				return;
			case "answer_received":
				this.#answer(data);
				return;
			case "run_paused":
				this.#pause(data);
				// RH2: a wave pauses only while none of its calls runs.
				this.#intents = [];
				return;
			case "run_resumed":
				this.resumed = true;
				return;
			case "run_started":
			case "model_called":
			case "model_returned":
			case "run_finished":
				// Of the calls of this wave they say nothing; between a call's lines they are what it made.
				if (this.#open.length > 0) this.tail.push(record);
				return;
		}
	}

	#pause({ checkpoint, steers = [] }: JsonObject): void {
		this.paused = checkpoint as JsonObject;
		this.resumed = false;
		const { steers: told = [] } = this.paused as { readonly steers?: readonly string[] };
		this.#keptBack = { steers: steers as string[], told: told.length };
	}

	#intend({ at, data }: Intent): void {
		if (data.step !== this.step) return;
		this.#intents.push({ at, path: data.lineage as number[], idempotent: data.idempotent === true });
	}

	#called(entry: EntryDraft): void {
		const path = entry.data.lineage as number[];
		// RH1: what is open and no parent of this call was cut off; a call that begins anew leaves nothing of its first try.
		while (this.#open.length > 0 && !isUnder(path, this.#open.at(-1)?.path ?? [])) this.#open.pop();
		if (path.length === 1 && path[0] !== this.answered.length) return;
		const begun = this.tail.findIndex(({ kind }) => kind === "tool_called");
		if (path.length === 1 && begun >= 0) this.tail.splice(begun);
		this.#open.push({ path, at: entry.at, entry });
		this.tail.push(entry);
	}

	#returned(entry: EntryDraft): void {
		const { index, outcome, replayOf, ranAs } = entry.data;
		const call = this.#open.pop();
		if (call === undefined || call.path.at(-1) !== index) return;
		this.tail.push(entry);
		if (call.path.length > 1) return;
		invariant(index === this.answered.length, "RH1", `call ${String(index)} was answered out of turn`);
		const begun = this.tail.findIndex(({ kind }) => kind === "tool_called");
		const made = this.tail.slice(begun + 1, -1);
		this.answered.push({
			at: call.at,
			outcome: outcome as JsonObject,
			...(replayOf !== undefined && { replayOf: replayOf as number }),
			...(ranAs !== undefined && { ranAs: ranAs as unknown as RanAsRecord }),
			...(made.length > 0 && { made }),
		});
		this.tail.length = 0;
		this.#intents = this.#intents.filter(({ path }) => path[0] !== index);
	}

	#question({ id, lineage, question = null }: JsonObject): void {
		const path = lineage as number[];
		this.asked.set(id as string, { id: id as string, path, question });
		// RH2: whoever asks has unwound, and so have the calls that it is nested in.
		this.#intents = this.#intents.filter((intent) => !isPathWithin(path, intent.path));
	}

	#answer({ id, answer = null, unanswered, altered }: JsonObject): void {
		const asked = this.asked.get(id as string);
		if (asked === undefined) return;
		asked.said = typeof unanswered === "string" ? { unanswered } : { answer, altered: altered === true };
	}
}

const HOST_KINDS: ReadonlySet<string> = new Set(["steer_received", "cancel_received"]);

/** Whether the path is that of a call made by the call of the other path. */
function isUnder(path: readonly number[], parent: readonly number[]): boolean {
	return path.length === parent.length + 1 && isPathWithin(path, parent);
}
