// Take-up
//
// A wave that goes on after a pause goes through the same stages as one that begins; each call that had come further
// enters its stage with what is recorded of it, and nobody is asked about it twice. So there is one way through a wave,
// and a paused one cannot differ from an unbroken one but in what this file puts in its place.
//
// Owns:      the way from a record into a call's state.
// Does not:  the way there (record-wave.ts).
//
// Invariants:
//   TU1. A call that had settled before the pause does not run after it.
//   TU2. A call that had begun to act before a crash runs again only on a tool that is declared idempotent.

import type { Admitted } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/preparing-face.js";
import { PlacedCall, type ToolCall } from "../core/call.js";
import type { ErrorCode } from "../core/call-codes.js";
import {
	type CallRecord,
	type LineRecord,
	type OutcomeRecord,
	outcomeOf,
	outcomeRecord,
	type RanAsRecord,
} from "../core/call-record.js";
import { crashed } from "../core/cut-short.js";
import { invariant } from "../core/invariant.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import { bounded, NeverSettled } from "../core/thenable.js";
import type { Segment } from "../execution/schedule.js";
import type { EntryDraft } from "../ledger/entry.js";
import { letOn } from "./approvals.js";
import { type CallState, type Cleared, SETTLED } from "./call-state.js";
import { madeIn } from "./made-calls.js";
import { NOTHING_MADE } from "./nested-calls.js";
import { isPending } from "./pending.js";
import type { WaveRecord } from "./wave-options.js";
import type { WaveState } from "./wave-state.js";

/** Puts what is known of the calls into their states; those that were accounted are done with. */
export function takeUpWave<T>(wave: WaveState<T>, { calls, steers, cancelled }: WaveRecord): void {
	wave.steers.push(...steers);
	if (cancelled) wave.cancel();
	const { clock } = wave.options;
	for (const state of wave.plan.states) {
		const record = calls[state.index];
		if (record === undefined) continue;
		state.record = mayNotRepeat(state, record) ? unknownSince(state, record) : record;
		state.begun = record.begun;
		state.earlier = record.timing;
		state.ahead = record.ahead;
		if (record.aborted !== undefined) state.aborted = { reason: new DOMException(record.aborted, "AbortError") };
		state.memory = record.memory;
		state.waitsSince = record.waitsSince;
		if (state.waitsSince !== undefined && !isPending(state.memory)) state.answered(clock.now(), wave.startedMs);
		if (record.kind === "accounted") takeUpAccounted(state, record);
	}
}

/** TU2: the tool that it had begun on said that it may run again, and the one that stands here does not. */
function mayNotRepeat<T>({ meta }: CallState<T>, { begun, kind }: CallRecord): boolean {
	return begun !== undefined && kind !== "settled" && kind !== "accounted" && meta?.idempotent !== true;
}

function unknownSince<T>({ call }: CallState<T>, record: CallRecord): CallRecord {
	const { timing, ahead, begun: at = 0 } = record;
	const before = "before" in record && record.before !== undefined ? { before: record.before } : {};
	const outcome = outcomeRecord(crashed(call.name));
	return { kind: "settled", how: "own", outcome, lines: [], at, ...before, timing, ahead };
}

function takeUpAccounted<T>(state: CallState<T>, record: CallRecord & { readonly kind: "accounted" }): void {
	const { at, ticket = false, settled, replayOf, made } = record;
	state.at = at;
	state.made = made;
	state.hadTicket = ticket;
	if (settled !== undefined) state.settledAs = outcomeOf(settled);
	state.move(SETTLED);
	state.move({ kind: "accounted", replayOf });
}

/** For a segment whose calls were all accounted: policies that were not there hear what the others know. */
export async function catchUpSegment<T>(wave: WaveState<T>, segment: Segment): Promise<void> {
	if (isPreparing(wave.face)) wave.face.segmentBegins(segment.from);
	for (const state of wave.plan.states.slice(segment.from, segment.to)) await tellAdmission(wave, state, segment);
	await tellAccounted(wave, segment);
}

/**
 * Policies that were not there hear of a call's admission, in its place among those that are admitted now. Whether they
 * cleared it, which after a crash is the one sign of what the others had said.
 */
export async function tellAdmission<T>(wave: WaveState<T>, state: CallState<T>, { from }: Segment): Promise<boolean> {
	const { record } = state;
	if (record === undefined || !("at" in record) || !wasAsked(record, from)) return false;
	const isCleared = await catchUp(wave, state);
	if (record.ranAs !== undefined) await catchUp(wave, state, { ranAs: record.ranAs });
	if (record.kind === "accounted") state.hadTicket = record.ticket ?? isCleared;
	return isCleared;
}

/** And of what the calls of a segment made and the accounted ones ended with, once all of it was admitted. */
export async function tellAccounted<T>(wave: WaveState<T>, { from, to }: Segment): Promise<void> {
	for (const state of wave.plan.states.slice(from, to)) {
		const { record } = state;
		if (record !== undefined) await tellMadeBy(wave, state, record);
		if (record?.kind !== "accounted" || !state.hadTicket) continue;
		// Policies were told that it was stopped, whatever it had ended with by then.
		const before = stopOf(record.outcome) === undefined ? record.settled : undefined;
		const settled = outcomeOf(before ?? record.outcome);
		await catchUp(wave, state, { settled, isFinal: before === undefined, ranAs: record.ranAs });
	}
}

async function tellMadeBy<T>(wave: WaveState<T>, state: CallState<T>, record: CallRecord): Promise<void> {
	const { path, read } = state;
	const { resumed } = wave.options;
	const own = record.kind === "settled" || record.kind === "accounted" ? record.made : undefined;
	const made = own ?? (record.memory && madeIn(record.memory));
	if (made === undefined || resumed === undefined) return;
	const ranAs = "ranAs" in record ? record.ranAs : undefined;
	const isRead = ranAs === undefined ? read : ranAs.effect === "read";
	const isRecorded = isInLedger(wave, state);
	await wave.nested.tellMade(made, { path, read: isRead, isRecorded, policyNames: resumed.policyNames });
}

// Nobody asked the policies about a call that was stopped before its admission.
function wasAsked(record: CallRecord, segmentFrom: number): boolean {
	if (record.kind === "settled")
		return record.how === "own" && (record.ticket === true || !cameToNoPolicy(record.outcome));
	if (record.kind !== "accounted") return true;
	const { ticket, outcome, settled = outcome } = record;
	// All of a segment is admitted before any of it is accounted; what is behind the segment that a call stopped is not.
	const stoppedBy = stopOf(outcome);
	if (ticket === undefined && stoppedBy !== undefined) return stoppedBy >= segmentFrom;
	return ticket === true || !cameToNoPolicy(settled);
}

// What calls without a ticket end with that no policy has answered. An agent's calls may name less than the engine has.
const WITHOUT_ADMISSION: ReadonlySet<string> = new Set<ErrorCode>([
	"ABORTED_BEFORE_DISPATCH",
	"RESPONSE_INCOMPLETE",
	"UNKNOWN_TOOL",
]);

/** After a crash nothing but the outcome tells: which call has stopped it. */
function stopOf(outcome: OutcomeRecord): number | undefined {
	if (outcome.ok || outcome.error.code !== "STOPPED_BY_ERROR") return undefined;
	return Number(outcome.error.details?.index);
}

function cameToNoPolicy(outcome: OutcomeRecord | undefined): boolean {
	return outcome?.ok === false && WITHOUT_ADMISSION.has(outcome.error.code);
}

interface CatchingUp {
	/** What it ended with; left out: it was admitted. */
	readonly settled?: Outcome;
	/** Whether that is what accounting made of it. */
	readonly isFinal?: boolean;
	readonly ranAs?: RanAsRecord | undefined;
}

async function catchUp<T>(
	wave: WaveState<T>,
	state: CallState<T>,
	{ settled, isFinal, ranAs }: CatchingUp = {},
): Promise<boolean> {
	const { record, known, replayOf } = state;
	const { face, options } = wave;
	const names = options.resumed?.policyNames;
	if (names === undefined || !isPreparing(face) || known !== undefined || replayOf !== undefined) return false;
	const isRecorded = isInLedger(wave, state);
	const refusedBy = record?.kind === "accounted" ? ruleOf(record.outcome) : undefined;
	const then = {
		names,
		rewritten: ranAs !== undefined,
		isRecorded,
		...(settled && { settled, isFinal: isFinal === true }),
		...(refusedBy && { refusedBy }),
	};
	const telling = face.catchUp(formOf(state, ranAs), beforeOf(record), then);
	const bound = { what: "the policies' catch-up", limitMs: POLICY_MS_MAX, clock: options.clock };
	try {
		return (await wave.unlessAborted(bounded(telling, bound))) === true;
	} catch (error) {
		// A policy that hangs as it is told is as one that throws then: it knows no more, and no call waits for it.
		if (error instanceof NeverSettled) return false;
		throw error;
	}
}

/** The lines of calls that a call made stand in the ledger once its own do. */
function isInLedger<T>({ options: { path, isOnlyTold } }: WaveState<T>, { record }: CallState<T>): boolean {
	return path.length > 0 ? isOnlyTold === "recorded" : record?.kind === "accounted";
}

function ruleOf(outcome: OutcomeRecord): string | undefined {
	if (outcome.ok || outcome.error.code !== "DENIED") return undefined;
	const rule = outcome.error.details?.rule;
	return typeof rule === "string" ? rule : undefined;
}

/**
 * What becomes of a call that had been admitted before the pause: the outcome it has by now, or what settles it, or
 * nothing where it goes on to its turn. `isCleared`: what the policies that were told of it said.
 */
export function takeUpCall<T>(wave: WaveState<T>, state: CallState<T>, isCleared: boolean): TakenUp | Promise<TakenUp> {
	const { record } = state;
	if (record === undefined || record.kind === "accounted" || record.kind === "planned") return undefined;
	state.at = record.at;
	if (record.before !== undefined) state.before = linesOf(record.before);
	if (record.kind === "settled") {
		// TU1: a ticket is taken for its accounting alone; the call goes straight to it.
		if (record.ticket ?? isCleared) wave.clear(state, ticketOf(wave, state));
		return takeUpSettled(wave, state, record);
	}
	if (record.ask !== undefined) state.ask = record.ask;
	const admitted: Admitted<T> =
		record.kind === "answered" ? { answered: outcomeOf(record.outcome) } : { cleared: ticketOf(wave, state) };
	return letOn(wave, state, admitted);
}

type TakenUp = Outcome | (() => void) | undefined;

async function takeUpSettled<T>(
	wave: WaveState<T>,
	state: CallState<T>,
	record: CallRecord & { readonly kind: "settled" },
): Promise<() => void> {
	const { outcome, how, lines, ranAs } = record;
	if (how === "repeat") {
		const { replayOf } = state;
		invariant(replayOf !== undefined, "TU1", `call ${state.index} was a repeat and is none`);
		return () => wave.settleAsBefore(state, { kind: "repeat", of: replayOf }, { children: NOTHING_MADE, ranAs });
	}
	invariant(outcome !== undefined, "TU1", `call ${state.index} had settled without an outcome`);
	const { made } = record;
	const children = { lines: linesOf(lines), ...(made && { made }) };
	const left = { children, ranAs, ...(await clearedForm(wave, state, record)) };
	return () => wave.settleAsBefore(state, { kind: how, outcome: outcomeOf(outcome) }, left);
}

/** Accounting is told of the form that ran. */
async function clearedForm<T>(
	{ face }: WaveState<T>,
	state: CallState<T>,
	record: CallRecord & { readonly kind: "settled" },
): Promise<{ readonly cleared?: Cleared<T> }> {
	if (!record.ticket || record.ranAs === undefined || !isPreparing(face)) return {};
	const call = formOf(state, record.ranAs);
	return { cleared: { call, ticket: await face.reclearForm(call, beforeOf(record)) } };
}

/** The call as it ran. */
function formOf<T>({ call, index }: CallState<T>, ranAs: RanAsRecord | undefined): ToolCall {
	if (ranAs === undefined) return call;
	return new PlacedCall({ id: call.id, name: call.name, args: ranAs.args }, index);
}

function ticketOf<T>({ face }: WaveState<T>, { call, record }: CallState<T>): T {
	invariant(isPreparing(face), "TU1", "a wave on a host's own face goes on after a pause");
	return face.reclear(call, beforeOf(record));
}

function beforeOf(record: CallRecord | undefined): { readonly at: number; readonly keys?: LockKeys } {
	if (record === undefined || !("at" in record)) return { at: 0 };
	const { at, keys } = record;
	return { at, ...(keys !== undefined && { keys: keys as LockKeys }) };
}

// Records are JSON; what was written into them as lines of the ledger comes back as such.
function linesOf(lines: readonly LineRecord[]): readonly EntryDraft[] {
	return lines as readonly EntryDraft[];
}
