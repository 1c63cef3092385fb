// Run checkpoint
//
// What a paused run goes on from: the checkpoint of its wave as it is, and the conversation around it. The wave's is
// sealed by itself, so that there is one form of it and one way to open it.
//
// How calls run is said once, outside the seal; there the wave's limits stand with the run's own total, because a wave of
// a run has none.
//
// Owns:      that content, and both directions.
// Does not:  seal (ledger/checkpoint.ts) or answer questions (resume.ts).

import type { ToolCall } from "../core/call.js";
import type { JsonObject } from "../core/json-value.js";
import {
	type CheckpointContent,
	type CheckpointHead,
	openCheckpoint,
	plainContent,
	type RunCheckpoint,
	sealCheckpoint,
	type ToolExecution,
	type WaveCheckpoint,
} from "../ledger/checkpoint.js";
import type { Ledger } from "../ledger/ledger.js";
import { type Message, type MessageRecord, messageOfRecord, messageRecord } from "./messages.js";
import type { RunLeft } from "./run-loop.js";

type Values = Pick<Ledger, "values">;

interface RunContent {
	readonly wave: WaveCheckpoint;
	readonly messages: readonly MessageRecord[];
	readonly text: string;
	readonly steps: number;
	readonly steers: readonly string[];
	readonly spentMs: number;
	readonly maxSteps: number;
	readonly onError: CheckpointContent["onError"];
}

export interface RunSettings {
	readonly totalMs: number;
	readonly maxSteps: number;
	readonly onError: CheckpointContent["onError"];
	readonly ledger: Values;
}

export async function sealRun(wave: WaveCheckpoint, left: RunLeft, settings: RunSettings): Promise<RunCheckpoint> {
	const { toolExecution, ...rest } = wave;
	const { totalMs, maxSteps, onError, ledger } = settings;
	const { messages, text, steps, steers, spentMs } = left;
	const records = messages.map(messageRecord);
	const content = { wave: rest, messages: records, text, steps, steers, spentMs, maxSteps, onError };
	const { runId, step, questions } = wave;
	const how = toolExecution && { toolExecution: withTotal(toolExecution, totalMs) };
	return sealCheckpoint({ kind: "run", runId, step, questions, ...how }, plainContent(content), ledger);
}

// JSON has no Infinity.
function withTotal(how: ToolExecution, totalMs: number): ToolExecution {
	return { ...how, timeouts: { ...how.timeouts, totalMs: Number.isFinite(totalMs) ? totalMs : null } };
}

export interface OpenedRun {
	readonly head: CheckpointHead<"run">;
	readonly wave: { readonly head: CheckpointHead; readonly content: CheckpointContent };
	/** The calls of the wave, as the model asked for them. */
	readonly calls: readonly ToolCall[];
	readonly left: Omit<RunContent, "wave" | "messages"> & { readonly messages: readonly Message[] };
}

/** Throws `INVALID_CHECKPOINT`. */
export async function openRun(given: unknown, ledger: Values): Promise<OpenedRun> {
	const { head, content } = await openCheckpoint("run", given, ledger);
	const { wave: sealed, messages, ...left } = content as JsonObject & RunContent;
	const wave = await openCheckpoint("wave", sealed, ledger);
	const waveContent = wave.content as unknown as CheckpointContent;
	return {
		head,
		wave: { head: wave.head, content: waveContent },
		calls: waveContent.calls,
		left: { ...left, messages: messages.map(messageOfRecord) },
	};
}
