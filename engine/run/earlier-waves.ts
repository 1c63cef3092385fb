// Earlier waves
//
// A policy that counts, remembers or taints does so over a whole run. In another process it is a new one and knows nothing;
// so before the run goes on there, the waves before it go through the stages once more, with every call accounted
// already: nothing runs, nothing is written, and policies that were not there hear what the others knew.
//
// Owns:      that, and what is kept of waves that ended.
// Does not:  tell policies of calls (wave/take-up.ts).

import type { PreparingFace } from "../admission/preparing-face.js";
import { type CallRecord, NO_TIMING } from "../core/call-record.js";
import { EngineError } from "../core/errors.js";
import type { EntryDraft } from "../ledger/entry.js";
import type { Ledger } from "../ledger/ledger.js";
import { RunHistory } from "../ledger/run-history.js";
import type { WaveHistory } from "../ledger/wave-history.js";
import { historyIn } from "../ledger/wave-lines.js";
import { settledMemory } from "../wave/pending.js";
import { silently } from "../wave/tell-made.js";
import { runWave } from "../wave/wave.js";
import type { EndedWave, WaveOptions } from "../wave/wave-options.js";
import { recordWithMade } from "./made-in-lines.js";
import { plainCall } from "./messages.js";

function textOfWave({ step, calls, records }: EndedWave): string {
	const asked = calls.map(({ id, name, args }) => ({ id, name, args }));
	// How long its calls took says nothing to whoever hears of them later.
	const told = records.map((record) => ({ ...record, timing: undefined, ahead: undefined }));
	return JSON.stringify({ step, calls: asked, records: told });
}

/** The text of an ended wave, or of its lines. */
function waveIn(text: string): EndedWave {
	const kept = keptIn(text);
	if (isLines(kept)) return endedIn(historyIn(kept));
	const { step, calls, records } = kept;
	return { step, calls, records: records.map((record) => ({ ...record, timing: NO_TIMING, ahead: false })) };
}

// The lines of a ledger are kept unread; that they were written so is all that is known of them.
function keptIn(text: string): EndedWave | readonly EntryDraft[] {
	try {
		return JSON.parse(text);
	} catch (cause) {
		const problem = "a line of an earlier wave is not JSON";
		throw new EngineError("INVALID_CHECKPOINT", { action: "resume from the checkpoint", problem, cause });
	}
}

function isLines(kept: object): kept is readonly EntryDraft[] {
	return Array.isArray(kept);
}

/** A wave of which calls were never answered was given up by its host: nothing more becomes of those. */
function endedIn({ step, calls, answered }: WaveHistory): EndedWave {
	const records = answered.map((call) => recordWithMade(call, undefined));
	return { step, calls: calls.slice(0, answered.length).map(({ id, name, args }) => ({ id, name, args })), records };
}

/** The waves of a run before its last, as far as a ledger holds them. */
export async function earlierIn(ledger: Pick<Ledger, "records">, runId: string): Promise<readonly string[]> {
	const history = new RunHistory(runId, (wave) => wave.text());
	for await (const record of ledger.records(runId)) history.add(record);
	return history.earlier;
}

/** The waves of a run that goes on, for its next pause. Text only then: most runs never pause. */
export class EndedWaves {
	readonly #before: readonly string[];
	readonly #waves: EndedWave[] = [];

	constructor(before: readonly string[]) {
		this.#before = before;
	}

	add({ step, calls, records }: EndedWave): void {
		const kept = records.map(({ memory, ...record }): CallRecord => {
			const said = settledMemory(memory);
			return said === undefined ? record : { ...record, memory: said };
		});
		this.#waves.push({ step, calls: calls.map(plainCall), records: kept });
	}

	texts(): readonly string[] {
		return [...this.#before, ...this.#waves.map(textOfWave)];
	}
}

export interface Telling<T> {
	readonly options: WaveOptions;
	readonly faceOf: (step: number) => PreparingFace<T>;
}

/** `policyNames`: the policies that were there. */
export async function tellEarlier<T>(
	earlier: readonly string[],
	policyNames: readonly string[],
	{ options, faceOf }: Telling<T>,
): Promise<void> {
	const isAnyNew = faceOf(0)
		.policyNames()
		.some((name) => !policyNames.includes(name));
	if (!isAnyNew) return;
	for (const text of earlier) {
		const { step, calls, records } = waveIn(text);
		const resumed = { calls: records, steers: [], cancelled: false, spentMs: 0, policyNames };
		await runWave(faceOf(step), calls, { ...silently(options), signal: undefined, step, resumed });
	}
}
