// Earlier waves
//
// A policy that counts, remembers or taints does so over a whole run. After a crash it is a new one and knows nothing; so
// before the wave that was cut off goes on, the waves before it go through the stages once more, with every call accounted
// already: nothing runs, nothing is written, and policies that were not there hear what the others knew.
//
// Owns:      that, and the text of a wave in a checkpoint.
// Does not:  tell policies of calls (wave/take-up.ts).

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import type { Clock } from "../core/clock.js";
import { EventHub } from "../core/events.js";
import { noLedger } from "../ledger/no-ledger.js";
import type { AnsweredCall, AskedCall, WaveHistory } from "../ledger/run-history.js";
import { runWave } from "../wave/wave.js";
import type { WaveOptions, WaveRecord } from "../wave/wave-options.js";
import { answeredRecord } from "./answered-record.js";

interface EarlierWave {
	readonly step: number;
	readonly calls: readonly AskedCall[];
	readonly answered: readonly AnsweredCall[];
}

/** A wave of which calls were never answered was given up by its host: nothing more becomes of those. */
export function textOfWave({ step, calls, answered }: WaveHistory): string {
	const wave: EarlierWave = { step, calls: calls.slice(0, answered.length), answered };
	return JSON.stringify(wave);
}

export async function tellEarlier<T>(
	{ earlier = [], policyNames }: WaveRecord,
	{ options, faceOf }: { readonly options: WaveOptions; readonly faceOf: (step: number) => ConcurrentInvoke<T> },
): Promise<void> {
	const silent = { ledger: noLedger, hub: silentHub(options.clock), open: undefined, signal: undefined };
	for (const text of earlier) {
		const { step, calls, answered } = JSON.parse(text) as EarlierWave;
		const records = answered.map((call) => answeredRecord(call, undefined));
		const resumed = { calls: records, steers: [], cancelled: false, spentMs: 0, policyNames };
		await runWave(faceOf(step), calls, { ...options, ...silent, step, resumed });
	}
}

function silentHub(clock: Clock): EventHub {
	return new EventHub(() => clock.monotonicMs());
}
