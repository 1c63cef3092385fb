// Start call
//
// One cleared call, from its turn to its answer: its keys, a slot, its intent where it may change something, then its
// executor. The call begins with the slot that the pool took for it, and gives it back while it waits for its keys: a
// slot that waits is a slot that nobody can use. It keeps the slot beyond its answer for as long as its thread is busy
// with it: whoever got the slot would only find the thread taken.
//
// Owns:      the order of those steps, and letting go of the keys once the call's work has ended.
// Does not:  work out keys (call-keys.ts) or limit a call that runs (execution/running-call.ts).

import { invariant } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import { showValue } from "../core/show-value.js";
import { hearOut, isThenable } from "../core/thenable.js";
import { CallContext } from "../execution/call-context.js";
import { abortedWaiting, beforeDispatch } from "../execution/interrupted.js";
import { type Ending, OWN_SLOT } from "../execution/run-in-order.js";
import { RunningCall } from "../execution/running-call.js";
import { holdKeys, type KeysHeld } from "./call-keys.js";
import type { CallState } from "./call-state.js";
import type { Intents } from "./intents.js";
import { faceFailed } from "./wave-plan.js";
import { ABORTED, type WaveState } from "./wave-state.js";

/** A cleared call whose turn has come. */
interface Starting<T> {
	readonly wave: WaveState<T>;
	readonly state: CallState<T>;
	readonly intents: Intents<T>;
	readonly context: CallContext;
	/** Lets go of the call's keys; does nothing for a call without. */
	readonly release: () => void;
}

const nothing = (): void => undefined;

/** Settles the call; a promise where that is not done when this returns. Never rejects. */
export function startCall<T>(wave: WaveState<T>, state: CallState<T>, intents: Intents<T>): Ending | Promise<Ending> {
	const { runId, step, lineage, early } = wave.options;
	const { call, index, path, meta, read } = state;
	const identity = { runId, step, index, callId: call.id, name: call.name, path };
	const worked = early?.keyedOf(index, call);
	const context = new CallContext({ identity, read, parent: worked?.holder ?? lineage, services: wave.nested });
	const starting: Starting<T> = { wave, state, intents, context, release: nothing };
	if (meta?.lockKeys === undefined) return act(starting);
	const { lockKeys } = meta;
	const holder = worked?.holder ?? context.lineage;
	const held = holdKeys({ wave, state, context, holder, lockKeys: (own) => worked?.keys ?? lockKeys(own) });
	return isThenable(held) ? actOnceHeld(starting, held) : actHolding(starting, held);
}

function actHolding<T>(starting: Starting<T>, held: KeysHeld): Ending | Promise<Ending> {
	if (held.kind === "not held") return starting.wave.settle(starting.state, held.outcome);
	return act({ ...starting, release: () => held.grant.release() });
}

async function actOnceHeld<T>(starting: Starting<T>, holding: Promise<KeysHeld>): Promise<Ending> {
	const { wave, state, context } = starting;
	const { clock } = wave.options;
	wave.slots.give();
	const sinceMs = clock.monotonicMs();
	// The wait hears of an abort through the context's own signal.
	const held = await wave.whileWaiting(context, holding);
	state.lockMs = clock.monotonicMs() - sinceMs;
	if (held.kind === "not held") {
		wave.settle(state, held.outcome);
		return OWN_SLOT;
	}
	const taken = await wave.slots.whenTaken();
	if (!taken || wave.startsNothing) {
		if (taken) wave.slots.give();
		held.grant.release();
		wave.settle(state, wave.halt?.kind === "aborted" ? abortedWaiting(wave.halt.reason) : beforeDispatch());
		return OWN_SLOT;
	}
	return act({ ...starting, release: () => held.grant.release() });
}

/** Holding a slot and the keys. */
function act<T>(starting: Starting<T>): Ending | Promise<Ending> {
	const { wave, state, intents, release } = starting;
	if (state.read) return begin(starting);
	// IN1: only once this has resolved does anything that is not a read begin.
	return intents.durable().then(
		() => {
			if (!wave.startsNothing) return begin(starting);
			// The wave was aborted while the barrier was under way; what has not begun does not begin.
			release();
			wave.settle(state, beforeDispatch());
		},
		(error: unknown) => {
			release();
			wave.fail(error);
			wave.settle(state, beforeDispatch());
		},
	);
}

/** Takes the early run of the call, if it has one that still stands, or starts it. */
function begin<T>(starting: Starting<T>): Ending | Promise<Ending> {
	const { wave, state } = starting;
	const looking = wave.options.early?.look(state.index, state.call);
	return looking === undefined ? run(starting) : runOnceLooked(starting, looking);
}

async function runOnceLooked<T>(starting: Starting<T>, looking: Promise<void>): Promise<Ending> {
	const { wave, state, release } = starting;
	if ((await wave.unlessAborted(looking)) !== ABORTED && !wave.startsNothing) return run(starting);
	release();
	wave.settle(state, beforeDispatch());
}

function run<T>(starting: Starting<T>): Ending | Promise<Ending> {
	const { wave, state, release } = starting;
	const { phase } = state;
	invariant(phase.kind === "cleared", "K1", `call ${state.index} began without a ticket`);
	const early = wave.options.early?.take(state.index, state.call, wave.nested);
	const running = early ?? startable(starting, phase.ticket);
	if (running === undefined) return release();
	state.ahead = early !== undefined;
	state.move({ kind: "running", ticket: phase.ticket, running });
	wave.track(running);
	if (early === undefined) running.start();
	// A lock outlives the answer: a call that was cut short may still be writing.
	if (release !== nothing) running.onEnd(release);
	if (running.answer !== undefined) {
		wave.settle(state, running.answer);
		return leaveSlot(wave, running);
	}
	return new Promise((resolve) => {
		running.onAnswer((outcome) => {
			wave.settle(state, outcome);
			resolve(leaveSlot(wave, running));
		});
	});
}

/** For a call that was answered: its slot is free, or will be once its work leaves the thread. */
function leaveSlot<T>(wave: WaveState<T>, running: RunningCall): Ending {
	if (!running.takesRoom) return;
	running.onRoomFree(() => wave.slots.give());
	return OWN_SLOT;
}

/** The call on what its face lends it; settles the call and gives nothing where the face fails. */
function startable<T>({ wave, state, context }: Starting<T>, ticket: T): RunningCall | undefined {
	const { timeouts, clock } = wave.options;
	const { call, read, meta } = state;
	let invocable: Invocable;
	try {
		invocable = wave.face.tool(ticket);
		if (typeof invocable?.invoke !== "function") {
			hearOut(invocable);
			throw new TypeError(`it gave ${showValue(invocable)}, which cannot run`);
		}
	} catch (error) {
		wave.settle(state, faceFailed("tool", error));
		return undefined;
	}
	// One object of limits for all calls whose tool sets none of its own.
	const limits = meta?.timeoutMs === undefined ? timeouts : { ...timeouts, toolMs: meta.timeoutMs };
	return new RunningCall({ call, invocable, context, read, limits, clock, watch: wave.watch });
}
