// Execute concurrent
//
// The stages for a face of the host's own. The engine drives the face that it builds from tools and policies through the
// same code (create-engine.ts).
//
// Owns:      what such a wave is run with, and the early starts of such a face.
// Does not:  run the stages (wave/wave.ts).

import type { ConcurrentInvoke } from "./admission/concurrent-invoke.js";
import { type EarlyStarts, ReplyAhead } from "./ahead/early-starts.js";
import type { ToolCall } from "./core/call.js";
import { type Clock, systemClock } from "./core/clock.js";
import { EventHub, type Listener } from "./core/events.js";
import type { KnownFields } from "./core/known-fields.js";
import { showValue } from "./core/show-value.js";
import type { Ledger } from "./ledger/ledger.js";
import { namedFailures } from "./ledger/named-failures.js";
import { noLedger } from "./ledger/no-ledger.js";
import type { KeyedLock } from "./locks/keyed-lock.js";
import { currentLineage, newLineage } from "./locks/lineage.js";
import { toolLocks } from "./locks/tool-locks.js";
import { type AskerFunction, EXECUTION_DEFAULTS, type WaveCallOptions } from "./options.js";
import { AskerLine, askingBy } from "./run/interrupts.js";
import { RunRules } from "./run/run-rules.js";
import { demandFields, demandPlace, demandPorts, refuse, settleExecution, WAVE_FIELDS } from "./settle-options.js";
import { runWave } from "./wave/wave.js";
import type { WaveResult } from "./wave/wave-result.js";

/**
 * What {@link executeConcurrent} is run with. Everything has a default.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ConcurrentOptions extends WaveCallOptions {
	/** Default: none is kept. It stays open. */
	readonly ledger?: Ledger;
	/** Default: the system's clock. */
	readonly clock?: Clock;
	/** Default: those that every engine on this thread shares. */
	readonly locks?: KeyedLock;
	/** What {@link openAhead} started for the same face. */
	readonly ahead?: EarlyStarts;
	/**
	 * Who answers a tool's questions, as an engine's `asker`; a wave on a face of the host's own cannot pause. Default
	 * `'none'`.
	 */
	readonly asker?: "none" | AskerFunction;
	/** Told of every event of the wave. */
	readonly onEvent?: Listener;
}

/**
 * Takes the calls of one reply through the three stages of a face: admission one call at a time in call order, the
 * cleared calls as the schedule allows, accounting one answer at a time in call order.
 *
 * Resolves once every call is accounted and the ledger is durable. A throw in a member of the face is `POLICY_FAILED`
 * for that call alone.
 *
 * @throws EngineError `INVALID_OPTIONS`; `LEDGER_FAILED` when the ledger could not be written.
 * @remarks Since 0.1.0.
 * @public
 */
export async function executeConcurrent<T>(
	face: ConcurrentInvoke<T>,
	calls: readonly ToolCall[],
	options: ConcurrentOptions = {},
): Promise<WaveResult> {
	demandConcurrentOptions(options);
	const { clock = systemClock, signal, stillGoing, ahead, step = 0 } = options;
	const execution = settleExecution(options, EXECUTION_DEFAULTS);
	const runId = options.runId ?? clock.newId();
	const ledger = options.ledger === undefined ? noLedger : namedFailures(options.ledger);
	const hub = hubFor(clock, options.onEvent);
	if (ahead !== undefined && !(ahead instanceof ReplyAhead)) refuse("ahead was not made by openAhead()");
	ahead?.close();
	const wave = { runId, step, ledger, clock, hub, signal, stillGoing, early: ahead, locks: options.locks ?? toolLocks };
	const { asker = "none" } = options;
	const rules = new RunRules().of(runId);
	const line = asker === "none" ? asker : new AskerLine(asker, clock);
	return runWave(face, calls, {
		asking: askingBy(line, execution.timeouts.askMs, rules),
		tools: [],
		resumed: undefined,
		...execution,
		...wave,
		lineage: currentLineage(),
		path: [],
		firstIndex: 0,
		open: undefined,
		middleware: [],
	});
}

/**
 * Starts reads of a face while the model still generates: give it each call as its arguments are complete, and give it
 * to {@link executeConcurrent} as `ahead` once the reply has ended well. Otherwise `discard` it.
 *
 * @throws EngineError `INVALID_OPTIONS`.
 * @remarks Since 0.1.0.
 * @public
 */
export function openAhead<T>(face: ConcurrentInvoke<T>, options: ConcurrentOptions = {}): EarlyStarts {
	demandConcurrentOptions(options);
	const { clock = systemClock, step = 0 } = options;
	const { timeouts, maxParallelToolCalls } = settleExecution(options, EXECUTION_DEFAULTS);
	const lineage = currentLineage();
	return new ReplyAhead({
		face,
		runId: options.runId ?? clock.newId(),
		step,
		max: maxParallelToolCalls,
		limits: timeouts,
		clock,
		hub: hubFor(clock, options.onEvent),
		locks: options.locks ?? toolLocks,
		newHolder: () => newLineage(lineage),
		openIn: undefined,
	});
}

const CONCURRENT_FIELDS: KnownFields<ConcurrentOptions> = {
	ledger: true,
	clock: true,
	locks: true,
	ahead: true,
	asker: true,
	onEvent: true,
	...WAVE_FIELDS,
};

function demandConcurrentOptions(options: ConcurrentOptions): void {
	demandFields(options, CONCURRENT_FIELDS);
	demandPlace(options);
	demandPorts(options);
	const { asker = "none", onEvent } = options;
	if (asker !== "none" && typeof asker !== "function") {
		refuse(`asker is ${showValue(asker)}, neither "none" nor a function`);
	}
	if (onEvent !== undefined && typeof onEvent !== "function") {
		refuse(`onEvent is ${showValue(onEvent)}, not a function`);
	}
}

function hubFor(clock: Clock, listener: Listener | undefined): EventHub {
	const hub = new EventHub(() => clock.monotonicMs());
	if (listener !== undefined) hub.subscribe(listener);
	return hub;
}
