// Policies
//
// What the shipped policies cost together: waves of reads with arguments and answers of a few hundred characters, run
// once without any policy and once with all of them, as a host would list them. Reads pass every door, so the look at
// outgoing arguments is a row of its own: waves of egress calls.
//
// Owns:      the list of policies, and the calls that they judge.
// Does not:  measure a policy by itself, or a ledger of files (ledger.ts).

import {
	approvals,
	budget,
	createEngine,
	dedup,
	doors,
	memo,
	memoryLedger,
	type Policy,
	redact,
	type ToolCall,
	taint,
	tool,
} from "wavetrain";
import { z } from "zod";
import { inTurns, type Row, type Subject } from "./harness.js";

/** Longest the policies may take a call, in microseconds. */
const CALL_US_MAX = 15;
const CALLS = 5_000;

const parameters = z.object({ path: z.string(), query: z.string() });
const line = "export function valueOf(key: string): number { return table.get(key) ?? 0; }\n";
const answer = { path: "src/components/table/value-of.ts", text: line.repeat(4) };
const look = tool({ name: "look", parameters, effect: "read", execute: () => answer });
const send = tool({ name: "send", parameters, effect: "egress", isConcurrencySafe: true, execute: () => answer });

function standard(): Policy[] {
	return [
		dedup({ answers: [] }),
		redact(),
		taint({ closes: ["spawn"] }),
		doors({ spawn: "deny" }),
		approvals({ ask: [{ effects: ["spawn"] }] }),
		budget({ run: { calls: 1_000_000, bytes: 1e12 }, step: { calls: 100_000 } }),
		memo(),
	];
}

function callsOf(name: string): ToolCall[] {
	return Array.from({ length: CALLS }, (_, n) => {
		const args = {
			path: `src/components/table/row-${n}.ts`,
			query: "where is the value of a key looked up, and by whom?",
		};
		return { id: `call_${n}`, name, args: JSON.stringify(args) };
	});
}

async function wave(calls: readonly ToolCall[], policies: readonly Policy[]): Promise<void> {
	const engine = createEngine({ tools: [look, send], policies, ledger: memoryLedger() });
	await engine.executeWave(calls);
	await engine.close();
}

export const policies: Subject = {
	name: "policies",
	notMeasured: "the checkpoint net, a file ledger, answers from memory, refusals, entries that hold a secret",
	async run(): Promise<readonly Row[]> {
		const [looks, sends] = [callsOf("look"), callsOf("send")];
		const ms = await inTurns(
			{
				looksAlone: () => wave(looks, []),
				looksJudged: () => wave(looks, standard()),
				sendsAlone: () => wave(sends, []),
				sendsJudged: () => wave(sends, standard()),
			},
			{ warmUp: 3, measured: 15 },
		);
		const rowOf = (what: string, judgedMs: number, aloneMs: number): Row => {
			const ours = ((judgedMs - aloneMs) * 1_000) / CALLS;
			const baseline = CALL_US_MAX;
			return {
				what,
				ours,
				baseline,
				unit: "µs a call",
				against: "the budget",
				ratio: ours / baseline,
				target: { atMost: 1 },
			};
		};
		return [
			rowOf("what all policies add to a read", ms.looksJudged, ms.looksAlone),
			rowOf("what all policies add to an egress", ms.sendsJudged, ms.sendsAlone),
		];
	},
};
