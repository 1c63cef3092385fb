// Run standing
//
// How a run stands, told from its lines one after another, and without keeping them: a host that lists the runs of a long
// ledger has room for numbers and not for histories. Nothing is guessed. A run that `engine.run` made says itself that it
// has ended. Waves that a host runs by itself say nothing of the kind, so of those it is told whether the last one has its
// answers, and no more.
//
// Owns:      what is counted of a run, and how it stands.
// Does not:  read a wave's lines (ledger/wave-history.ts), or make a checkpoint (recover.ts).
//
// Invariants:
//   RN1. How a run stands is what `recover` would find: an end, questions that wait, or something to go on with.
//   RN2. No content of a line is kept, and nothing of a wave whose calls are all answered but that it was there.

import { invariant } from "../core/invariant.js";
import type { JsonObject } from "../core/json-value.js";
import type { CheckpointContent } from "../ledger/checkpoint.js";
import type { Entry, Intent } from "../ledger/entry.js";
import { type AskedCall, WaveHistory } from "../ledger/wave-history.js";
import { openIn } from "../wave/pause-wave.js";
import { Recollection } from "./recollection.js";
import { endOf } from "./run-end.js";
import type { RunResult } from "./run-result.js";

export type Standing =
	| { readonly standing: "finished"; readonly status: Exclude<RunResult["status"], "paused"> }
	| { readonly standing: "answered" }
	| { readonly standing: "paused"; readonly questions: number }
	| { readonly standing: "unfinished" };

/** Who asks the model: `engine.run`, which writes where it begins and how it ends, or the host. */
type Loop =
	| { readonly kind: "host" }
	| { readonly kind: "going"; readonly asked: number }
	| { readonly kind: "ended"; readonly asked: number; readonly status: string };

export class RunStanding {
	readonly runId: string;
	readonly firstAt: number;
	#lastAt: number;
	#loop: Loop = { kind: "host" };
	#waves = 0;
	/** The last wave, as long as a call of it has no answer. */
	#wave: WaveHistory | undefined;
	/** How many questions the last pause of that wave waits with; nothing where it has gone on since. */
	#waiting = 0;

	constructor({ runId, at }: Entry | Intent) {
		this.runId = runId;
		this.firstAt = at;
		this.#lastAt = at;
	}

	/** Whether the lines hold anything to go on from. A steer alone, say, is no run. */
	get hasBegun(): boolean {
		return this.#loop.kind !== "host" || this.#waves > 0;
	}

	get kind(): "run" | "wave" {
		return this.#loop.kind === "host" ? "wave" : "run";
	}

	get lastAt(): number {
		return this.#lastAt;
	}

	get steps(): number {
		return this.#loop.kind === "host" ? this.#waves : this.#loop.asked;
	}

	get standing(): Standing {
		if (this.#loop.kind === "ended") return { standing: "finished", status: endOf(this.#loop.status, "").status };
		if (this.#waiting > 0) return { standing: "paused", questions: this.#waiting };
		const isAnswered = this.#loop.kind === "host" && this.#wave === undefined;
		return { standing: isAnswered ? "answered" : "unfinished" };
	}

	add(record: Entry | Intent): void {
		invariant(record.runId === this.runId, "RN1", `a line of ${record.runId} is read as one of ${this.runId}`);
		// A call's two lines have the stamp of its admission, and those of others may stand before them.
		this.#lastAt = Math.max(this.#lastAt, record.at);
		const { kind, data } = record;
		if (kind === "intent") return;
		// What an agent inside a call did is that call's.
		if (data.lineage === undefined && this.#looped(record)) return;
		this.#inWave(record);
	}

	/** Takes a line that ends a wave, or begins one. */
	#looped(record: Entry): boolean {
		const { kind, data } = record;
		const loop = this.#loop;
		switch (kind) {
			case "run_started":
				this.#loop = { kind: "going", asked: 0 };
				break;
			case "model_called":
				if (loop.kind === "host") return false;
				this.#loop = { kind: "going", asked: loop.asked + 1 };
				break;
			case "model_returned":
				// A wave behind the end of a run is its host's.
				if (loop.kind === "ended") this.#loop = { kind: "host" };
				break;
			case "run_finished":
				if (loop.kind === "host") return false;
				this.#loop = { kind: "ended", asked: loop.asked, status: String(data.status) };
				break;
			default:
				return false;
		}
		this.#over();
		if (kind === "model_returned") this.#begins(record);
		return true;
	}

	#begins({ at, data }: Entry): void {
		this.#waves += 1;
		const calls = (data.calls as unknown as AskedCall[]).map(({ altered }) => (altered ? ALTERED : PLAIN));
		if (calls.length === 0) return;
		this.#wave = new WaveHistory({ at, data: { step: data.step ?? 0, calls } });
	}

	#inWave(record: Entry): void {
		const wave = this.#wave;
		if (wave === undefined) return;
		wave.add({ ...record, data: bareBones(record) });
		// RN2: what an agent does inside one call may be longer than all else.
		wave.tail.length = 0;
		wave.steers.length = 0;
		if (record.kind === "run_paused") this.#waiting = this.#questionsIn(wave, record.data.checkpoint as JsonObject);
		if (record.kind === "run_resumed") this.#waiting = 0;
		if (wave.answered.length === wave.calls.length) this.#over();
	}

	#over(): void {
		this.#wave = undefined;
		this.#waiting = 0;
	}

	/** RN1: of a call whose arguments or answer a policy kept out of the ledger `recover` may ask nothing, or ask again. */
	#questionsIn(wave: WaveHistory, checkpoint: JsonObject): number {
		const paused = checkpoint as Partial<CheckpointContent>;
		const recollection = new Recollection(wave, { runId: this.runId, paused });
		const calls = wave.calls.flatMap(({ altered }, index) => {
			const record = recollection.recordOf(index);
			if (record === undefined) return [];
			const isAnswered = index < wave.answered.length;
			if (isAnswered) return record.kind === "accounted" ? record : [];
			return altered && record.kind !== "answered" && record.kind !== "settled" ? [] : record;
		});
		return openIn({ calls }, { runId: this.runId, step: wave.step }).length;
	}
}

const PLAIN = {};
const ALTERED = { altered: true };

/** RN2: what says which line of a wave it is. */
function bareBones({ kind, data }: Entry): JsonObject {
	switch (kind) {
		case "tool_called":
			return { lineage: data.lineage ?? [] };
		case "tool_result":
			return { index: data.index ?? 0, outcome: {} };
		case "question_asked":
			return { id: data.id ?? "", lineage: data.lineage ?? [] };
		case "answer_received":
			return {
				id: data.id ?? "",
				...(data.unanswered !== undefined && { unanswered: String(data.unanswered) }),
				...(data.altered !== undefined && { altered: data.altered }),
			};
		case "run_paused":
			return { checkpoint: {} };
		default:
			return {};
	}
}
