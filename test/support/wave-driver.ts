// Wave driver
//
// Runs one random wave through the engine, settling its tools and policies in the case's own order, and runs the serial
// reference beside it.
//
// Owns:      the order in which things settle, and the two readings of one case that a test compares.
// Does not:  compare (serial-equivalence.test.ts).

import type { ToolCall } from "../../engine/core/call.js";
import {
	createEngine,
	type Engine,
	type Ledger,
	memoryLedger,
	type Step,
	type WaveResult,
} from "../../engine/index.js";
import type { EntryDraft } from "../../engine/ledger/entry.js";
import { HeldWork } from "./held-work.js";
import { ManualClock } from "./manual-clock.js";
import { Picks } from "./picks.js";
import { type Reading, readingOf } from "./reading.js";
import { scriptedPolicy } from "./scripted-policies.js";
import { scriptedTools } from "./scripted-tools.js";
import { type Going, runSerially, serialPolicyFace } from "./serial-reference.js";
import { endedSerially } from "./serial-reference-cut.js";
import type { Arrival, OfferedEnd, WaveCase } from "./wave-arbitrary.js";
import { WaveWatch } from "./wave-watch.js";

export async function readReference(wave: WaveCase): Promise<Reading> {
	const policies = wave.policies.map((plan, place) => scriptedPolicy(plan, place));
	const face = serialPolicyFace(scriptedTools({ plays: wave.plays }), policies);
	const { arrival } = wave;
	if (arrival.kind === "offered" && !endsWell(arrival.end)) {
		return readingOf(await endedSerially(wave.calls, face, arrival.end));
	}
	return readingOf(await runSerially({ calls: wave.calls, face, ...endings(wave) }));
}

export async function readEngine(wave: WaveCase): Promise<{ reading: Reading; watch: WaveWatch }> {
	const held = new HeldWork();
	const watch = new WaveWatch(wave);
	const ledger = memoryLedger();
	const enter = (name: string, n: number) => {
		watch.enter(name, n);
		return held.hold(`${name} ${n}`);
	};
	const pace = wave.policiesWait ? { hold: held.hold } : {};
	const engine = createEngine({
		tools: scriptedTools({ plays: wave.plays, enter, leave: (name, n) => watch.leave(name, n) }),
		policies: wave.policies.map((plan, place) => scriptedPolicy(plan, place, pace)),
		ledger,
		clock: new ManualClock(),
		schedule: wave.schedule,
		maxParallelToolCalls: wave.maxParallelToolCalls,
		ahead: wave.ahead,
		...(wave.stopOnError && { onError: "stop" }),
	});
	const picks = new Picks(wave.picks, held);
	const result = await picks.drive(startWave(engine, wave, { picks, watch }));
	await picks.drain();
	const entries = await entriesOf(ledger);
	await engine.close();
	const { status, results, steers } = result;
	return { reading: readingOf({ status, results, steers, entries }), watch };
}

async function startWave(engine: Engine, wave: WaveCase, run: { picks: Picks; watch: WaveWatch }): Promise<WaveResult> {
	const options = { runId: "run", step: 0, stillGoing: endings(wave).stillGoing };
	const { arrival, calls } = wave;
	if (arrival.kind === "at once") {
		run.watch.settling();
		return engine.executeWave(calls, options);
	}
	const step = engine.openStep(options);
	for (const { index, call } of arrival.offers) {
		step.offer(call, index);
		await run.picks.once();
	}
	return endStep(step, { arrival, calls, watch: run.watch });
}

async function endStep(
	step: Step,
	wave: { arrival: Arrival & { kind: "offered" }; calls: readonly ToolCall[]; watch: WaveWatch },
): Promise<WaveResult> {
	const { arrival, calls, watch } = wave;
	if (arrival.end === "restarted") await step.discard("restarted");
	else if (!endsWell(arrival.end)) return step.discard(arrival.end);
	watch.settling();
	return arrival.end === "settle what was offered" ? step.settle() : step.settle(calls);
}

/** A reply that was restarted ends well with its second attempt. */
function endsWell(end: OfferedEnd): end is Exclude<OfferedEnd, "length" | "filtered" | "failed" | "cancelled"> {
	return end === "settle the reply" || end === "settle what was offered" || end === "restarted";
}

export function endings(wave: WaveCase): { stillGoing: (index: number) => Going; onError?: "stop" } {
	const stillGoing = (index: number) => wave.going.get(index) ?? "go";
	return { stillGoing, ...(wave.stopOnError && { onError: "stop" }) };
}

export async function entriesOf(ledger: Ledger): Promise<EntryDraft[]> {
	const entries: EntryDraft[] = [];
	for await (const entry of ledger.entries()) entries.push(entry);
	return entries;
}
