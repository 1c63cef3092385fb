// The shipped policies together: whatever they remember, the ledger is that of a serial run, under every schedule.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../engine/core/call.js";
import {
	budget,
	createEngine,
	dedup,
	doors,
	memo,
	memoryLedger,
	type Policy,
	redact,
	type Schedule,
	taint,
} from "../../engine/index.js";
import { HeldWork } from "../support/held-work.js";
import { canonicalOf } from "../support/law-kit.js";
import { ManualClock } from "../support/manual-clock.js";
import { Picks } from "../support/picks.js";
import { type Reading, readingOf } from "../support/reading.js";
import { type Play, scriptedTools, TOOL_NAMES } from "../support/scripted-tools.js";
import { runSerially, serialPolicyFace } from "../support/serial-reference.js";
import { entriesOf } from "../support/wave-driver.js";

const RUN_ID = "serial";
const SECRET = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;

interface Case {
	readonly waves: readonly (readonly ToolCall[])[];
	readonly plays: ReadonlyMap<number, Play>;
	readonly policies: () => Policy[];
	readonly maxParallelToolCalls: number;
	readonly picks: readonly number[];
}

const calls = fc
	.record({
		name: fc.constantFrom(...TOOL_NAMES, "look", "look", "peek"),
		n: fc.nat(5),
		id: fc.constantFrom("", "a", "b"),
	})
	.map(({ name, n, id }): ToolCall => ({ id, name, args: n % 2 === 0 ? { n } : `{"n":${n}}` }));

const plays = fc.oneof(
	fc.nat(9).map((value): Play => ({ kind: "answers", value })),
	fc.constantFrom<Play>(
		{ kind: "answers", value: { text: `the key is ${SECRET}.` } },
		{ kind: "answers", value: Buffer.from(SECRET) },
		{ kind: "throws", thrown: new Error(`${SECRET} was refused`) },
	),
);

const cases: fc.Arbitrary<Case> = fc
	.record({
		waves: fc.array(fc.array(calls, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
		plays: fc.array(plays, { minLength: 6, maxLength: 6 }),
		runCalls: fc.integer({ min: 1, max: 24 }),
		stepBytes: fc.integer({ min: 1, max: 120 }),
		closes: fc.constantFrom<readonly ("write" | "spawn")[] | undefined>(undefined, ["write"], ["spawn"]),
		files: fc.constantFrom("allow", "deny"),
		maxParallelToolCalls: fc.integer({ min: 1, max: 5 }),
		picks: fc.array(fc.nat(15), { minLength: 1, maxLength: 24 }),
	})
	.map(({ waves, plays: played, runCalls, stepBytes, closes, files, ...rest }) => ({
		...rest,
		waves,
		plays: new Map(played.map((play, n) => [n, play])),
		policies: () => [
			dedup({ answers: [recorded(waves[0]?.[0])] }),
			redact(),
			taint(closes === undefined ? {} : { closes }),
			budget({ run: { calls: runCalls }, step: { bytes: stepBytes }, reserve: () => ({ bytes: 1 }) }),
			doors({ write: { files, "*": "allow" }, spawn: "deny" }),
			memo(),
		],
	}));

function recorded(call: ToolCall = { id: "", name: "look", args: {} }) {
	return {
		runId: RUN_ID,
		step: 0,
		index: 0,
		name: call.name,
		args: call.args,
		outcome: { ok: true, value: "then" },
	} as const;
}

/** The reference does not record; what recording adds is compared between the schedules. */
// One that only records says nothing at admission.
function unrecorded({ name, admit = () => "clear" as const, account }: Policy): Policy {
	return { name, admit, ...(account && { account }) };
}

async function engineReading(wanted: Case, schedule: Schedule, policies: readonly Policy[]) {
	const held = new HeldWork();
	const ledger = memoryLedger();
	const engine = createEngine({
		tools: scriptedTools({ plays: wanted.plays, enter: (name, n) => held.hold(`${name} ${n}`) }),
		policies,
		ledger,
		schedule,
		clock: new ManualClock(),
		maxParallelToolCalls: wanted.maxParallelToolCalls,
	});
	const picks = new Picks(wanted.picks, held);
	const results = [];
	for (const wave of wanted.waves) {
		results.push(...(await picks.drive(engine.executeWave(wave, { runId: RUN_ID, step: 0 }))).results);
	}
	const reading = readingOf({ status: "done", results, steers: [], entries: await entriesOf(ledger) });
	const lines = await canonicalOf(ledger);
	await engine.close();
	return { reading, lines };
}

async function serialReading({ waves, plays: played, policies }: Case): Promise<Reading> {
	const face = serialPolicyFace(scriptedTools({ plays: played }), policies().map(unrecorded));
	const runs = [];
	for (const wave of waves) runs.push(await runSerially({ calls: wave, face }));
	const results = runs.flatMap((run) => run.results);
	return readingOf({ status: "done", results, steers: [], entries: runs.flatMap(({ entries }) => entries) });
}

describe("the shipped policies together", () => {
	it("decide as in a serial run, under every schedule and settle order, over the waves of a run", async () => {
		const same = fc.asyncProperty(
			cases,
			fc.constantFrom<Schedule>("serial", "leading-reads", "barriers"),
			async (one, schedule) => {
				const { reading } = await engineReading(one, schedule, one.policies().map(unrecorded));
				expect(reading).toEqual(await serialReading(one));
			},
		);
		await fc.assert(same, { numRuns: 400 });
	});

	it("record the same lines under every schedule, and none holds the secret that tools answered", async () => {
		const same = fc.asyncProperty(cases, async (one) => {
			const serial = await engineReading(one, "serial", one.policies());
			for (const schedule of ["leading-reads", "barriers"] as const) {
				expect(await engineReading(one, schedule, one.policies())).toEqual(serial);
			}
			expect(serial.lines.join("\n")).not.toContain(SECRET);
			expect(serial.lines.join("\n")).not.toContain(Buffer.from(SECRET).toString("base64"));
		});
		await fc.assert(same, { numRuns: 150 });
	});
});
