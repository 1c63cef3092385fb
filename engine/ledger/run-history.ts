// Run history
//
// What a ledger holds of one run, wave by wave, and of the loop around the waves where `engine.run` made it.
//
// Owns:      which part of the history a record belongs to.
// Does not:  read the records of a wave (wave-history.ts) or of a loop (loop-history.ts).

import type { Entry, Intent } from "./entry.js";
import { LoopHistory } from "./loop-history.js";
import { WaveHistory } from "./wave-history.js";

/** The waves of a run, in order, and the loop around them. */
export class RunHistory<Earlier> {
	readonly runId: string;
	/** What is kept of the waves before the last. */
	readonly earlier: Earlier[] = [];
	/** The one that the next line belongs to; left out before the first. */
	last: WaveHistory | undefined;
	/** Left out for waves that a host runs by itself. */
	loop: LoopHistory | undefined;
	readonly #keptOf: (wave: WaveHistory) => Earlier;

	/**
	 * `keptOf`: what is wanted of a wave that another one follows. It is asked at once, because the lines of a long run take
	 * many times the memory of what is kept of them.
	 */
	constructor(runId: string, keptOf: (wave: WaveHistory) => Earlier) {
		this.runId = runId;
		this.#keptOf = keptOf;
	}

	add(record: Entry | Intent): void {
		if (record.runId !== this.runId) return;
		const { kind, data } = record;
		// What a nested agent's model said stands between the lines of the call that is the agent.
		const isOwn = data.lineage === undefined;
		if (kind === "run_started" && isOwn) {
			this.loop = new LoopHistory(record);
			return;
		}
		// A wave behind the end of a run is its host's.
		if (kind === "model_returned" && isOwn && this.loop?.stand.kind === "finished") this.loop = undefined;
		const wave = this.loop === undefined ? this.last : this.loop.add(record);
		if (kind === "model_returned" && isOwn) {
			const next = new WaveHistory(record);
			// No line behind this one is the last wave's.
			if (this.last !== undefined) this.earlier.push(this.#keptOf(this.last));
			this.last = next;
			this.loop?.replied(next);
		} else wave?.add(record);
	}
}
