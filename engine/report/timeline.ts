// Timeline
//
// What each call of one step was doing when: the picture that a live view draws and a report prints. It is a fold over
// events and keeps nothing else, so that the same events always give the same picture.
//
// Owns:      the phases of a call as a watcher sees them, and which event moves a call from one to the next.
// Does not:  draw (timeline-bar.ts) or time anything itself; every moment is an event's own.
//
// Invariants:
//   M1. The spans of a lane follow one another without a gap, and only the last is open.
//   M2. Lanes are in call order, whatever the order of the events.

import { type Effect, effectName } from "../core/effect.js";
import type { AheadMeasure, DiscardReason, EngineEvent } from "../core/events.js";
import type { Outcome } from "../core/outcome.js";
import { withAttempt } from "./ahead-sum.js";
import type { ReplyEvent } from "./reply-event.js";

/**
 * What a call is doing.
 *
 * `streaming`: its arguments still arrive. `complete`: they are whole and it has not begun. `waiting`: for its
 * keys. `ahead`: it runs before the reply has ended. `running`: it runs as an admitted call. `held`: it has its
 * answer and waits for earlier calls to be accounted. `accounted`: it is in the ledger. `discarded`: its early start was
 * thrown away, or its reply was.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Phase = "streaming" | "complete" | "waiting" | "ahead" | "running" | "held" | "accounted" | "discarded";

/**
 * A stretch of one phase; the last span of a lane has no end.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Span {
	/** What the call did meanwhile. */
	readonly phase: Phase;
	/** By the events' clock, in milliseconds. */
	readonly fromMs: number;
	/** Left out: it had not ended when the events did. */
	readonly toMs?: number;
}

/**
 * One call on the timeline.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Lane {
	/** The call's place in its wave, from 0. */
	readonly index: number;
	/** The tool's name. */
	readonly name: string;
	/** How the tool says the call is shown; known once the call was planned. */
	readonly title?: string;
	/** The arguments as the model wrote them; known once they are whole. */
	readonly argsText?: string;
	/** The effect as a word; known once the call was planned. */
	readonly effect?: string;
	/** What it did, in order. */
	readonly spans: readonly Span[];
	/** The number of the thread it ran on, if it ran on one. */
	readonly thread?: number;
	/** Left out: it had not ended when the events did. */
	readonly outcome?: Outcome;
}

/**
 * The lanes of one step in call order.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Timeline {
	/** One a call, in call order. */
	readonly lanes: readonly Lane[];
	/** When the first event was; undefined without events. */
	readonly fromMs?: number;
	/** When the reply ended; undefined while it is still coming. */
	readonly replyEndedMs?: number;
	/** What starting early was worth, once the step is over; left out where nothing started early. */
	readonly ahead?: AheadMeasure;
}

/** After these the call runs once more, as an admitted one. */
const RUNS_AGAIN: ReadonlySet<DiscardReason> = new Set<DiscardReason>([
	"not the admitted call",
	"needs admission",
	"keys were granted",
	"what it read moved",
]);

type Change = Partial<Omit<Lane, "index" | "spans">> & { readonly name: string };

/**
 * The timeline of one step, from the events seen so far.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function timelineOf(events: Iterable<EngineEvent | ReplyEvent>): Timeline {
	let lanes = new Map<number, Lane>();
	let fromMs: number | undefined;
	let replyEndedMs: number | undefined;
	let ahead: AheadMeasure | undefined;
	for (const event of events) {
		fromMs ??= event.atMs;
		if (event.kind === "reply_ended") replyEndedMs = event.atMs;
		if (event.kind === "ahead_measured") ahead = withAttempt(ahead, measureIn(event));
		// What was asked before a restart is void; the new reply counts its calls from 0 again.
		if (event.kind === "reply_restarted") lanes = new Map();
		// A nested call happens within its parent's lane and has none of its own.
		if ("path" in event && event.path !== undefined) continue;
		const move = moveOf(event, replyEndedMs !== undefined);
		if (move === undefined) continue;
		lanes.set(move.index, moved(lanes.get(move.index), move, event.atMs));
	}
	return {
		// M2: calls are seen in the order in which things happen to them; the picture is in theirs.
		lanes: [...lanes.values()].sort((left, right) => left.index - right.index),
		...(fromMs !== undefined && { fromMs }),
		...(replyEndedMs !== undefined && { replyEndedMs }),
		...(ahead !== undefined && { ahead }),
	};
}

function measureIn(event: Extract<EngineEvent, { kind: "ahead_measured" }>): AheadMeasure {
	const { kind: _kind, atMs: _atMs, runId: _runId, step: _step, ...measure } = event;
	return measure;
}

interface Move {
	readonly index: number;
	/** Left out: the call stays in the phase it is in. */
	readonly to?: Phase;
	/** The move is made only from these phases. */
	readonly from?: readonly Phase[];
	readonly change: Change;
}

function moved(before: Lane | undefined, move: Move, atMs: number): Lane {
	const lane: Lane = { index: move.index, spans: [], ...before, ...move.change };
	const current = lane.spans.at(-1);
	if (move.from !== undefined && (current === undefined || !move.from.includes(current.phase))) return lane;
	if (move.to === undefined || move.to === current?.phase) return lane;
	// M1: the open span ends where the next one begins.
	const closed = current === undefined ? [] : [...lane.spans.slice(0, -1), { ...current, toMs: atMs }];
	return { ...lane, spans: [...closed, { phase: move.to, fromMs: atMs }] };
}

function moveOf(event: EngineEvent | ReplyEvent, replyHasEnded: boolean): Move | undefined {
	switch (event.kind) {
		case "reply_call_started":
			return { index: event.index, to: "streaming", change: { name: event.name } };
		case "reply_call_complete": {
			const change = { name: event.name, argsText: event.argsText };
			return { index: event.index, to: "complete", from: ["streaming"], change };
		}
		case "call_planned":
			return { index: event.index, change: plannedChange(event.name, event.effect, event.title) };
		case "call_waiting":
			return { index: event.index, to: "waiting", change: { name: event.name } };
		case "call_began": {
			const thread = event.thread === undefined ? {} : { thread: event.thread };
			// What was to start early may begin only after the end: its thread was still starting, or all were at work.
			const to = event.ahead && !replyHasEnded ? "ahead" : "running";
			return { index: event.index, to, change: { name: event.name, ...thread } };
		}
		case "ahead_settled":
			return { index: event.index, to: "held", from: ["ahead", "running"], change: { name: event.name } };
		case "ahead_used":
			// An early start that is still at work goes on as the admitted call; one that has settled stays held.
			return { index: event.index, to: "running", from: ["ahead"], change: { name: event.name } };
		case "ahead_discarded": {
			const to = RUNS_AGAIN.has(event.reason) ? "complete" : "discarded";
			return { index: event.index, to, change: { name: event.name } };
		}
		case "call_settled":
			return { index: event.index, to: "held", change: { name: event.name, outcome: event.outcome } };
		case "call_accounted":
			return { index: event.index, to: "accounted", change: { name: event.name, outcome: event.outcome } };
		default:
			return undefined;
	}
}

function plannedChange(name: string, effect: Effect | undefined, title: string | undefined): Change {
	return {
		name,
		...(effect !== undefined && { effect: effectName(effect) }),
		...(title !== undefined && { title }),
	};
}
