// Reading
//
// What a run and the reference each say of one wave, as text and data: the canonical line of every entry, and every
// result with its outcome as an entry would hold it.
//
// Owns:      that reading, and the few sentences that no law fixes, which are taken out of both sides.
// Does not:  run anything.

import type { JsonObject, JsonValue } from "../../engine/core/json-value.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { canonical, type EntryDraft, outcomeData } from "../../engine/ledger/entry.js";

interface ResultReading {
	readonly index: number;
	readonly id: string;
	readonly name: string;
	readonly outcome: { readonly ok?: JsonValue; readonly error?: { readonly code?: JsonValue } };
}

export interface Reading {
	readonly status: string;
	readonly results: readonly ResultReading[];
	readonly steers: readonly string[];
	readonly lines: readonly string[];
}

interface Run {
	readonly status: string;
	readonly results: readonly {
		readonly index: number;
		readonly id: string;
		readonly name: string;
		readonly outcome: Outcome;
	}[];
	readonly steers: readonly string[];
	readonly entries: readonly EntryDraft[];
}

/** Codes whose message is the engine's own wording. */
const OWN_WORDS: ReadonlySet<string> = new Set([
	"UNKNOWN_TOOL",
	"INVALID_ARGUMENTS",
	"STOPPED_BY_ERROR",
	"RESPONSE_INCOMPLETE",
	"POLICY_FAILED",
]);

/** What their details say by a law: where the text stops being JSON, which call stopped the wave, whose policy or
 * middleware threw, which names were near. */
const FIXED_DETAILS: ReadonlySet<string> = new Set(["position", "index", "policy", "middleware", "near"]);

export function readingOf({ status, results, steers, entries }: Run): Reading {
	return {
		status,
		results: results.map(({ index, id, name, outcome }) => ({
			index,
			id,
			name,
			outcome: unworded(outcomeData(outcome)),
		})),
		steers,
		lines: entries.map((entry) => canonical({ ...entry, data: unwordedData(entry.data) })),
	};
}

function unwordedData(data: JsonObject): JsonObject {
	return data.outcome === undefined ? data : { ...data, outcome: unworded(data.outcome as JsonObject) };
}

function unworded(outcome: JsonObject): JsonObject {
	const error = outcome.error as JsonObject | undefined;
	if (error === undefined || !OWN_WORDS.has(String(error.code))) return outcome;
	const details = Object.entries((error.details ?? {}) as JsonObject).filter(([name]) => FIXED_DETAILS.has(name));
	return { ok: false, error: { code: error.code ?? null, details: Object.fromEntries(details) } };
}
