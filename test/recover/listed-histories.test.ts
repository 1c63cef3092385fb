// The list of a ledger's runs over random histories, beside a reference that keeps every line and what `recover` makes of them.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, Intent, ListedRun } from "../../engine/index.js";
import { listRuns, recover } from "../../engine/index.js";
import { SOAK } from "../support/property-seed.js";
import { historyCases, type MixedLedger, mixedLedger } from "./random-histories.js";

/** How many random ledgers are listed. These take some seconds. */
const LEDGERS = 150 * SOAK;

/** How often each standing must be met for the property to say anything of it. */
const MET_MIN = LEDGERS / 10;

/** What the list must say of a run, read off all its lines at once. */
function expectedOf(records: readonly (Entry | Intent)[], questions: number): ListedRun | undefined {
	const [first] = records;
	const lastOf = (test: (record: Entry | Intent) => boolean): number => records.findLastIndex(test);
	const own = (kind: string, from = 0) =>
		records.filter((one, place) => place >= from && one.kind === kind && one.data.lineage === undefined);
	const began = lastOf(({ kind, data }) => kind === "run_started" && data.lineage === undefined);
	const reply = lastOf(({ kind, data }) => kind === "model_returned" && data.lineage === undefined);
	if (first === undefined || (began < 0 && reply < 0)) return undefined;
	const ended = lastOf(({ kind, data }) => kind === "run_finished" && data.lineage === undefined);
	const isHosts = began < 0 || (ended > began && reply > ended);
	const facts = {
		runId: first.runId,
		firstAt: first.at,
		lastAt: Math.max(...records.map(({ at }) => at)),
		kind: isHosts ? ("wave" as const) : ("run" as const),
		steps: isHosts ? own("model_returned").length : own("model_called", began).length,
	};
	const status = records[ended]?.data.status as "done";
	if (!isHosts && ended > began) return { ...facts, standing: "finished", status };
	const paused = lastOf(({ kind }) => kind === "run_paused");
	const isPaused = paused > reply && paused > lastOf(({ kind }) => kind === "run_resumed");
	if (isPaused && questions > 0) return { ...facts, standing: "paused", questions };
	const calls = records[reply]?.data.calls as readonly unknown[];
	const isAnswered = isHosts && answersIn(records.slice(reply + 1)) === calls.length;
	return { ...facts, standing: isAnswered ? "answered" : "unfinished" };
}

/** How many calls of a wave have both their lines: the second stands where no call nested in it is open. */
function answersIn(lines: readonly (Entry | Intent)[]): number {
	const answered = new Set<unknown>();
	let open: readonly unknown[] = [];
	for (const { kind, data } of lines) {
		if (kind === "tool_called") open = data.lineage as readonly unknown[];
		if (kind !== "tool_result" || open.at(-1) !== data.index) continue;
		if (open.length === 1) answered.add(data.index);
		open = open.slice(0, -1);
	}
	return answered.size;
}

async function expectedList({ ledger, runs }: MixedLedger): Promise<ListedRun[]> {
	const expected: ListedRun[] = [];
	for (const [runId, records] of runs) {
		const found = await recover(ledger, runId).catch(() => undefined);
		const run = expectedOf(records, found?.questions.length ?? 0);
		// LS1: what has begun is what `recover` finds, and of the same kind.
		expect(run?.standing === "damaged" ? undefined : run?.kind).toBe(found?.kind);
		if (run !== undefined) expected.push(run);
	}
	return expected;
}

describe("the runs of a ledger that a crash left", () => {
	it(
		"RN1, LS1: are listed as all their lines and their recovery say, whatever was cut off where",
		async () => {
			const met = new Map<string, number>();
			const same = fc.asyncProperty(historyCases, fc.array(fc.nat(3), { maxLength: 80 }), async (cases, order) => {
				const mixed = await mixedLedger(cases, order);
				const expected = await expectedList(mixed);
				for (const { standing } of expected) met.set(standing, (met.get(standing) ?? 0) + 1);
				expect(await listRuns(mixed.ledger)).toEqual(expected);
			});
			await fc.assert(same, { numRuns: LEDGERS });
			for (const standing of ["finished", "paused", "unfinished", "answered"]) {
				expect({ standing, isRare: (met.get(standing) ?? 0) < MET_MIN }).toEqual({ standing, isRare: false });
			}
		},
		120_000 * SOAK,
	);
});
