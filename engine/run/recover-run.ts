// Recover run
//
// From what a ledger holds of a run that `engine.run` made to the checkpoint that it goes on from: the conversation, and the
// place of the loop that its last line says. A step is taken up where it was: a request that stands is not written again, a
// reply that stands is not asked for again, and a wave goes on like one by itself.
//
// A wave of which every call was answered, and behind which nothing stands, is gone through once more: nothing of it runs,
// but nobody knows whether the run's `stop` had been asked about it.
//
// Owns:      the way from turns to messages, and from the loop's stand to a place.
// Does not:  say what becomes of a wave's calls (recover.ts).

import type { OutcomeRecord } from "../core/call-record.js";
import type { JsonObject, JsonValue } from "../core/json-value.js";
import type { CheckpointContent, WaveCheckpoint } from "../ledger/checkpoint.js";
import type { LoopHistory, Turn } from "../ledger/loop-history.js";
import type { WaveHistory } from "../ledger/wave-history.js";
import { outcomeIn } from "./answered-record.js";
import type { MessageRecord } from "./messages.js";
import type { RunContent } from "./run-checkpoint.js";

export interface RecoveredRun {
	/** The step that the run is in, or comes to next. */
	readonly step: number;
	readonly content: RunContent;
}

export interface AroundRun {
	/** What is left of the wave that the run is in. */
	readonly wave: WaveCheckpoint | undefined;
	readonly earlier: readonly string[];
	readonly rules: readonly string[];
}

/** The wave that the run is in, if it is in one. */
export function waveIn({ stand }: LoopHistory): WaveHistory | undefined {
	return stand.kind === "replied" && stand.wave.calls.length > 0 ? stand.wave : undefined;
}

export function recoverRun(loop: LoopHistory, { wave, earlier, rules }: AroundRun): RecoveredRun {
	const { stand, turns, steps, spentMs, cancelled } = loop;
	const current = waveIn(loop);
	const before = current === undefined ? turns : turns.slice(0, -1);
	const paused = current?.paused as Partial<CheckpointContent> | undefined;
	const content: RunContent = {
		place: placeOf(loop, wave),
		messages: before.flatMap(messagesOfTurn),
		text: stand.kind === "asked" ? "" : lastText(turns),
		steps,
		steers: current?.keptBack ?? [],
		spentMs,
		earlier,
		rules,
		...(paused?.onError && { onError: paused.onError }),
		...(cancelled !== undefined && { cancelled: textIn(cancelled) }),
	};
	const hasBegun = stand.kind === "asked" || stand.kind === "replied";
	return { step: hasBegun ? steps - 1 : steps, content };
}

function placeOf({ stand }: LoopHistory, wave: WaveCheckpoint | undefined): RunContent["place"] {
	switch (stand.kind) {
		case "between":
			return { kind: "request", stands: false };
		case "asked":
			return { kind: "request", stands: true };
		case "finished":
			return { kind: "ended", status: stand.status, why: textIn(stand.why ?? "") };
		case "replied":
			if (wave !== undefined) return { kind: "wave", wave };
			return { kind: "reply", ...(stand.wave.cut && { cut: stand.wave.cut }) };
	}
}

function messagesOfTurn(turn: Turn): readonly MessageRecord[] {
	switch (turn.kind) {
		case "given":
			return givenMessages(turn.messages);
		case "steer":
			return [{ role: "user", text: textIn(turn.text) }];
		case "reply":
			return replyRecords(turn.wave);
	}
}

function givenMessages(messages: JsonValue): readonly MessageRecord[] {
	if (!Array.isArray(messages)) return [{ role: "user", text: textIn(messages) }];
	return (messages as readonly JsonObject[]).map((message) => {
		const { outcome } = message;
		const plain = outcome === undefined ? message : { ...message, outcome: outcomeIn(outcome as JsonObject) };
		return plain as unknown as MessageRecord;
	});
}

function replyRecords({ text, calls, answered, steers }: WaveHistory): readonly MessageRecord[] {
	const asked = calls.map(({ id, name, args }) => ({ id, name, args }));
	const ends = calls.flatMap(({ id, name }, index): MessageRecord[] => {
		const end = answered[index];
		if (end === undefined) return [];
		return [{ role: "tool", id, name, index, outcome: outcomeIn(end.outcome) satisfies OutcomeRecord }];
	});
	const told = steers.map((steer): MessageRecord => ({ role: "user", text: textIn(steer) }));
	return [{ role: "assistant", text: textIn(text), calls: asked }, ...ends, ...told];
}

function lastText(turns: readonly Turn[]): string {
	const last = turns.findLast(({ kind }) => kind === "reply");
	return last?.kind === "reply" ? textIn(last.wave.text) : "";
}

/** A policy that failed to record a text has left something else in its place, and the model is shown that. */
function textIn(value: JsonValue): string {
	return typeof value === "string" ? value : JSON.stringify(value);
}
