// Replay
//
// A recorded reply run as if a model were writing it now: each call is offered to the engine as soon as its arguments
// are whole, so that reads start while the rest is still arriving; a reply that ends well is settled into a wave, one
// that does not runs nothing.
//
// Owns:      reading the reply into a step, and what the replay ends with.
// Does not:  set the engine up (replay-command.ts) or print (the views).

import {
	type CallDelta,
	type Clock,
	type Engine,
	readStream,
	type Step,
	type StreamEnd,
	type StreamItem,
	timelineOf,
} from "../index.js";
import { pacedItems, recordedPieces } from "./paced-items.js";
import type { Recording } from "./recording.js";
import type { ReplayEnd, ReplayView, WatchedEvent } from "./replay-view.js";
import { waitsOf } from "./wave-table.js";

export interface Replay {
	readonly engine: Engine;
	readonly recording: Recording;
	readonly view: ReplayView;
	readonly tokensPerSecond: number;
	readonly clock: Clock;
	/** Aborts the reply while it is read, and the wave once it runs. */
	readonly signal: AbortSignal;
}

/** Replays the recording to its end, good or not. Rejects only with what the engine or its ledger rejects with. */
export async function replay(run: Replay): Promise<ReplayEnd> {
	const events: WatchedEvent[] = [];
	const see = (event: WatchedEvent) => {
		events.push(event);
		run.view.show(event);
	};
	const unsubscribe = run.engine.subscribe(see);
	try {
		const ended = await new ReplyReader(run, see).read();
		return { ...ended, timeline: timelineOf(events) };
	} finally {
		unsubscribe();
	}
}

type Ended = Omit<ReplayEnd, "timeline">;

class ReplyReader {
	readonly #run: Replay;
	readonly #see: (event: WatchedEvent) => void;
	readonly #step: Step;
	#seenWhole = new Set<number>();

	constructor(run: Replay, see: (event: WatchedEvent) => void) {
		this.#run = run;
		this.#see = see;
		this.#step = run.engine.openStep({ signal: run.signal });
	}

	async read(): Promise<Ended> {
		const { recording, tokensPerSecond, clock, signal } = this.#run;
		const items = readStream(recording.format, recordedPieces(recording.bytes, clock), { deltas: true });
		let end: StreamEnd | undefined;
		for await (const item of pacedItems(items, { tokensPerSecond, clock, signal })) {
			this.#seeItem(item);
			this.#step.feed(item);
			if (item.kind === "restart") this.#seeRestart();
			if (item.kind === "end") end = item;
		}
		return this.#end(end);
	}

	#seeItem(item: StreamItem | CallDelta): void {
		const atMs = this.#run.clock.monotonicMs();
		switch (item.kind) {
			case "text":
				this.#see({ kind: "reply_text", atMs, text: item.text });
				return;
			case "call-started":
				this.#see({ kind: "reply_call_started", atMs, index: item.index, name: item.name });
				return;
			case "call-complete":
			case "call-closed":
				this.#seeWhole(item);
				return;
			case "call-delta":
			case "restart":
			case "end":
				return;
		}
	}

	/** After what had started early is told to be thrown away: the new reply counts its calls from 0. */
	#seeRestart(): void {
		this.#seenWhole = new Set();
		this.#see({ kind: "reply_restarted", atMs: this.#run.clock.monotonicMs() });
	}

	#seeWhole({ index, name, argsText }: { index: number; name: string; argsText: string }): void {
		if (this.#seenWhole.has(index)) return;
		this.#seenWhole.add(index);
		this.#see({ kind: "reply_call_complete", atMs: this.#run.clock.monotonicMs(), index, name, argsText });
	}

	async #end(end: StreamEnd | undefined): Promise<Ended> {
		const { clock, signal } = this.#run;
		const endedMs = clock.monotonicMs();
		// An interrupted reading looks to the stream's reader like a reply that broke off; the signal knows better.
		const cancelled = signal.aborted;
		const good = !cancelled && end?.good === true;
		const reason = cancelled ? "interrupted" : (end?.reason ?? "it broke off");
		const problem = end?.good === false ? end.problem : "";
		this.#see({ kind: "reply_ended", atMs: endedMs, good, reason });
		const wave = good
			? await this.#step.settle()
			: await this.#step.discard(cancelled ? "cancelled" : (end?.cut ?? "failed"));
		const waits = waitsOf(wave, clock.monotonicMs() - endedMs);
		return { wave, waits, reply: { good, reason, problem } };
	}
}
