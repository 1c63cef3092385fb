// Face driver
//
// Runs one random wave on a host's own face through the three stages, and the serial reference beside it.
//
// Owns:      the cases of a face, and their two readings.
// Does not:  compare (serial-equivalence.test.ts), or run waves of tools and policies (wave-driver.ts).

import fc from "fast-check";
import { executeConcurrent, memoryLedger } from "../../engine/index.js";
import { HeldWork } from "./held-work.js";
import { ManualClock } from "./manual-clock.js";
import { Picks } from "./picks.js";
import { type Reading, readingOf } from "./reading.js";
import { type FaceAct, type FacePlan, ScriptedFace } from "./scripted-face.js";
import { runSerially, serialHostFace } from "./serial-reference.js";
import { type WaveCase, waveCases } from "./wave-arbitrary.js";
import { endings, entriesOf } from "./wave-driver.js";
import { WaveWatch } from "./wave-watch.js";

/** One random wave on a host's own face. */
export interface FaceCase extends WaveCase {
	readonly face: FacePlan;
}

const faceActs = fc.oneof(
	{ weight: 10, arbitrary: fc.constant<FaceAct>("clear") },
	{ weight: 1, arbitrary: fc.constantFrom<FaceAct>("answer", "refuse", "rewrite") },
	{
		weight: 1,
		arbitrary: fc.constantFrom<FaceAct>("throw in metaOf", "throw in admit", "throw in tool", "throw in account"),
	},
);

/** A random wave whose calls come bare or through `call`. */
export const faceCases: fc.Arbitrary<FaceCase> = fc
	.record({
		wave: waveCases,
		wrapped: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
		acts: fc.array(faceActs, { minLength: 12, maxLength: 12 }),
		most: fc.nat(12),
	})
	.map(({ wave, wrapped, acts, most }) => ({
		...wave,
		arrival: { kind: "at once" },
		calls: wave.calls.map((call, index) => {
			return wrapped[index] === true ? { id: call.id, name: "call", args: { name: call.name, args: call.args } } : call;
		}),
		face: { acts: new Map(acts.map((act, n) => [n, act])), most },
	}));

export async function readFaceReference(wave: FaceCase): Promise<Reading> {
	const face = serialHostFace(new ScriptedFace(wave.face, { plays: wave.plays }));
	return readingOf(await runSerially({ calls: wave.calls, face, ...endings(wave) }));
}

export async function readFace(wave: FaceCase): Promise<{ reading: Reading; watch: WaveWatch; face: ScriptedFace }> {
	const held = new HeldWork();
	const watch = new WaveWatch(wave);
	const ledger = memoryLedger();
	const enter = (name: string, n: number) => {
		watch.enter(name, n);
		return held.hold(`${name} ${n}`);
	};
	const face = new ScriptedFace(wave.face, { plays: wave.plays, enter, leave: (name, n) => watch.leave(name, n) });
	const { schedule, maxParallelToolCalls } = wave;
	const shared = { ledger, clock: new ManualClock(), schedule, maxParallelToolCalls, runId: "run", step: 0 };
	watch.settling();
	const wholeWave = executeConcurrent(face, wave.calls, { ...shared, ...endings(wave) });
	const { status, results, steers } = await new Picks(wave.picks, held).drive(wholeWave);
	return { reading: readingOf({ status, results, steers, entries: await entriesOf(ledger) }), watch, face };
}
