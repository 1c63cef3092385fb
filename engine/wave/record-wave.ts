// Record wave
//
// What is left of a wave at its end, as JSON: how far each call had come. Made where a wave pauses, and for a nested wave
// whose parent has asked, because the parent runs again and what its calls did must not happen twice.
//
// Owns:      the way from a call's state into its record.
// Does not:  the way back (take-up.ts), or put a record anywhere (pause-wave.ts, nested-calls.ts).
//
// Invariants:
//   RW1. A wave is recorded only while none of its calls runs.

import { isPreparing } from "../admission/preparing-face.js";
import { type CallRecord, outcomeRecord } from "../core/call-record.js";
import { InvariantError, invariant } from "../core/invariant.js";
import type { JsonValue } from "../core/json-value.js";
import type { LockKeys } from "../core/lock-keys.js";
import { causeOf } from "../core/outcome.js";
import type { CallState } from "./call-state.js";
import { timingOf } from "./call-timing.js";
import type { WaveRecord } from "./wave-options.js";
import type { WaveState } from "./wave-state.js";

export function recordWave<T>(wave: WaveState<T>): WaveRecord {
	const { face, plan, steers, halt, options, startedMs } = wave;
	const { tail, earlier } = options.resumed ?? {};
	return {
		calls: plan.states.map((state) => recordCall(wave, state)),
		steers: [...steers],
		cancelled: halt?.kind === "cancelled",
		spentMs: options.clock.monotonicMs() - startedMs + (options.resumed?.spentMs ?? 0),
		policyNames: isPreparing(face) ? face.policyNames() : [],
		...(tail && wave.accountant.accounted <= tail.index && { tail }),
		...(earlier && { earlier }),
	};
}

function recordCall<T>(wave: WaveState<T>, state: CallState<T>): CallRecord {
	const { phase, at, before, ask, record, ranAs } = state;
	const made = state.made === undefined || state.made.length === 0 ? {} : { made: state.made };
	const ran = { ...(ranAs && { ranAs }) };
	const admitted = { ...common(wave, state), at, before, ...keys(wave, state), ...(ask && { ask }), ...ran };
	switch (phase.kind) {
		case "planned":
			// A wave that goes on may pause again before it comes to a call that an earlier part of it had admitted.
			return record !== undefined && ("at" in record || "before" in record)
				? record
				: { kind: "planned", ...common(wave, state) };
		case "running":
		case "wrapped":
			throw new InvariantError("RW1", `call ${state.index} is recorded while it runs`);
		case "cleared":
			return { kind: "cleared", ...admitted };
		case "asking":
			if ("cleared" in phase.admitted) return { kind: "cleared", ...admitted };
			return { kind: "answered", outcome: outcomeRecord(phase.admitted.answered), ...admitted };
		case "settled": {
			const { settled } = state;
			invariant(settled !== undefined, "RW1", `call ${state.index} has settled with nothing`);
			const { answer, account, children } = settled;
			const outcome = answer.kind === "repeat" ? {} : { outcome: outcomeRecord(answer.outcome) };
			return {
				kind: "settled",
				how: answer.kind,
				...outcome,
				ticket: account !== undefined,
				lines: children,
				...made,
				...admitted,
			};
		}
		case "accounted": {
			// What was not known of it by then is not known now.
			if (record?.kind === "accounted") return record;
			const { hadTicket: ticket, settledAs: settled } = state;
			const { replayOf } = phase;
			const outcome = wave.accountant.outcomes[state.index];
			invariant(outcome !== undefined, "RW1", `call ${state.index} is accounted without an outcome`);
			return {
				kind: "accounted",
				...common(wave, state),
				...keys(wave, state),
				...ran,
				...made,
				at,
				ticket,
				outcome: outcomeRecord(outcome),
				...(settled && { settled: outcomeRecord(settled) }),
				...(replayOf !== undefined && { replayOf }),
			};
		}
	}
}

function common<T>(
	wave: WaveState<T>,
	state: CallState<T>,
): Pick<CallRecord, "timing" | "ahead" | "aborted" | "begun" | "memory" | "waitsSince"> {
	const { ahead, aborted, memory, waitsSince, begun } = state;
	const timing = timingOf(state, wave.startedMs);
	const why = aborted && { aborted: causeOf(aborted.reason).message };
	const acted = begun === undefined ? {} : { begun };
	return {
		timing,
		ahead,
		...why,
		...acted,
		...(memory && { memory }),
		...(waitsSince !== undefined && { waitsSince }),
	};
}

function keys<T>({ face }: WaveState<T>, { call }: CallState<T>): { readonly keys?: JsonValue } {
	const named = isPreparing(face) ? face.keysOf(call) : undefined;
	return named === undefined ? {} : { keys: named as JsonValue & LockKeys };
}
