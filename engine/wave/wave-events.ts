// Wave events
//
// What a wave tells whoever watches it: that it began and ended, and each move of a call. A nested call is a wave only to
// the engine, so of one nothing but its call is told.
//
// Owns:      the place that every such event names.
// Does not:  tell what a running call does (execution/call-events.ts).

import { plannedAs } from "../admission/planned-as.js";
import type { EventDraft } from "../core/events.js";
import type { CallState } from "./call-state.js";
import type { WaveOptions } from "./wave-options.js";
import type { WaveResult } from "./wave-result.js";

export class WaveEvents {
	readonly #options: Pick<WaveOptions, "hub" | "runId" | "step" | "path">;

	constructor(options: Pick<WaveOptions, "hub" | "runId" | "step" | "path">) {
		this.#options = options;
	}

	opened<T>(states: readonly CallState<T>[]): void {
		const { hub, runId, step, path } = this.#options;
		if (path.length === 0) hub.emit({ kind: "wave_started", runId, step, calls: states.length });
		if (!hub.watched) return;
		for (const state of states) this.ofCall(state, { kind: "call_planned", ...plannedAs(state.meta) });
	}

	closed(status: WaveResult["status"]): void {
		const { hub, runId, step, path } = this.#options;
		if (path.length === 0) hub.emit({ kind: "wave_finished", runId, step, status });
	}

	ofCall<T>(state: CallState<T>, what: CallEventDraft): void {
		const { hub, runId, step } = this.#options;
		if (!hub.watched) return;
		const { index, path, call } = state;
		const nested = path.length > 1 ? { path } : {};
		hub.emit({ ...what, runId, step, index: path.at(-1) ?? index, name: call.name, ...nested } as EventDraft);
	}
}

type AboutCall<Event> = Event extends { index: number } ? Omit<Event, "runId" | "step" | "index" | "name"> : never;
type CallEventDraft = AboutCall<EventDraft>;
