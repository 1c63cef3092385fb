// Run checkpoint
//
// What a run goes on from: the conversation, and the place that it had come to. After a pause that is a wave, whose
// checkpoint stands inside as it is: sealed by itself, so that there is one form of it and one way to open it. After a crash
// it may be any place of the loop.
//
// How calls run is said once, outside the seal; there the wave's limits stand with the run's own total, because a wave of
// a run has none.
//
// Owns:      that content, and both directions.
// Does not:  seal (ledger/checkpoint.ts), find the place in a ledger (recover-run.ts) or answer questions (resume.ts).

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

/** Where a run goes on: see `RunPlace`, of which this is what can be kept. */
type KeptPlace =
	| { readonly kind: "wave"; readonly wave: WaveCheckpoint }
	| { readonly kind: "request"; readonly stands: boolean }
	| { readonly kind: "reply"; readonly cut?: "length" | "filtered" }
	| { readonly kind: "ended"; readonly status: string; readonly why: string };

export interface RunContent {
	readonly place: KeptPlace;
	readonly messages: readonly MessageRecord[];
	readonly text: string;
	readonly steps: number;
	/** Received, and written nowhere yet. */
	readonly steers: readonly string[];
	readonly spentMs: number;
	/** The waves before the place, each as text, for policies that were not there. */
	readonly earlier: readonly string[];
	/** The rules that a person has approved for the rest of the run; those that its wave knows beside. */
	readonly rules: readonly string[];
	/** Left out after a crash, as `toolExecution` is: a ledger does not hold how a run goes. */
	readonly maxSteps?: number;
	readonly onError?: CheckpointContent["onError"];
	/** Why the host wanted no more of it. */
	readonly cancelled?: string;
}

export interface RunSettings {
	readonly totalMs: number;
	readonly maxSteps: number;
	readonly onError: CheckpointContent["onError"];
	readonly ledger: Values;
	readonly earlier: () => readonly string[];
}

/** Of a run that paused. */
export async function sealRun(wave: WaveCheckpoint, left: RunLeft, settings: RunSettings): Promise<RunCheckpoint> {
	const { toolExecution, ...rest } = wave;
	const { totalMs, maxSteps, onError, ledger, earlier } = settings;
	const { messages, text, steps, steers, spentMs } = left;
	const content: RunContent = {
		place: { kind: "wave", wave: rest },
		messages: messages.map(messageRecord),
		text,
		steps,
		steers,
		spentMs,
		earlier: earlier(),
		rules: [],
		maxSteps,
		...(onError && { onError }),
	};
	const { runId, step, questions } = wave;
	const how = toolExecution && { toolExecution: withTotal(toolExecution, totalMs) };
	return sealCheckpoint({ kind: "run", runId, step, questions, ...how }, plainContent(content), ledger);
}

// JSON has no Infinity.
function withTotal(how: ToolExecution, totalMs: number): ToolExecution {
	return { ...how, timeouts: { ...how.timeouts, totalMs: Number.isFinite(totalMs) ? totalMs : null } };
}

export interface OpenedWave {
	readonly head: CheckpointHead;
	readonly content: CheckpointContent;
}

export type OpenedPlace =
	| Exclude<KeptPlace, { readonly kind: "wave" }>
	/** The calls of the wave, as the model asked for them. */
	| { readonly kind: "wave"; readonly wave: OpenedWave; readonly calls: readonly ToolCall[] };

export interface OpenedRun {
	readonly head: CheckpointHead<"run">;
	readonly place: OpenedPlace;
	readonly left: Omit<RunContent, "place" | "messages"> & { readonly messages: readonly Message[] };
}

/** Throws `INVALID_CHECKPOINT`. */
export async function openRun(given: unknown, ledger: Values): Promise<OpenedRun> {
	const { head, content } = await openCheckpoint("run", given, ledger);
	const { place, messages, ...left } = content as unknown as RunContent;
	return { head, place: await openPlace(place, ledger), left: { ...left, messages: messages.map(messageOfRecord) } };
}

async function openPlace(place: KeptPlace, ledger: Values): Promise<OpenedPlace> {
	if (place.kind !== "wave") return place;
	const { head, content } = await openCheckpoint("wave", place.wave, ledger);
	const wave = { head, content: content as JsonObject as unknown as CheckpointContent };
	return { kind: "wave", wave, calls: wave.content.calls };
}
