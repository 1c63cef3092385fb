// Execute segment
//
// Stage two for one segment: the calls that admission cleared run, at once or one after another as the schedule says.
// Each settles into the reorder buffer the moment it is answered.
//
// Owns:      the groups that a schedule makes of a segment, and what is left of it when the wave is halted.
// Does not:  start a single call (start-call.ts) or account (the wave's accountant does, meanwhile).
//
// Invariants:
//   EX1. A group starts only after every call before it was accounted.
//   EX2. When a segment ends, each of its calls has settled; one that a pause cuts short has not ended.

import { broken, invariant } from "../core/invariant.js";
import { isThenable } from "../core/thenable.js";
import { beforeDispatch } from "../execution/interrupted.js";
import { type Ending, OWN_SLOT, runInOrder, type Started } from "../execution/run-in-order.js";
import { type Segment, segmentsOf } from "../execution/schedule.js";
import type { CallState } from "./call-state.js";
import { DispatchGate } from "./dispatch-gate.js";
import { Intents } from "./intents.js";
import { onlyObserve } from "./middleware.js";
import { startCall } from "./start-call.js";
import type { WaveState } from "./wave-state.js";
import { Wrapping } from "./wrapping.js";

export async function executeSegment<T>(wave: WaveState<T>, segment: Segment): Promise<void> {
	const { slots, turns, plan, accountant, options } = wave;
	const intentsOf = ({ from, to }: Segment): Intents<T> => new Intents(wave, plan.states.slice(from, to));
	// A segment pays one barrier, also where a stop on errors has its writes go one at a time; a schedule that makes more
	// groups of it is one under which each write is to find all before it durable.
	const shared = options.schedule === "barriers" ? intentsOf(segment) : undefined;
	for (const group of groupsOf(wave, segment)) {
		if (wave.startsNothing || wave.holdUps.isHeldUp(group.from)) break;
		await accountant.whenAccounted(group.from);
		invariant(
			wave.failure !== undefined || accountant.accounted >= group.from,
			"EX1",
			`the group at ${group.from} came too early`,
		);
		const intents = shared ?? intentsOf(group);
		const turnMs = options.clock.monotonicMs();
		const gate = gateOf(wave, group);
		const start = (index: number, ended: (ending: Ending) => void): Started | Promise<Started> => {
			const state = plan.states[index];
			if (state?.phase.kind !== "cleared") return;
			state.turnMs = turnMs;
			if (state.aborted !== undefined) {
				wave.settle(state, beforeDispatch());
				return;
			}
			if (options.middleware.length === 0) return startCall({ wave, state, intents, ended });
			return new Wrapping({ wave, state, ticket: state.phase.ticket, intents, gate }).run();
		};
		// Nobody else hears of what a call is started with and should never throw; unheard, the wave would wait for ever.
		const fault = (error: unknown): Ending => {
			wave.fail(error);
			return OWN_SLOT;
		};
		const run = (index: number, ended: (ending: Ending) => void): Started | Promise<Started> => {
			try {
				const started = start(index, ended);
				return isThenable(started) ? started.catch(fault) : started;
			} catch (error) {
				return fault(error);
			}
		};
		// Those that would have started beside the call that asked start all the same.
		const stopsAt = group.from + options.maxParallelToolCalls;
		const halted = (next: number): boolean => wave.startsNothing || (wave.nested.hasAsked && next >= stopsAt);
		await runInOrder({ from: group.from, to: group.to, slots, turns, run, halted });
	}
}

/** Ends what will not start any more. */
export function settleUnstarted<T>(wave: WaveState<T>, segment: Segment): void {
	for (const state of wave.plan.states.slice(segment.from, segment.to)) {
		// A segment whose accounting is held is not over: the rest of it starts after the pause.
		if (state.phase.kind === "cleared" && !wave.accountant.held) wave.settle(state, beforeDispatch());
		const { phase, index } = state;
		const isOver = phase.kind === "settled" || phase.kind === "accounted" || wave.accountant.held;
		if (!isOver) broken("EX2", `call ${index} is ${phase.kind}`);
	}
}

/** The gate of calls that run beside each other and of which middleware may make others than they are. */
function gateOf<T>({ options, accountant }: WaveState<T>, { from, to, pooled }: Segment): DispatchGate | undefined {
	if (!pooled || to - from < 2 || onlyObserve(options.middleware)) return undefined;
	return new DispatchGate((upTo) => accountant.whenAccounted(upTo));
}

/** What of a segment may run at once. A segment is cut further, never joined: admission has seen it as it is. */
function groupsOf<T>(wave: WaveState<T>, segment: Segment): Segment[] {
	if (!segment.pooled) return [segment];
	const together = (index: number): boolean => {
		const state = wave.plan.states[index + segment.from];
		return state !== undefined && runsTogether(wave, state);
	};
	const cut = segmentsOf(segment.to - segment.from, together);
	return cut.map(({ from, to, pooled }) => ({ from: from + segment.from, to: to + segment.from, pooled }));
}

function runsTogether<T>({ options, plan }: WaveState<T>, state: CallState<T>): boolean {
	if (state.answeredWithout) return options.schedule !== "serial";
	// Under a stop on errors a call after the failed one must not have changed anything, so safe writes go alone.
	if (options.onError === "stop" && !state.read) return false;
	switch (options.schedule) {
		case "serial":
			return false;
		case "leading-reads":
			return state.index < plan.leadingReads;
		case "barriers":
			return true;
	}
}
