// Inline calls
//
// What the engine itself costs: waves of no-op reads on the host's own thread with a memory ledger, so that parsing,
// admission, the pool, the reorder buffer and the ledger are all there is to pay for.
//
// Owns:      the waves of no-op reads, and their baseline.
// Does not:  measure threads (thread-calls.ts), files (ledger.ts) or policies (policies.ts).

import { createEngine, memoryLedger, type ToolCall, tool } from "wavetrain";
import { z } from "zod";
import { inTurns, type Row, type Subject } from "./harness.js";

const lookUp = tool({
	name: "look_up",
	parameters: z.object({ key: z.number() }),
	effect: "read",
	execute: async ({ key }) => key,
});

/** Longest a call may cost the engine, in microseconds. */
const CALL_US_MAX = 12;

async function wave(calls: readonly ToolCall[]): Promise<void> {
	const engine = createEngine({ tools: [lookUp], ledger: memoryLedger() });
	await engine.executeWave(calls);
	await engine.close();
}

function callsOf(count: number): ToolCall[] {
	return Array.from({ length: count }, (_, key) => ({ id: `call_${key}`, name: "look_up", args: `{"key":${key}}` }));
}

export const inlineCalls: Subject = {
	name: "inline calls",
	notMeasured: "a file ledger, policies, tools that do something",
	async run(): Promise<readonly Row[]> {
		const [thousand, tenThousand, hundredThousand] = [1_000, 10_000, 100_000].map(callsOf) as [
			ToolCall[],
			ToolCall[],
			ToolCall[],
		];
		const repeat = async (times: number, calls: readonly ToolCall[]): Promise<void> => {
			for (let time = 0; time < times; time += 1) await wave(calls);
		};
		const noOp = async (key: number): Promise<number> => key;
		const ms = await inTurns(
			{
				thousand: () => repeat(10, thousand),
				tenThousand: () => wave(tenThousand),
				hundredThousand: () => wave(hundredThousand),
				promises: () => Promise.all(tenThousand.map((_, key) => noOp(key))),
			},
			{ warmUp: 3, measured: 9 },
		);
		const [at1k, at10k, at100k] = [ms.thousand / 10, ms.tenThousand / 10, ms.hundredThousand / 100];
		const unit = "µs a call";
		return [
			{
				what: "a read, 10,000 in a wave",
				ours: at10k,
				baseline: CALL_US_MAX,
				unit,
				against: "the budget",
				ratio: at10k / CALL_US_MAX,
				target: { atMost: 1 },
			},
			{
				what: "a read, 100,000 in a wave",
				ours: at100k,
				baseline: at1k,
				unit,
				against: "a read, 1,000 in a wave",
				ratio: at100k / at1k,
				target: { atMost: 1.5 },
			},
			{
				what: "a read, 10,000 in a wave",
				ours: at10k,
				baseline: ms.promises / 10,
				unit,
				against: "Promise.all of no-ops",
				ratio: at10k / (ms.promises / 10),
				target: { atMost: Number.POSITIVE_INFINITY },
			},
		];
	},
};
