// Pause kit
//
// Tools that ask, and a wave's checkpoint taken to another engine as it would be to another process: through text.
//
// Owns:      those helpers.
// Does not:  assert anything.

import type { JsonValue } from "../../engine/core/json-value.js";
import type { EngineOptions, Ledger, ResumeOptions, WaveCheckpoint, WaveResult } from "../../engine/index.js";
import { type Bench, benchOf, toolOf } from "./law-kit.js";

/** A ledger that outlives the engines that write to it. */
export function lasting(ledger: Ledger): Ledger {
	return {
		append: (records) => ledger.append(records),
		barrier: () => ledger.barrier(),
		entries: () => ledger.entries(),
		intents: () => ledger.intents(),
		records: () => ledger.records(),
		close: async () => undefined,
	};
}

/** What a host keeps: text, and what it reads from it again. */
export function reloaded(checkpoint: WaveCheckpoint | undefined): WaveCheckpoint {
	if (checkpoint === undefined) throw new Error("the wave has no checkpoint");
	return JSON.parse(JSON.stringify(checkpoint)) as WaveCheckpoint;
}

export function idsOf({ questions }: Pick<WaveResult, "questions">): string[] {
	return questions.map(({ id }) => id);
}

/** Asks `about n` as often as it is told to, and answers with the list of what it was told. */
export function asking(name: string, times: number, rest: Parameters<typeof toolOf>[2] = {}) {
	const runs: string[] = [];
	const tool = toolOf(
		name,
		async ({ n = 0 }, { interrupt }) => {
			runs.push(`${name} ${n}`);
			const answers: JsonValue[] = [];
			for (let time = 1; time <= times; time += 1) answers.push(await interrupt(`about ${n}, ${time}`));
			return answers;
		},
		{ mayAsk: true, ...rest },
	);
	return { tool, runs };
}

export interface Continued extends Bench {
	readonly wave: WaveResult;
}

/** Resumes in an engine of its own, with the options given for it. */
export async function resumedIn(
	options: Partial<EngineOptions>,
	{ checkpoint }: Pick<WaveResult, "checkpoint">,
	resume: ResumeOptions,
): Promise<Continued> {
	const bench = benchOf(options);
	return { ...bench, wave: await bench.engine.resume(reloaded(checkpoint), resume) };
}

/** Tools that say what they did: `gated` reads and `send` writes with an approval, `plain` reads without. */
export function gatedTools() {
	const did: string[] = [];
	const does =
		(name: string) =>
		({ n = 0 }) => {
			did.push(`${name} ${n}`);
			return n;
		};
	const gated = toolOf("gated", does("gated"), { requiresApproval: true });
	const send = toolOf("send", does("send"), {
		effect: "write",
		requiresApproval: (args: unknown) => ((args as { n?: number }).n ?? 0) < 90,
		presentation: (args: unknown) => ({ title: `Send ${JSON.stringify(args)}`, detail: "to all" }),
	});
	return { did, tools: [gated, send, toolOf("plain", does("plain"))] };
}
