// Earlier waves
//
// A policy that counts, remembers or taints does so over a whole run. After a crash it is a new one and knows nothing; so
// before the wave that was cut off goes on, the waves before it go through the stages once more, with every call accounted
// already: nothing runs, nothing is written, and policies that were not there hear what the others knew.
//
// Owns:      that.
// Does not:  tell policies of calls (wave/take-up.ts).

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import type { Clock } from "../core/clock.js";
import { EventHub } from "../core/events.js";
import { noLedger } from "../ledger/no-ledger.js";
import { runWave } from "../wave/wave.js";
import type { WaveOptions, WaveRecord } from "../wave/wave-options.js";

export async function tellEarlier<T>(
	{ earlier = [], policyNames }: WaveRecord,
	{ options, faceOf }: { readonly options: WaveOptions; readonly faceOf: (step: number) => ConcurrentInvoke<T> },
): Promise<void> {
	const silent = { ledger: noLedger, hub: silentHub(options.clock), open: undefined, signal: undefined };
	for (const { step, calls, records } of earlier) {
		const resumed = { calls: records, steers: [], cancelled: false, spentMs: 0, policyNames };
		await runWave(faceOf(step), calls, { ...options, ...silent, step, resumed });
	}
}

function silentHub(clock: Clock): EventHub {
	return new EventHub(() => clock.monotonicMs());
}
