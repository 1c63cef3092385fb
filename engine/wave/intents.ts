// Intents
//
// Before a call that is not a read acts, it must be on record that it was about to: after a crash, an intent without an
// outcome is the one trace that something may have happened. The first such call of a group writes the intents of all
// of them and pays the barrier; the others find it paid. One that then never acts, because an error stopped it, has its
// intent closed by its lines.
//
// Owns:      the intents of one group, and of a call that acts beside it.
// Does not:  decide what is a group (execute-segment.ts).
//
// Invariants:
//   IN1. Nothing that is not a read begins before its intent and every entry from before its group are durable.
//   IN2. A group pays one barrier however many of its calls may change something, and none if none does.

import { invariant } from "../core/invariant.js";
import { callIntent } from "../ledger/call-entries.js";
import type { CallState } from "./call-state.js";
import type { WaveState } from "./wave-state.js";

/** What must be durable before a call acts. */
export interface IntentWriter {
	/** Resolves once it is. Rejects when the ledger fails. */
	durable(): Promise<void>;
}

export class Intents<T> implements IntentWriter {
	readonly #wave: WaveState<T>;
	readonly #members: readonly CallState<T>[];
	#durable: Promise<void> | undefined;

	constructor(wave: WaveState<T>, members: readonly CallState<T>[]) {
		this.#wave = wave;
		this.#members = members;
	}

	durable(): Promise<void> {
		// IN2: the second to ask shares the first one's barrier.
		this.#durable ??= this.#write();
		return this.#durable;
	}

	#write(): Promise<void> {
		const mayAct = ({ read, phase }: CallState<T>): boolean =>
			!read && (phase.kind === "cleared" || phase.kind === "wrapped");
		return write(this.#wave, this.#members.filter(mayAct));
	}
}

/** The intent of one call by itself: it acts again, or only middleware made it a call that acts. */
export function ownIntent<T>(wave: WaveState<T>, state: CallState<T>): IntentWriter {
	return { durable: () => write(wave, [state]) };
}

async function write<T>({ options }: WaveState<T>, acting: readonly CallState<T>[]): Promise<void> {
	const { runId, step, clock, ledger } = options;
	const intents = acting.map(({ index, path, call, meta, begun }) => {
		const idempotent = meta?.idempotent === true;
		invariant(begun === undefined || idempotent, "TU2", `call ${index} is to act a second time`);
		return callIntent({ runId, at: clock.now() }, { step, path, name: call.name, idempotent });
	});
	ledger.append(intents);
	await ledger.barrier();
}
