// Runs
//
// The runs of one engine: each is put together here from what the host asked for and what the engine lends, begun or taken
// up from a checkpoint, and kept in sight until it has ended.
//
// Owns:      putting a run's parts together.
// Does not:  check what it is asked with (run-request.ts), loop (run-loop.ts), settle how calls run (options.ts), or open
//            steps and waves (create-engine.ts).

import type { Clock } from "../core/clock.js";
import type { Listener } from "../core/events.js";
import { RUN_STEPS_DEFAULT } from "../core/limits.js";
import type { RunCheckpoint } from "../ledger/checkpoint.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Abortable, StillGoing, WaveOptions } from "../wave/wave-options.js";
import type { WaveResult } from "../wave/wave-result.js";
import { EndedWaves } from "./earlier-waves.js";
import { LiveEvents } from "./live-events.js";
import { messagesOf } from "./messages.js";
import type { ToolDescription } from "./model-port.js";
import { executionOf } from "./resume.js";
import { type OpenedPlace, type OpenedWave, openRun, type RunSettings, sealRun } from "./run-checkpoint.js";
import { RunControl } from "./run-control.js";
import { endOf } from "./run-end.js";
import type { RunPlace } from "./run-going-on.js";
import { type Run, runHandle } from "./run-handle.js";
import { RunLoop, type RunParts, type RunStep } from "./run-loop.js";
import { checkedRequest, predicates, type RunRequest, type RunResumeRequest } from "./run-request.js";

type Execution = Pick<WaveOptions, "schedule" | "maxParallelToolCalls" | "timeouts" | "onError">;

export interface WaveOfRun {
	readonly runId: string;
	readonly signal: AbortSignal;
	readonly stillGoing: () => StillGoing;
	readonly said: () => string;
	readonly opened: RunControl["opened"];
	readonly pausing: RunControl["pausing"];
	readonly ended: WaveOptions["ended"];
}

/** What is known of a run that goes on, beside its wave. */
interface KnownOfRun {
	readonly answers: RunResumeRequest["answers"] | undefined;
	readonly earlier: readonly string[];
	readonly rules: readonly string[];
}

/** What the engine lends its runs. `Near` is how a host says how calls run. */
export interface RunHost<Near> {
	readonly clock: Clock;
	readonly ledger: Ledger;
	/** Where a run registers while it goes on, so that a closing engine can abort it. */
	readonly open: Set<Abortable>;
	readonly subscribe: (listener: Listener) => () => void;
	/** The tools as a model is told of them. */
	readonly describe: () => readonly ToolDescription[];
	/** Throws `ENGINE_CLOSED`, or `INVALID_OPTIONS` for contradictions. `before` is how a run went on until its pause. */
	readonly settle: (near: Near, before?: object) => Execution;
	readonly openStep: (wave: WaveOfRun & { readonly step: number }, execution: Execution) => RunStep;
	readonly resumeWave: (paused: OpenedWave, wave: WaveOfRun & KnownOfRun, execution: Execution) => Promise<WaveResult>;
	/** The same for a run that is in no wave: its lines, and what its policies are told. Throws `INVALID_ANSWER`. */
	readonly goOn: (wave: WaveOfRun & KnownOfRun & { readonly step: number }, execution: Execution) => Promise<void>;
	/** Keeps the engine from ending before the run. */
	readonly track: <Result>(work: Promise<Result>) => Promise<Result>;
}

interface Begun extends Pick<RunRequest, "model"> {
	readonly stop: RunRequest["stop"] | undefined;
	readonly runId: string;
	readonly maxSteps: number;
	readonly execution: Execution;
	readonly control: RunControl;
	readonly live: LiveEvents;
	/** The waves before a pause or a crash. */
	readonly earlier: readonly string[];
}

export class Runs<Near extends object> {
	readonly #host: RunHost<Near>;

	constructor(host: RunHost<Near>) {
		this.#host = host;
	}

	start(request: RunRequest & Near): Run {
		const { clock, settle } = this.#host;
		// Whatever is wrong with it, the run says so, as of every other option.
		const { runId = clock.newId(), signal } = objectOr(request);
		return this.#handle(signal, runId, async (control, live) => {
			const { model, stop, maxSteps = RUN_STEPS_DEFAULT } = checkedRequest(request);
			const messages = messagesOf(request.input);
			const execution = settle(request);
			const { parts } = this.#parts({ model, stop, runId, maxSteps, execution, control, live, earlier: [] });
			return new RunLoop(parts).begin(messages);
		});
	}

	resume(checkpoint: RunCheckpoint, request: RunResumeRequest & Near): Run {
		const { ledger, settle } = this.#host;
		return this.#handle(objectOr(request).signal, checkpoint.runId, async (control, live) => {
			const { head, place, left } = await openRun(checkpoint, ledger);
			const { model, stop } = checkedRequest(request);
			const { runId, step, toolExecution } = head;
			const { steers, onError, earlier, rules, cancelled, maxSteps: maxStepsBefore, ...soFar } = left;
			const { maxSteps = maxStepsBefore ?? RUN_STEPS_DEFAULT, answers } = request;
			const execution = settle(request, executionOf({ toolExecution, onError }));
			const begun = { model, stop, runId, maxSteps, execution, control, live, earlier };
			const { parts, ofRun } = this.#parts(begun);
			for (const text of steers) control.steer(text);
			const known = { ...ofRun(() => soFar.text), answers, earlier, rules };
			const going = { known, step, execution: ofWave(execution) };
			return new RunLoop(parts).resume({ ...soFar, cancelled, place: this.#placeOf(place, going) });
		});
	}

	#placeOf(
		place: OpenedPlace,
		{ known, step, execution }: { known: WaveOfRun & KnownOfRun; step: number; execution: Execution },
	): RunPlace {
		const { goOn, resumeWave } = this.#host;
		const ready = () => goOn({ ...known, step }, execution);
		switch (place.kind) {
			case "wave":
				return { kind: "wave", calls: place.calls, wave: () => resumeWave(place.wave, known, execution) };
			case "request":
				return { ...place, ready };
			case "reply":
				return { kind: "reply", cut: place.cut, ready };
			case "ended":
				return { kind: "ended", end: endOf(place.status, place.why) };
		}
	}

	#handle(
		signal: AbortSignal | undefined,
		runId: string,
		work: (control: RunControl, live: LiveEvents) => ReturnType<RunLoop["begin"]>,
	): Run {
		const { clock, subscribe, open, track } = this.#host;
		const control = new RunControl({ clock, signal });
		const live = new LiveEvents({ runId, clock, subscribe });
		open.add(control);
		const tracked = () => track(work(control, live).finally(() => open.delete(control)));
		return runHandle({ control, live, work: tracked });
	}

	#parts({ model, stop, runId, maxSteps, execution, control, live, earlier }: Begun): {
		readonly parts: RunParts;
		readonly ofRun: (said: () => string) => WaveOfRun;
	} {
		const { clock, ledger, describe, openStep } = this.#host;
		const { totalMs } = execution.timeouts;
		const { onError } = execution;
		const waves = new EndedWaves(earlier);
		const settings: RunSettings = { totalMs, maxSteps, onError, ledger, earlier: () => waves.texts() };
		const ofRun = (said: () => string): WaveOfRun => {
			const { signal, stillGoing, opened, pausing } = control;
			const ended: WaveOfRun["ended"] = (wave) => waves.add(wave);
			return { runId, signal, stillGoing, said, opened, pausing, ended };
		};
		const parts: RunParts = {
			runId,
			path: [],
			model,
			tools: describe(),
			maxSteps,
			totalMs,
			stop: predicates(stop),
			clock,
			control,
			live,
			openStep: (step, said) => openStep({ ...ofRun(said), step }, ofWave(execution)),
			record: (lines) => ledger.append(lines),
			barrier: () => ledger.barrier(),
			paused: async ({ status, questions, checkpoint }, left) => ({
				status,
				questions,
				checkpoint: await sealRun(checkpoint, left, settings),
			}),
		};
		return { parts, ofRun };
	}
}

function objectOr<Options extends object>(given: Options): Partial<Options> {
	return typeof given === "object" && given !== null ? given : {};
}

/** The run's total limit is the run's own: a wave of it has none. */
function ofWave(execution: Execution): Execution {
	return { ...execution, timeouts: { ...execution.timeouts, totalMs: Number.POSITIVE_INFINITY } };
}
