// Subjects
//
// Every subject of the bench, and those that some words name.
//
// Owns:      the list, and reading those words.
// Does not:  run a subject (main.ts).

import type { Subject } from "./harness.js";
import { inlineCalls } from "./inline-calls.js";
import { ledgers } from "./ledger.js";
import { locks } from "./locks.js";
import { policies } from "./policies.js";
import { streams } from "./streams.js";
import { threadCalls } from "./thread-calls.js";
import { threadHealth } from "./thread-health.js";
import { threadValues } from "./thread-values.js";
import { workloads } from "./workloads.js";

export const SUBJECTS: readonly Subject[] = [
	inlineCalls,
	threadCalls,
	threadValues,
	threadHealth,
	locks,
	streams,
	policies,
	ledgers,
	workloads,
];

/** The subjects whose name holds one of the words, all without a word; or the first word that no name holds. */
export function chosenSubjects(
	words: readonly string[],
): { readonly subjects: readonly Subject[] } | { unknown: string } {
	const unknown = words.find((word) => !SUBJECTS.some(({ name }) => name.includes(word)));
	if (unknown !== undefined) return { unknown };
	return { subjects: SUBJECTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word))) };
}
