// Admit segment
//
// Stage one for one segment: one call at a time, in call order. What the host hands in before a call (a steer, a cancel)
// is asked for here, for the whole segment before any of its calls starts.
//
// Owns:      the order of admission, the stamp of each call, the faults of the face's admission half.
// Does not:  decide anything about a call (the face does).
//
// Invariants:
//   D1. Call i is admitted after every earlier call of its segment has been.
//   D2. The stamp a face reads is the one that the call's entry records.

import type { Admitted } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/preparing-face.js";
import { broken } from "../core/invariant.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import { type Outcome, taken } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bounded, isThenable } from "../core/thenable.js";
import { beforeDispatch } from "../execution/interrupted.js";
import type { Segment } from "../execution/schedule.js";
import type { EntryDraft } from "../ledger/entry.js";
import { endOfAborted } from "./abort-call.js";
import { ABORTED } from "./abortable-waits.js";
import { letOn } from "./approvals.js";
import type { CallState } from "./call-state.js";
import { takeUpCall, tellAccounted, tellAdmission } from "./take-up.js";
import type { StillGoing } from "./wave-options.js";
import { faceFailed } from "./wave-plan.js";
import type { WaveState } from "./wave-state.js";

/** Clears or answers each call of the segment. Answers go to accounting once the whole segment was admitted. */
export async function admitSegment<T>(wave: WaveState<T>, segment: Segment): Promise<void> {
	const answers: Answering[] = [];
	const { admissionTurn } = wave.options;
	// An aborted wave goes on out of its turn: it asks no policy any more, it only settles its calls.
	if (admissionTurn?.come !== undefined) await wave.unlessAborted(admissionTurn.come);
	if (isPreparing(wave.face)) wave.face.segmentBegins(segment.from);
	let admitted = segment.from;
	for (const state of wave.plan.states.slice(segment.from, segment.to)) {
		if (wave.turns.due) await wave.turns.take();
		if (state.index !== admitted) broken("D1", `call ${state.index} came to admission after call ${admitted - 1}`);
		admitted += 1;
		const answering = cameHereBefore(wave, state) ? takeUp(wave, state, segment) : admitNew(wave, state, segment);
		const answer = isThenable(answering) ? await answering : answering;
		if (answer !== undefined) answers.push(answer);
	}
	admissionTurn?.done();
	if (wave.options.resumed !== undefined) await tellAccounted(wave, segment);
	for (const answer of answers) answer();
}

/** What takes a call that was answered to accounting. */
type Answering = () => void;

async function takeUp<T>(wave: WaveState<T>, state: CallState<T>, segment: Segment): Promise<Answering | undefined> {
	if (isUnheard(state)) await hearHost(wave, state);
	const isCleared = await tellAdmission(wave, state, segment);
	const taken = await takeUpCall(wave, state, isCleared);
	return taken === undefined || typeof taken === "function" ? taken : answered(wave, state, taken);
}

type Admitting = Answering | undefined | Promise<Answering | undefined>;

function admitNew<T>(wave: WaveState<T>, state: CallState<T>, segment: Segment): Admitting {
	const hearing = hearHost(wave, state);
	return hearing === undefined
		? admitHeard(wave, state, segment)
		: hearing.then(() => admitHeard(wave, state, segment));
}

function admitHeard<T>(wave: WaveState<T>, state: CallState<T>, segment: Segment): Admitting {
	state.at = wave.options.clock.now();
	const { known, replayOf, aborted } = state;
	if (wave.halt?.kind === "cancelled") return asCancelled(wave, state);
	if (wave.startsNothing && !isStoppedWithin(wave, segment)) return answered(wave, state, beforeDispatch());
	if (replayOf !== undefined && aborted === undefined) return asRepeat(wave, state, replayOf);
	const admitting = known ?? (aborted === undefined ? admit(wave, state) : beforeDispatch());
	if (isThenable(admitting)) return awaited(wave, state, admitting);
	return admitting === undefined ? undefined : answered(wave, state, admitting);
}

async function awaited<T>(
	wave: WaveState<T>,
	state: CallState<T>,
	admitting: Promise<Outcome | undefined>,
): Promise<Answering | undefined> {
	const outcome = await admitting;
	return outcome === undefined ? undefined : answered(wave, state, outcome);
}

// Functions of their own, so that a call that was cleared, as most are, pays for none of them.
function answered<T>(wave: WaveState<T>, state: CallState<T>, outcome: Outcome): Answering {
	return () => wave.settle(state, outcome);
}

function asRepeat<T>(wave: WaveState<T>, state: CallState<T>, of: number): Answering {
	return () => wave.settleAsRepeat(state, of);
}

function asCancelled<T>(wave: WaveState<T>, state: CallState<T>): Answering {
	return () => wave.settleAsCancelled(state);
}

/** A call of the segment failed before a crash: by then all of it was admitted, and so it is. */
function isStoppedWithin<T>({ accountant: { stoppedBy }, halt, failure }: WaveState<T>, { from }: Segment): boolean {
	return stoppedBy !== undefined && stoppedBy >= from && halt?.kind !== "aborted" && failure === undefined;
}

/** A call that a crash ended before what the host had said before it was durable. */
function isUnheard<T>({ record }: CallState<T>): boolean {
	return record !== undefined && record.kind !== "accounted" && record.before === undefined;
}

/** What the host says before the call, or what it had said before a crash. */
function hearHost<T>(wave: WaveState<T>, state: CallState<T>): void | Promise<void> {
	const { record } = state;
	if (record?.kind === "planned" && record.before !== undefined) {
		state.before = record.before as readonly EntryDraft[];
		return;
	}
	// A wave that stopped on an error is asked about too: what the host hands in before a call is history.
	const isAsked = wave.halt === undefined && wave.failure === undefined;
	if (isAsked && wave.options.stillGoing !== undefined) return askStillGoing(wave, state);
}

/** A call that had been admitted before a pause. A face of the host's own cannot clear one again: it admits it anew. */
function cameHereBefore<T>({ face }: WaveState<T>, { record, phase }: CallState<T>): boolean {
	if (phase.kind === "accounted") return true;
	return record !== undefined && "at" in record && isPreparing(face);
}

async function askStillGoing<T>(wave: WaveState<T>, state: CallState<T>): Promise<void> {
	const { stillGoing, clock, runId } = wave.options;
	let said: StillGoing | typeof ABORTED | undefined;
	try {
		const answer = stillGoing?.(state.index);
		const bound = { what: "stillGoing", limitMs: POLICY_MS_MAX, clock };
		said = isThenable(answer) ? await wave.unlessAborted(bounded(answer, bound)) : answer;
		// What is none of the three words is a host that cannot say, and is taken as one below.
		if (typeof said === "object" && typeof said?.steer !== "string") throw new TypeError("it steers with no text");
	} catch {
		// A host that cannot say whether to go on is taken to say no: nothing is started that nobody wants.
		said = "cancel";
	}
	const stamp = { runId, at: clock.now() };
	if (said === "cancel") {
		wave.cancel();
		state.before = [{ kind: "cancel_received", ...stamp, data: {} }];
	} else if (typeof said === "object" && said !== null) {
		wave.steers.push(said.steer);
		state.before = [{ kind: "steer_received", ...stamp, data: { text: said.steer } }];
	}
}

/** The call's outcome where it was answered at admission; nothing where it was cleared. */
function admit<T>(wave: WaveState<T>, state: CallState<T>): Outcome | undefined | Promise<Outcome | undefined> {
	try {
		// D2: the same reading goes to the face and, by the state, to the entry.
		const { face } = wave;
		const { call, at, record, begun } = state;
		let isGivenUp = false;
		const over = (): Outcome | undefined => (isGivenUp ? beforeDispatch() : endOfAborted(wave, state));
		const resumed = record === undefined ? undefined : begun === undefined ? "planned" : "begun";
		const admitting = isPreparing(face) ? face.admit(call, at, { resumed, over }) : face.admit(call, at);
		if (!isThenable(admitting)) return take(wave, state, admitting);
		const bound = { what: "admission", limitMs: POLICY_MS_MAX, clock: wave.options.clock };
		return wave.unlessAborted(bounded(admitting, bound)).then(
			(admitted) => (admitted === ABORTED ? beforeDispatch() : taking(wave, state, admitted)),
			(error: unknown) => {
				// It took longer than its bound, as it may where several policies together do.
				isGivenUp = true;
				return faceFailed("admit", error);
			},
		);
	} catch (error) {
		return faceFailed("admit", error);
	}
}

// What a face answered by a promise may throw when it is looked at, too.
function taking<T>(wave: WaveState<T>, state: CallState<T>, admitted: Admitted<T>): Outcome | undefined {
	try {
		return take(wave, state, admitted);
	} catch (error) {
		return faceFailed("admit", error);
	}
}

function take<T>(wave: WaveState<T>, state: CallState<T>, admitted: Admitted<T>): Outcome | undefined {
	if (typeof admitted === "object" && admitted !== null) {
		if (admitted.ask !== undefined) state.ask = admitted.ask;
		if ("cleared" in admitted) {
			if (state.ask !== undefined || state.memory !== undefined || state.meta?.approval !== undefined) {
				return letOn(wave, state, admitted);
			}
			wave.clear(state, admitted.cleared);
			return undefined;
		}
		const answered = taken(admitted.answered);
		if (answered !== undefined) return letOn(wave, state, { ...admitted, answered });
	}
	return faceFailed("admit", new TypeError(`it answered ${showValue(admitted)}`));
}
