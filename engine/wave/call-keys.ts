// Call keys
//
// What a call changes, as keys that no two running calls hold at once. The keys are worked out once, from the parsed
// arguments and with the very context that the tool will get, and asked for in call order.
//
// Owns:      working out, asking in turn, and every way in which a call does not get its keys.
// Does not:  hold keys (locks/) or let go of them (start-call.ts does, once the call's work has ended).
//
// Invariants:
//   CK1. A call that was aborted while it worked out or waited for its keys never runs, also if it needs none.
//   CK2. Working out and waiting together last no longer than `lockMs`.

import { isPreparing } from "../admission/preparing-face.js";
import { isEngineError } from "../core/errors.js";
import type { LockKeys } from "../core/lock-keys.js";
import { causeOf, failed, isCallCode, type Outcome } from "../core/outcome.js";
import { bounded, isThenable } from "../core/thenable.js";
import type { CallContext } from "../execution/call-context.js";
import { placeOf } from "../execution/call-identity.js";
import { emitWaiting, watchedGrant } from "../execution/key-events.js";
import type { KeyTurn } from "../execution/key-turns.js";
import type { LockGrant } from "../locks/keyed-lock.js";
import type { Lineage } from "../locks/lineage.js";
import { isStopped, stoppedWaiting } from "./abort-call.js";
import { ABORTED } from "./abortable-waits.js";
import type { CallState } from "./call-state.js";
import type { WaveState } from "./wave-state.js";

/** The keys, or the outcome of a call that did not get them. */
export type KeysHeld =
	| { readonly kind: "held"; readonly grant: LockGrant; readonly keys: LockKeys }
	| { readonly kind: "not held"; readonly outcome: Outcome };

export interface KeyedCall<T> {
	readonly wave: WaveState<T>;
	readonly state: CallState<T>;
	readonly context: CallContext;
	readonly lockKeys: (context: CallContext) => LockKeys | PromiseLike<LockKeys>;
	/** Whom the keys are held as. */
	readonly holder: Lineage;
	/** Its place in the order of asking, where it was taken before; left out, it is taken now. */
	readonly turn: KeyTurn | undefined;
}

/** Never rejects. Answers at once where the keys are known and free, so that such a call keeps its slot. */
export function holdKeys<T>(call: KeyedCall<T>): KeysHeld | Promise<KeysHeld> {
	const turn = call.turn ?? call.wave.keyTurns.take();
	const sinceMs = call.wave.options.clock.monotonicMs();
	try {
		const keys = call.lockKeys(call.context);
		if (isThenable(keys) || turn.come !== undefined) return askInTurn(call, keys, { turn, sinceMs });
		const asked = ask(call, keys, sinceMs);
		turn.pass();
		return asked;
	} catch (error) {
		turn.pass();
		return keysFailed(error);
	}
}

interface Asking {
	readonly turn: KeyTurn;
	readonly sinceMs: number;
}

async function askInTurn<T>(
	call: KeyedCall<T>,
	working: LockKeys | PromiseLike<LockKeys>,
	{ turn, sinceMs }: Asking,
): Promise<KeysHeld> {
	const { wave, state } = call;
	try {
		const { index } = state;
		const keys = isThenable(working) ? await wave.unlessAborted(workedOut(call, working), index) : working;
		if (turn.come !== undefined) await wave.unlessAborted(turn.come, index);
		// CK1: an abort during either wait ends here, whatever the keys turned out to be.
		if (keys === ABORTED || isStopped(wave, state)) return givenUp(call);
		return ask(call, keys, sinceMs);
	} catch (error) {
		return keysFailed(error);
	} finally {
		turn.pass();
	}
}

function workedOut<T>({ wave }: KeyedCall<T>, working: PromiseLike<LockKeys>): Promise<LockKeys> {
	const { clock, timeouts } = wave.options;
	return bounded(working, { what: "lockKeys", limitMs: timeouts.lockMs, clock });
}

function ask<T>(call: KeyedCall<T>, keys: LockKeys, sinceMs: number): KeysHeld | Promise<KeysHeld> {
	const { wave, state, context, holder: lineage } = call;
	const { locks, timeouts, clock, runId, hub, early } = wave.options;
	// CK2: what the working out took is taken from the wait.
	const lockMs = Math.max(1, timeouts.lockMs - (clock.monotonicMs() - sinceMs));
	const holder = `${state.call.name} (call ${state.index} of run ${runId})`;
	try {
		early?.keysAsked(state.index);
		const asked = locks.request(keys, { lineage, signal: context.signal, holder, lockMs });
		const watcher = { hub, place: placeOf(context.identity), keys };
		// Told as soon as they are known to be keys: whoever is never granted them touches nothing.
		if (isPreparing(wave.face)) wave.face.tookKeys(state.call, keys);
		if (asked.kind === "granted") return { kind: "held", grant: watchedGrant(watcher, asked), keys };
		emitWaiting(watcher, asked);
		return asked.granted.then(
			(grant) => {
				if (isStopped(wave, state)) return letGo(call, grant);
				return { kind: "held", grant: watchedGrant(watcher, grant), keys };
			},
			(error: unknown) => notGranted(call, error),
		);
	} catch (error) {
		return notGranted(call, error);
	}
}

function letGo<T>(call: KeyedCall<T>, grant: LockGrant): KeysHeld {
	grant.release();
	return givenUp(call);
}

function givenUp<T>({ wave, state }: KeyedCall<T>): KeysHeld {
	return { kind: "not held", outcome: stoppedWaiting(wave, state) };
}

// A wait that fails because of an abort is one, whatever the reason looks like; so the state is asked, not the error.
function notGranted<T>(call: KeyedCall<T>, error: unknown): KeysHeld {
	if (isStopped(call.wave, call.state)) return givenUp(call);
	if (!isEngineError(error) || !isCallCode(error.code)) return keysFailed(error);
	const { code, message, recovery } = error;
	const details = "circle" in error ? { details: { circle: String(error.circle) } } : {};
	return { kind: "not held", outcome: failed(code, { message, recovery, cause: causeOf(error), ...details }) };
}

function keysFailed(error: unknown): KeysHeld {
	const cause = causeOf(error);
	const message = `Could not tell what the call changes: ${cause.message}`;
	return { kind: "not held", outcome: failed("LOCK_KEYS_FAILED", { message, cause }) };
}
