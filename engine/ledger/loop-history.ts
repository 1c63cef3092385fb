// Loop history
//
// What a ledger holds of the loop around a run's waves: what it began with, how often the model was asked, what it replied
// and what the host said meanwhile. A run that `engine.run` made is told from waves of a host's own by its first line.
//
// Owns:      the conversation as turns, how far the loop had come, how long the run had gone on.
// Does not:  read the lines of a wave (wave-history.ts) or make messages of turns (run/).

import type { JsonObject, JsonValue } from "../core/json-value.js";
import type { EntryDraft } from "./entry.js";
import type { RunRecord } from "./usual-line.js";
import type { WaveHistory } from "./wave-history.js";

/** What the conversation got, in order. A value that a policy put in a text's or a list's place may be anything. */
export type Turn =
	| { readonly kind: "given"; readonly messages: JsonValue }
	/** A steer that no wave was told of. */
	| { readonly kind: "steer"; readonly text: JsonValue }
	| { readonly kind: "reply"; readonly wave: WaveHistory };

/** How far the loop had come. */
export type LoopStand =
	/** The model is asked next. */
	| { readonly kind: "between" }
	/** It was asked, and no reply stands. */
	| { readonly kind: "asked" }
	/** Its reply stands; what comes next is not known to have begun. */
	| { readonly kind: "replied"; readonly wave: WaveHistory }
	| { readonly kind: "finished"; readonly status: string; readonly why: JsonValue | undefined };

export class LoopHistory {
	readonly turns: Turn[];
	stand: LoopStand = { kind: "between" };
	/** How often the model was asked. */
	steps = 0;
	/** Why the host wanted no more of it. */
	cancelled: JsonValue | undefined;
	#spentMs = 0;
	/** Of the stretch that it goes on in: the first stamp and the last. */
	#fromMs: number;
	#toMs: number;

	constructor({ at, data }: Pick<EntryDraft, "at" | "data">) {
		this.turns = [{ kind: "given", messages: data.messages ?? [] }];
		this.#fromMs = at;
		this.#toMs = at;
	}

	/** In milliseconds, without the time between a pause or a crash and what went on after it. */
	get spentMs(): number {
		return this.#spentMs + this.#toMs - this.#fromMs;
	}

	replied(wave: WaveHistory): void {
		this.turns.push({ kind: "reply", wave });
		this.stand = { kind: "replied", wave };
	}

	/** Takes a line of the loop; any other is the wave's, if there is one. */
	add(record: RunRecord): WaveHistory | undefined {
		this.#passed(record);
		const { kind, data } = record;
		const wave = this.stand.kind === "replied" ? this.stand.wave : undefined;
		if (kind === "cancel_received") this.cancelled ??= data.reason ?? "";
		if (kind === "steer_received" && (wave === undefined || wave.calls.length === 0)) this.#steered(data);
		if (data.lineage !== undefined) return wave;
		if (kind === "model_called") {
			this.steps += 1;
			this.stand = { kind: "asked" };
		} else if (kind === "run_finished") {
			this.stand = { kind: "finished", status: String(data.status), why: data.why };
		}
		return wave;
	}

	#steered({ text = "" }: JsonObject): void {
		this.turns.push({ kind: "steer", text });
		// A reply without calls ends the run, but for a steer.
		if (this.stand.kind === "replied" && this.stand.wave.cut === undefined) this.stand = { kind: "between" };
	}

	#passed({ kind, at }: RunRecord): void {
		if (kind === "run_resumed") {
			this.#spentMs = this.spentMs;
			this.#fromMs = at;
			this.#toMs = at;
		}
		// A call's line has the stamp of its admission, and other calls' lines may stand before it.
		this.#toMs = Math.max(this.#toMs, at);
	}
}
