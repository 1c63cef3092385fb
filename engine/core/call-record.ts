// Call record
//
// What outlives the unwinding of a call: how far it had come, what it has asked and been told, and what the calls that
// it made have answered. Nothing but JSON, so that one form serves the next run of the call in this process and, in a
// checkpoint, in another.
//
// Owns:      the shapes, and the way of an outcome into one and back.
// Does not:  make records or take calls up again from them (wave/).

import type { Effect } from "./effect.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import type { CallError, Outcome } from "./outcome.js";

/** An outcome as JSON: binary as text under a name of its own, because a value may look like anything. */
export type OutcomeRecord =
	| { readonly ok: true; readonly value?: JsonValue; readonly binary?: string }
	| { readonly ok: false; readonly error: CallError };

/** A line that is not written yet. */
export interface LineRecord {
	readonly kind: string;
	readonly runId: string;
	readonly at: number;
	readonly data: JsonObject;
}

/** A call that another has made, under the number of the making. */
export interface NestedRecord {
	/** Left out for one without. */
	readonly id?: string;
	readonly name: string;
	/** Its arguments in canonical form: only the very same call is answered from here. */
	readonly argsKey: string;
	/** Its place among those that were made with it. Left out for the first. */
	readonly place?: number;
	/** How many other calls were remembered under this number before it. Left out for none. */
	readonly turn?: number;
	readonly call: CallRecord;
	/** Its own lines and those of the calls it made; none before it is accounted. */
	readonly lines: readonly LineRecord[];
}

/** Calls that a call made as one wave, for policies that were not there. */
export interface MadeRecord {
	/** The index of the first among all calls that the call made. */
	readonly first: number;
	readonly calls: readonly { readonly id: string; readonly name: string; readonly args: JsonValue }[];
	readonly records: readonly CallRecord[];
}

/** A reply of a model that asked for calls. */
export interface ReplyRecord {
	readonly text: string;
	readonly calls: readonly { readonly id: string; readonly name: string; readonly args: JsonValue }[];
	readonly cut?: "length" | "filtered";
}

/** The number of a call's approval among what it has asked; what it asks itself is numbered from 1 on. */
export const APPROVAL = 0;

/** What a call needs when it runs again from its beginning. By number, of which {@link APPROVAL} is one. */
export interface CallMemory {
	readonly answers: Record<number, JsonValue>;
	/** Asked, and not answered. */
	readonly questions: Record<number, JsonValue>;
	readonly nested: Record<number, NestedRecord>;
	/** What the model of an agent has replied. */
	replies?: readonly ReplyRecord[];
	/** What an `always` to its approval would cover. */
	rule?: string;
	/** The approvals of other forms of it, which middleware made, by the digest of their arguments. */
	forms?: Record<string, FormApproval>;
	/** Nobody answered in time, and why. */
	unanswered?: string;
}

/** A question about one form of a call, and its answer once there is one. */
export interface FormApproval {
	readonly question: JsonValue;
	readonly rule: string;
	answer?: JsonValue;
	/** Nobody answered. */
	unanswered?: true;
}

/** What a call's time went into before it was recorded, in milliseconds. */
export interface TimingRecord {
	readonly gateMs: number;
	readonly lockMs: number;
	readonly slotMs: number;
	readonly personMs: number;
	readonly ranMs: number;
	readonly hiddenMs: number;
}

interface Common {
	readonly timing: TimingRecord;
	readonly ahead: boolean;
	/** Why it was aborted by itself before it had an outcome. */
	readonly aborted?: string;
	/**
	 * When it had begun to act in a process that ended, in milliseconds since 1970. It runs again only where its tool says
	 * that it may, and whatever else ends it, what it changed then is not known.
	 */
	readonly begun?: number;
	memory?: CallMemory;
	/** Since when it waits for a person, in milliseconds since 1970. */
	waitsSince?: number;
}

/** A call that admission has seen. */
interface AdmittedRecord extends Common {
	/** The stamp of its admission. */
	readonly at: number;
	/** What was received before it, as long as it is not written. Left out: the host is asked yet, though it was admitted. */
	readonly before?: readonly LineRecord[];
	/** The keys it took, for the policies' accounting. */
	readonly keys?: JsonValue;
	readonly ranAs?: RanAsRecord;
}

export type CallRecord =
	/** `before`: the host was asked already, and said this. */
	| ({ readonly kind: "planned"; readonly before?: readonly LineRecord[] } & Common)
	/** Cleared, or cleared if a person approves; it may have run until it asked. */
	| ({ readonly kind: "cleared"; readonly ask?: AskRecord } & AdmittedRecord)
	/** Answered by a policy, if a person approves. */
	| ({ readonly kind: "answered"; readonly outcome: OutcomeRecord; readonly ask?: AskRecord } & AdmittedRecord)
	| ({
			readonly kind: "settled";
			readonly how: "own" | "cancelled" | "repeat";
			/** Left out for a repeat, which takes its original's. */
			readonly outcome?: OutcomeRecord;
			/** Whether accounting asks the face about it. Left out: if its policies clear it. */
			readonly ticket?: boolean;
			readonly lines: readonly LineRecord[];
			/** What it made, where there are policies. */
			readonly made?: readonly MadeRecord[];
	  } & AdmittedRecord)
	| ({
			readonly kind: "accounted";
			readonly at: number;
			/** Whether accounting asked the face about it. Left out: if its policies clear it. */
			readonly ticket?: boolean;
			readonly outcome: OutcomeRecord;
			/** What it settled with, where accounting made something else of it. */
			readonly settled?: OutcomeRecord;
			readonly keys?: JsonValue;
			readonly ranAs?: RanAsRecord;
			readonly replayOf?: number;
			readonly made?: readonly MadeRecord[];
	  } & Common);

/** The form that a call ran as, where middleware made it another than the model asked for. */
export interface RanAsRecord {
	readonly args: JsonObject;
	readonly effect: Effect;
}

/** A policy's wish to have a person asked. */
export interface AskRecord {
	readonly rule: string;
	readonly detail: string;
}

export const NO_TIMING: TimingRecord = { gateMs: 0, lockMs: 0, slotMs: 0, personMs: 0, ranMs: 0, hiddenMs: 0 };

export function newMemory(): CallMemory {
	return { answers: {}, questions: {}, nested: {} };
}

export function outcomeRecord(outcome: Outcome): OutcomeRecord {
	if (!outcome.ok) return outcome;
	const { value } = outcome;
	if (value === undefined) return { ok: true };
	if (!(value instanceof Uint8Array)) return { ok: true, value };
	return { ok: true, binary: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
}

export function outcomeOf(record: OutcomeRecord): Outcome {
	if (!record.ok || record.binary === undefined) return record as Outcome;
	return { ok: true, value: new Uint8Array(Buffer.from(record.binary, "base64")) };
}

/** What the first calls ended with, up to the one that is not accounted. */
export function accountedOutcomes(records: readonly CallRecord[]): readonly Outcome[] {
	const outcomes: Outcome[] = [];
	for (const record of records) {
		if (record.kind !== "accounted") break;
		outcomes.push(outcomeOf(record.outcome));
	}
	return outcomes;
}
