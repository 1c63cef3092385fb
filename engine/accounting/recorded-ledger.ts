// Recorded ledger
//
// The ledger that a wave writes to where a policy wants a last look at its lines: each entry passes the policies before
// it is appended. It stands before the ledger and not inside accounting, because secrets are in the model's reply and in
// steers as well as in calls, and one place that every line passes cannot be forgotten by the next kind of line.
//
// Owns:      the passing of entries through `record`, and what becomes of an entry whose policy throws.
// Does not:  touch intents: they name a call and carry nothing of it.
//
// Invariants:
//   RL1. An entry that a policy failed to record is written without its content, never as it was.
//   RL5. A value is kept beside the ledger only as it is, and only if no policy would change it in an entry.
//   RL6. What says which line this is, and how its call ended, stays as it was.
//   AL1. Arguments of a reply and answers of a person that a policy changed are marked as altered.

import { canonicalJson, copyJson, type JsonObject, type JsonValue } from "../core/json-value.js";
import { causeOf, failed } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { hearOut } from "../core/thenable.js";
import { type EntryDraft, type Intent, outcomeData } from "../ledger/entry.js";
import type { Ledger, ValueStore } from "../ledger/ledger.js";
import type { Policy } from "../policy/policy.js";
import { shapeProblem } from "./entry-shape.js";

type Recording = Policy & Required<Pick<Policy, "record">>;

/** The ledger itself where no policy records. */
export function recordedLedger(ledger: Ledger, policies: readonly Policy[]): Ledger {
	const recording = policies.filter((policy): policy is Recording => policy.record !== undefined).reverse();
	return recording.length === 0 ? ledger : new RecordedLedger(ledger, recording);
}

class RecordedLedger implements Ledger {
	readonly #behind: Ledger;
	readonly #recording: readonly Recording[];
	readonly values?: ValueStore;

	constructor(behind: Ledger, recording: readonly Recording[]) {
		this.#behind = behind;
		this.#recording = recording;
		const { values } = behind;
		if (values === undefined) return;
		this.values = {
			keep: (given) => values.keep(given),
			load: (sha256, bytes) => values.load(sha256, bytes),
			takes: (runId, value) => values.takes?.(runId, value) !== false && this.#isRecordedAsIs(runId, value),
		};
	}

	append(records: readonly (EntryDraft | Intent)[]): void {
		this.#behind.append(records.map((record) => (record.kind === "intent" ? record : this.#recorded(record))));
	}

	barrier(): Promise<void> {
		return this.#behind.barrier();
	}

	entries(): ReturnType<Ledger["entries"]> {
		return this.#behind.entries();
	}

	intents(): ReturnType<Ledger["intents"]> {
		return this.#behind.intents();
	}

	records(runId?: string): ReturnType<Ledger["records"]> {
		return this.#behind.records(runId);
	}

	close(): Promise<void> {
		return this.#behind.close();
	}

	/** RL5: a checkpoint needs its values as they are, so one that must not be history stays with whoever holds the checkpoint. */
	#isRecordedAsIs(runId: string, value: JsonValue): boolean {
		const { data } = this.#recorded({ kind: "run_paused", runId, at: 0, data: { checkpoint: value } });
		return canonicalJson(data.checkpoint ?? null) === canonicalJson(value);
	}

	#recorded(draft: EntryDraft): EntryDraft {
		let { data } = draft;
		const { kind, runId } = draft;
		for (const policy of this.#recording) {
			try {
				const said: unknown = policy.record({ kind, runId, data });
				if (typeof said !== "object" || said === null) throw new TypeError(`it recorded ${showValue(said)}, not data`);
				if (said !== data) data = sameEntry(draft.data, dataIn(said, data));
			} catch (error) {
				// RL1: what the policy was to take out may be anywhere in it, so nothing of it stays.
				data = withoutContent(draft.data, policy.name, error);
			}
		}
		// AL1: looked at only where something was changed at all.
		return data === draft.data ? draft : { ...draft, data: withAlterations(draft.data, data) };
	}
}

/**
 * What a recovery must never act on: arguments and answers that are not what they were. A policy may put anything in their
 * place, so nobody can tell by looking at them.
 */
function withAlterations(before: JsonObject, after: JsonObject): JsonObject {
	const { calls } = after;
	if (Array.isArray(calls) && Array.isArray(before.calls)) {
		const given = before.calls as readonly JsonObject[];
		const marked = calls.map((call: JsonObject, place) => marking(given[place]?.args, call.args, call));
		return marked.some((call, place) => call !== calls[place]) ? { ...after, calls: marked } : after;
	}
	return before.answer === undefined ? after : marking(before.answer, after.answer, after);
}

function marking(before: JsonValue | undefined, after: JsonValue | undefined, data: JsonObject): JsonObject {
	return canonicalJson(before ?? null) === canonicalJson(after ?? null) ? data : { ...data, altered: true };
}

/** RL6: whoever reads the line knows by it which call it is of. */
function sameEntry(before: JsonObject, recorded: JsonObject): JsonObject {
	const problem = shapeProblem(before, recorded);
	if (problem !== undefined) throw new TypeError(problem);
	return recorded;
}

// What a ledger cannot write down would fail the wave, and not the policy's entry.
function dataIn(said: object, before: JsonObject): JsonObject {
	hearOut(said);
	const isPlain = Object.getPrototypeOf(said) === Object.prototype && !("toJSON" in said);
	if (!isPlain || Object.hasOwn(said, "__proto__")) return copyOf(said);
	// A policy that adds a note gives back the entry's other fields as they were; those are data, and mostly the large ones.
	const data: Record<string, JsonValue> = {};
	const changed: Record<string, unknown> = {};
	for (const name of Object.keys(said)) {
		const value = (said as Readonly<Record<string, JsonValue>>)[name] as JsonValue;
		const kept = Object.hasOwn(before, name) && before[name] === value;
		// A changed field keeps its place among the others.
		data[name] = kept ? value : null;
		if (!kept) changed[name] = value;
	}
	const copied = copyOf(changed);
	for (const name of Object.keys(changed)) {
		const value = copied[name];
		if (value === undefined) delete data[name];
		else data[name] = value;
	}
	return data;
}

function copyOf(said: object): JsonObject {
	const copied = copyJson(said);
	if (!copied.ok) throw new TypeError(`it recorded what is not data at ${copied.path}: ${copied.problem}`);
	return copied.value as JsonObject;
}

/** What says which line this is; everything else is content. */
const PLACES: ReadonlySet<string> = new Set(["step", "index", "id", "name", "lineage", "effect", "render", "replayOf"]);

function withoutContent(data: JsonObject, policy: string, error: unknown): JsonObject {
	const left = ([name, value]: readonly [string, JsonValue]): [string, JsonValue] => {
		if (PLACES.has(name)) return [name, value];
		if (name === "outcome") return [name, outcomeData(notRecorded(policy, error))];
		if (name === "calls" && Array.isArray(value)) {
			return [name, value.map((call) => withoutContent(call as JsonObject, policy, error))];
		}
		return [name, { $unrecorded: policy }];
	};
	return Object.fromEntries(Object.entries(data).map(left));
}

// The thrown message is left out: it may quote what the policy was looking at.
function notRecorded(policy: string, error: unknown): ReturnType<typeof failed> {
	const message = `The policy ${policy} failed to record the outcome (${causeOf(error).name}); the model has read it.`;
	return failed("POLICY_FAILED", { message, details: { policy } });
}
