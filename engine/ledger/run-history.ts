// Run history
//
// What a ledger holds of one run, wave by wave, and of the loop around the waves where `engine.run` made it.
//
// Owns:      which part of the history a record belongs to.
// Does not:  keep the lines of a wave (wave-lines.ts) or of a loop (loop-history.ts).

import { LoopHistory } from "./loop-history.js";
import { type RunRecord, UnreadRecord } from "./usual-line.js";
import { WaveLines } from "./wave-lines.js";

/** The waves of a run, in order, and the loop around them. */
export class RunHistory<Earlier> {
	readonly runId: string;
	/** What is kept of the waves before the last. */
	readonly earlier: Earlier[] = [];
	/** The one that the next line belongs to; left out before the first. */
	last: WaveLines | undefined;
	/** Left out for waves that a host runs by itself. */
	loop: LoopHistory | undefined;
	readonly #keptOf: (wave: WaveLines) => Earlier;

	/**
	 * `keptOf`: what is wanted of a wave that another one follows. It is asked at once, because the lines of a long run take
	 * many times the memory of what is kept of them.
	 */
	constructor(runId: string, keptOf: (wave: WaveLines) => Earlier) {
		this.runId = runId;
		this.#keptOf = keptOf;
	}

	add(line: RunRecord): void {
		if (line.runId !== this.runId) return;
		const { kind } = line;
		const isOwn = (kind === "run_started" || kind === "model_returned") && !isNested(line);
		if (isOwn && kind === "run_started") {
			this.loop = new LoopHistory(line);
			return;
		}
		// A wave behind the end of a run is its host's.
		if (isOwn && this.loop?.stand.kind === "finished") this.loop = undefined;
		const isInWave = this.loop === undefined || this.loop.add(line) !== undefined;
		if (isOwn) this.#begin(line);
		else if (isInWave) this.last?.add(line);
		// The conversation is made of what its waves say.
		if (this.loop !== undefined) this.last?.read();
	}

	#begin(line: RunRecord): void {
		// No line behind this one is the last wave's.
		if (this.last !== undefined) this.earlier.push(this.#keptOf(this.last));
		this.last = new WaveLines(line);
		this.loop?.replied(this.last.read());
	}
}

// What a nested agent's model said stands between the lines of the call that is the agent. A writer writes no field
// otherwise, so data without this text has none of that name, and need not be parsed.
function isNested(line: RunRecord): boolean {
	if (line instanceof UnreadRecord && !line.dataText.includes('"lineage":')) return false;
	return line.data.lineage !== undefined;
}
