// Start call
//
// One cleared call, from its turn to its answer: its keys, a slot, the policies' last word and its intent where it may
// change something, then its executor. The call begins with the slot that the pool took for it, and gives it back while it waits for its keys: a
// slot that waits is a slot that nobody can use. It keeps the slot beyond its answer for as long as its thread is busy
// with it: whoever got the slot would only find the thread taken.
//
// A call settles once the calls that it made have ended, also where it was cut short or never ran: their lines stand
// between its own. What is cut short is stopped with everything it made, so nobody waits for long.
//
// Owns:      the order of those steps, and letting go of the keys once the call's work has ended.
// Does not:  work out keys (call-keys.ts), limit a call that runs (execution/running-call.ts), or know middleware, which
//            may start the same call more than once (wrapping.ts).

import { isPreparing } from "../admission/preparing-face.js";
import type { EarlyKeyed } from "../ahead/early-starts.js";
import { broken } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { hearOut, isThenable } from "../core/thenable.js";
import { CallContext } from "../execution/call-context.js";
import type { CallIdentity } from "../execution/call-identity.js";
import { type AnsweredBy, beforeDispatch } from "../execution/interrupted.js";
import type { KeyTurn } from "../execution/key-turns.js";
import { type Ending, LATER, OWN_SLOT, type Started } from "../execution/run-in-order.js";
import { ASKED, RunningCall } from "../execution/running-call.js";
import { endOfAborted, isStopped, stoppedWaiting } from "./abort-call.js";
import { ABORTED } from "./abortable-waits.js";
import type { ClearedForm } from "./call-forms.js";
import { holdKeys, type KeysHeld } from "./call-keys.js";
import type { CallOwner } from "./call-owner.js";
import type { CallState } from "./call-state.js";
import type { IntentWriter } from "./intents.js";
import { mayHaveBegun } from "./pending.js";
import { faceFailed } from "./wave-plan.js";
import type { WaveState } from "./wave-state.js";

/** What of a call is started. */
export type StartedForm<T> = Pick<ClearedForm<T>, "call" | "meta" | "read" | "ticket">;

/** A cleared call whose turn has come. */
export interface Starting<T> {
	readonly wave: WaveState<T>;
	readonly owner: CallOwner<T>;
	readonly state: CallState<T>;
	readonly form: StartedForm<T>;
	readonly intents: IntentWriter;
	readonly context: CallContext;
	/** What an early start worked out of the call's keys. */
	readonly worked: EarlyKeyed | undefined;
	/** Its place in the order of asking for keys, where it was taken before. */
	readonly turn: KeyTurn | undefined;
	/** Lets go of the call's keys; does nothing for a call without. */
	readonly release: () => void;
	/** The keys that it holds; left out before it does, and for a call without. */
	readonly held?: LockKeys;
	/** Told how the call leaves its slot, where starting it said {@link LATER}. */
	readonly ended: (ending: Ending) => void;
}

/** A call whose turn has come, as its segment starts it. */
export interface TurnOf<T> {
	readonly wave: WaveState<T>;
	readonly state: CallState<T>;
	readonly intents: IntentWriter;
	readonly ended: (ending: Ending) => void;
}

export const holdsNothing = (): void => undefined;

/** Settles the call; a promise, or {@link LATER}, where that is not done when this returns. Never rejects. */
export function startCall<T>({ wave, state, intents, ended }: TurnOf<T>): Started | Promise<Started> {
	const { phase, call, meta, read } = state;
	if (phase.kind !== "cleared") broken("K1", `call ${state.index} was started without a ticket`);
	const form = { call, meta, read, ticket: phase.ticket };
	const identity = identityOf(wave, state);
	// By it what its tool makes of calls to tell its keys is found, should the call not come to run.
	if (meta?.lockKeys !== undefined) state.identity = identity;
	const worked = wave.options.early?.keyedOf(state.index, call);
	const context = contextOf(wave, state, { identity, read, worked });
	const release = holdsNothing;
	return start({ wave, owner: wave, state, form, intents, context, worked, turn: undefined, release, ended });
}

export function identityOf<T>({ options }: WaveState<T>, { call, index, path }: CallState<T>): CallIdentity {
	const { runId, step } = options;
	return { runId, step, index, callId: call.id, name: call.name, path };
}

/** The context of a call, below the lineage that an early start holds its keys as where there was one. */
export function contextOf<T>(
	{ options, nested }: WaveState<T>,
	{ memory }: CallState<T>,
	{ identity, read, worked }: Pick<Starting<T>, "worked"> & { readonly identity: CallIdentity; readonly read: boolean },
): CallContext {
	const { lineage } = options;
	return new CallContext({ identity, read, parent: worked?.holder ?? lineage, services: nested, memory });
}

/** Runs one form of a call and tells its owner how it ended. Never rejects. */
export function start<T>(starting: Starting<T>): Started | Promise<Started> {
	const { wave, state, form, context, worked, turn } = starting;
	const lockKeys = form.meta?.lockKeys;
	if (lockKeys === undefined) return act(starting);
	tellsOfKeys(starting, context);
	const holder = worked?.holder ?? context.lineage;
	const held = holdKeys({ wave, state, context, holder, lockKeys: (own) => worked?.keys ?? lockKeys(own), turn });
	return isThenable(held) ? actOnceHeld(starting, held) : actHolding(starting, held);
}

/** What a tool that names keys takes beside them is no less touched than what it named. */
function tellsOfKeys<T>({ wave: { face }, form }: Starting<T>, context: CallContext): void {
	if (form.meta?.lockKeys === undefined || !isPreparing(face)) return;
	context.onTook = (keys) => face.tookKeys(form.call, keys);
}

/** The same for whoever waits for the ending. */
export function whenEnded<T>(starting: Omit<Starting<T>, "ended">): Promise<Ending> {
	return new Promise((resolve, reject) => {
		const started = start({ ...starting, ended: resolve });
		const unlessLater = (said: Started): void => {
			if (said !== LATER) resolve(said);
		};
		if (isThenable(started)) started.then(unlessLater, reject);
		else unlessLater(started);
	});
}

function actHolding<T>(starting: Starting<T>, held: KeysHeld): Started | Promise<Started> {
	if (held.kind === "not held") return unrun(starting, held.outcome);
	return act({ ...starting, release: () => held.grant.release(), held: held.keys });
}

async function actOnceHeld<T>(starting: Starting<T>, holding: Promise<KeysHeld>): Promise<Started> {
	const { wave, owner, state, context } = starting;
	const { clock } = wave.options;
	wave.slots.give();
	const sinceMs = clock.monotonicMs();
	// The wait hears of an abort through the context's own signal.
	const held = await wave.whileWaiting(context, holding);
	state.lockMs += clock.monotonicMs() - sinceMs;
	if (held.kind === "not held") {
		await unrun(starting, held.outcome);
		return OWN_SLOT;
	}
	const taken = await wave.slots.whenTaken();
	if (!taken || isStopped(owner, state)) {
		if (taken) wave.slots.give();
		held.grant.release();
		await unrun(starting, stoppedWaiting(wave, state));
		return OWN_SLOT;
	}
	return act({ ...starting, release: () => held.grant.release(), held: held.keys });
}

/** Settles a call that did not run. Its tool may have made calls to tell its keys, or asked a person. */
function unrun<T>(starting: Starting<T>, outcome: Outcome): Ending | Promise<Ending> {
	const { owner, state, context } = starting;
	context.close();
	if (context.whenQuiet() !== undefined) return unrunOnceQuiet(starting, outcome);
	context.end();
	if (context.hasAsked && !isStopped(owner, state)) owner.interrupt(state, context);
	else owner.settle(state, outcome);
}

async function unrunOnceQuiet<T>(starting: Starting<T>, outcome: Outcome): Promise<Ending> {
	const { wave, context } = starting;
	const quiet = context.whenQuiet();
	if (quiet !== undefined) await wave.whileWaiting(context, quiet);
	return unrun(starting, outcome);
}

/** Runs a call that holds a slot and its keys. */
function act<T>(starting: Starting<T>): Started | Promise<Started> {
	const { wave, state, form, held } = starting;
	if (form.read) return begin(starting);
	if (!isPreparing(wave.face)) return actOnRecord(starting);
	const alone = form.meta?.isConcurrencySafe !== true;
	const as = { alone, ...(held && { held }), ...(mayHaveBegun(state.memory) && { again: true as const }) };
	const how = { as, over: () => endOfAborted(wave, state) };
	const said = wave.face.begins(form.call, form.ticket, how);
	return said === undefined ? actOnRecord(starting) : actOnceHeard(starting, said);
}

/** Before its intent; where its group's barrier has put that on record already, the lines of a call that ends here close it. */
async function actOnceHeard<T>(starting: Starting<T>, saying: Promise<Outcome | undefined>): Promise<Started> {
	const { wave, owner, state, release } = starting;
	const said = await wave.unlessAborted(saying, state.index);
	if (said === undefined && !isStopped(owner, state)) return actOnRecord(starting);
	release();
	return unrun(starting, said === undefined || said === ABORTED ? beforeDispatch() : said);
}

/** Runs it once its intent is durable. */
function actOnRecord<T>(starting: Starting<T>): Started | Promise<Started> {
	const { wave, owner, state, intents, release } = starting;
	// IN1: only once this has resolved does anything that is not a read begin.
	return intents.durable().then(
		() => {
			if (!isStopped(owner, state)) return begin(starting);
			// The wave, or the call, was aborted while the barrier was under way; what has not begun does not begin.
			release();
			return unrun(starting, beforeDispatch());
		},
		(error: unknown) => {
			release();
			wave.fail(error);
			return unrun(starting, beforeDispatch());
		},
	);
}

/** Takes the early run of the call, if it has one that still stands, or starts it. */
function begin<T>(starting: Starting<T>): Started | Promise<Started> {
	const { wave, state, form } = starting;
	const looking = wave.options.early?.look(state.index, form.call);
	return looking === undefined ? run(starting) : runOnceLooked(starting, looking);
}

async function runOnceLooked<T>(starting: Starting<T>, looking: Promise<void>): Promise<Started> {
	const { wave, owner, state, release } = starting;
	if ((await wave.unlessAborted(looking)) !== ABORTED && !isStopped(owner, state)) return run(starting);
	release();
	return unrun(starting, beforeDispatch());
}

function run<T>(starting: Starting<T>): Started | Promise<Started> {
	const { wave, owner, state, form, release } = starting;
	const early = wave.options.early?.take(state.index, form.call, wave.nested);
	const running = early ?? runningCallOf(starting);
	if ("outcome" in running) {
		release();
		return unrun(starting, running.outcome);
	}
	if (early !== undefined) tellsOfKeys(starting, early.context);
	state.ahead = early !== undefined;
	owner.runs(state, form.ticket, running);
	running.context.runsIn(wave.slots);
	if (early === undefined) running.start();
	// A lock outlives the answer: a call that was cut short may still be writing.
	if (release !== holdsNothing) running.onEnd(release);
	if (running.answer !== undefined) return settleOnceQuiet(starting, running);
	running.onAnswer((_answer, by) => settleLater(starting, running, by));
	return LATER;
}

/** The call was answered after it was started. */
function settleLater<T>(starting: Starting<T>, running: RunningCall, by: AnsweredBy): void {
	const { wave, state, ended } = starting;
	const ending = settleOnceQuiet(starting, running);
	const fault = (error: unknown): void => {
		wave.fail(error);
		ended(OWN_SLOT);
	};
	if (isThenable(ending)) void ending.then(ended, fault);
	else if (by === "work" && !state.ahead) ended(ending);
	// Whoever cut the call short may be anybody, and what gets its slot is to start where everything of the wave does.
	else wave.place.runInAsyncScope(ended, undefined, ending);
}

/** The call was answered. One that was cut short may have made calls that still end; they were stopped with it. */
function settleOnceQuiet<T>(starting: Starting<T>, running: RunningCall): Ending | Promise<Ending> {
	const quiet = running.context.whenQuiet();
	return quiet === undefined ? settle(starting, running) : quiet.then(() => settle(starting, running));
}

/** Tells the call's owner. Its slot is free, or will be once its work leaves the thread. */
function settle<T>({ wave, owner, state }: Starting<T>, running: RunningCall): Ending {
	const { answer, context } = running;
	if (answer === ASKED) owner.interrupt(state, context);
	else if (answer !== undefined) owner.settle(state, answer);
	if (!context.leaveSlot()) return OWN_SLOT;
	if (!running.takesRoom) return;
	running.onRoomFree(() => wave.slots.give());
	return OWN_SLOT;
}

/** The call on what its face lends it, or its outcome where the face fails. */
function runningCallOf<T>({ wave, context, form }: Starting<T>): RunningCall | { readonly outcome: Outcome } {
	const { timeouts, clock } = wave.options;
	const { call, read, meta, ticket } = form;
	let invocable: Invocable;
	try {
		invocable = wave.face.tool(ticket);
		if (typeof invocable?.invoke !== "function") {
			hearOut(invocable);
			throw new TypeError(`it gave ${showValue(invocable)}, which cannot run`);
		}
	} catch (error) {
		return { outcome: faceFailed("tool", error) };
	}
	// One object of limits for all calls whose tool sets none of its own.
	const limits = meta?.timeoutMs === undefined ? timeouts : { ...timeouts, toolMs: meta.timeoutMs };
	return new RunningCall({ call, invocable, context, read, limits, clock, watch: wave.watch });
}
