// Create engine
//
// The only file that knows every concrete type: it hands each part the values it needs, and never its options.
//
// Owns:      the wiring, and what is open: waves, steps, executors, the ledger.
// Does not:  do anything a part does.
//
// Invariants:
//   Z1. After close nothing of the engine runs: waves were aborted, threads ended, the ledger closed.

import { inlineExecutor } from "../workers/inline.js";
import { toolThreads } from "../workers/tool-threads.js";
import { recordedLedger } from "./accounting/recorded-ledger.js";
import { PolicyFace } from "./admission/policy-face.js";
import { ReplyAhead } from "./ahead/early-starts.js";
import type { ToolCall } from "./core/call.js";
import { EngineError } from "./core/errors.js";
import { type EventDraft, EventHub, type Listener } from "./core/events.js";
import { invariant } from "./core/invariant.js";
import { CLOSE_MS_MAX } from "./core/limits.js";
import { bounded } from "./core/thenable.js";
import type { ToolValue } from "./core/tool-context.js";
import { ToolSet } from "./core/tool-set.js";
import type { Engine, EngineCloseReport } from "./engine.js";
import { CallContext } from "./execution/call-context.js";
import { HostExecutor } from "./execution/host-executor.js";
import { Placement } from "./execution/placement.js";
import {
	type CheckpointContent,
	openCheckpoint,
	type RunCheckpoint,
	type WaveCheckpoint,
} from "./ledger/checkpoint.js";
import { continuedLedger } from "./ledger/continued-ledger.js";
import type { Ledger } from "./ledger/ledger.js";
import { namedFailures } from "./ledger/named-failures.js";
import { currentLineage, newLineage } from "./locks/lineage.js";
import type {
	EngineOptions,
	Execution,
	ExecutionOptions,
	ResumeOptions,
	RunOptions,
	RunResumeOptions,
	SettledOptions,
	WaveCallOptions,
} from "./options.js";
import { demandListedTools } from "./run/agent-tool.js";
import { describeTools } from "./run/describe-tools.js";
import { earlierIn } from "./run/earlier-waves.js";
import { AskerLine, askingBy } from "./run/interrupts.js";
import { executionOf, NO_WAVE, type TakenUp, type TakingUp, takeUp } from "./run/resume.js";
import type { Run } from "./run/run-handle.js";
import { RunRules } from "./run/run-rules.js";
import { Runs, type WaveOfRun } from "./run/runs.js";
import { demandOptions, settleExecution, settleOptions } from "./settle-options.js";
import { InputTeller } from "./wave/input-teller.js";
import { onlyObserve } from "./wave/middleware.js";
import { type Step, StreamedStep } from "./wave/step.js";
import { valueOrThrow } from "./wave/value-or-throw.js";
import { runWave } from "./wave/wave.js";
import type { Abortable, WaveOptions } from "./wave/wave-options.js";
import type { WaveResult } from "./wave/wave-result.js";

/**
 * Makes an engine.
 *
 * @example
 * ```ts
 * const engine = createEngine({ tools: [readNote, saveNote] });
 * const { results } = await engine.executeWave(reply.toolCalls);
 * await engine.close();
 * ```
 * @throws EngineError `INVALID_OPTIONS`, `INVALID_TOOL`: what was wrong, and with which value.
 * @remarks Since 0.1.0.
 * @public
 */
export function createEngine(options: EngineOptions): Engine {
	return new WiredEngine(settleOptions(options));
}

type OpenWave = Omit<WaveOptions, "early">;

const UNASKED = { early: undefined, stillGoing: undefined, signal: undefined, onError: "continue" } as const;

class WiredEngine implements Engine {
	readonly #options: SettledOptions;
	readonly #tools: ToolSet;
	readonly #hub: EventHub;
	readonly #placement: Placement;
	/** Waves that run and steps that stream. */
	readonly #open = new Set<Abortable>();
	readonly #waves = new Set<Promise<unknown>>();
	readonly #rules = new RunRules();
	readonly #runs: Runs<ExecutionOptions>;
	readonly #asker: "pause" | "none" | AskerLine;
	/** The host's, past the policies that record. */
	readonly #ledger: Ledger;
	#closing: Promise<EngineCloseReport> | undefined;

	constructor(options: SettledOptions) {
		const { clock, tools, threads, executor } = options;
		// Whatever the engine writes passes the policies that record, so it has no other way to the ledger.
		this.#ledger = namedFailures(options.ledger);
		this.#options = { ...options, ledger: recordedLedger(this.#ledger, options.policies) };
		this.#tools = new ToolSet(demandListedTools(tools));
		this.#asker = typeof options.asker === "function" ? new AskerLine(options.asker, clock) : options.asker;
		this.#hub = new EventHub(() => clock.monotonicMs());
		const emit = (event: EventDraft): void => this.#hub.emit(event);
		this.#placement = new Placement({
			inline: inlineExecutor(clock),
			threads:
				executor === undefined
					? toolThreads(tools, { threads, clock, emit })
					: new HostExecutor(executor, { clock, emit }),
		});
		this.#runs = this.#newRuns();
	}

	async executeWave(calls: readonly ToolCall[], options: WaveCallOptions = {}): Promise<WaveResult> {
		const wave = this.#waveOptions("run a wave", demandOptions("wave", options));
		return this.#track(runWave(this.#newFace(wave), calls, { ...wave, early: undefined }));
	}

	run(options: RunOptions): Run {
		// Without any, a run refuses what is missing as it does every other mistake: by its own result.
		return this.#runs.start(options ?? ({} as RunOptions));
	}

	resume(checkpoint: WaveCheckpoint, options?: ResumeOptions): Promise<WaveResult>;
	resume(checkpoint: RunCheckpoint, options: RunResumeOptions): Run;
	resume(checkpoint: WaveCheckpoint | RunCheckpoint, options: ResumeOptions | RunResumeOptions = {}) {
		// A run's checkpoint without a model is refused by the run, like a run without one.
		if (checkpoint?.kind === "run") return this.#runs.resume(checkpoint, (options ?? {}) as RunResumeOptions);
		return this.#resumeWave(checkpoint, options);
	}

	async #resumeWave(checkpoint: WaveCheckpoint, options: ResumeOptions): Promise<WaveResult> {
		const action = "resume a wave";
		this.#demandOpen(action);
		demandOptions("resume", options);
		const { ledger, execution } = this.#options;
		const { head, content: plain } = await openCheckpoint("wave", checkpoint, ledger);
		const content = plain as unknown as CheckpointContent;
		const { toolExecution } = head;
		const before = settleExecution(executionOf({ toolExecution, onError: content.onError }), execution);
		const { runId, step } = head;
		// Demands an open engine once more: it may have been closed while the checkpoint was read.
		const wave = this.#waveOptions(action, { ...options, runId, step }, before);
		return this.#goOn(content, { answers: options.answers, earlier: content.earlier ?? [] }, wave);
	}

	#goOn(content: CheckpointContent, about: TakingUp, wave: OpenWave): Promise<WaveResult> {
		const taken = this.#takeUp(content, about, wave);
		const ledger = this.#continued(taken.resumed.tail?.lines);
		const going = { ...wave, ...(content.cut && UNASKED), early: undefined, ...taken, ledger };
		return this.#track(runWave(this.#newFace(wave), content.calls, going));
	}

	#takeUp(content: CheckpointContent, about: TakingUp, wave: OpenWave): TakenUp {
		const faceOf = (step: number): PolicyFace => this.#newFace({ ...wave, step });
		const answeredBefore = this.#rules.answeredOf(wave.runId);
		return takeUp(content, about, { options: { ...wave, early: undefined }, faceOf, answeredBefore });
	}

	#newRuns(): Runs<ExecutionOptions> {
		const { clock, ledger, tools, execution } = this.#options;
		return new Runs({
			clock,
			ledger,
			open: this.#open,
			subscribe: (listener) => this.subscribe(listener),
			describe: () => describeTools(tools),
			settle: (near, before) => {
				this.#demandOpen("run a model");
				demandOptions(before === undefined ? "run" : "run resume", near as RunOptions);
				return settleExecution(near, before === undefined ? execution : settleExecution(before, execution));
			},
			openStep: (near, settled) => this.#openStep(this.#waveOfRun("open a step", near, settled)),
			resumeWave: async ({ head: { runId, step }, content }, near, settled) => {
				const wave = this.#waveOfRun("resume a run", { ...near, runId, step }, settled);
				return this.#goOn(content, near, wave);
			},
			goOn: async (near, settled) => {
				const wave = this.#waveOfRun("resume a run", near, settled);
				await this.#takeUp({ ...NO_WAVE, rules: near.rules }, near, wave).prepared;
			},
			track: (work) => this.#track(work),
		});
	}

	openStep(options: WaveCallOptions = {}): Step {
		return this.#openStep(this.#waveOptions("open a step", demandOptions("wave", options)));
	}

	#waveOfRun(action: string, near: WaveOfRun & { readonly step: number }, settled: Execution): OpenWave {
		const { said, opened, pausing, ended } = near;
		return { ...this.#waveOptions(action, near, settled), said, opened, pausing, ended, earlier: undefined };
	}

	#openStep(wave: OpenWave): Step {
		const { runId, step, maxParallelToolCalls: max, timeouts: limits, clock, hub, locks, lineage } = wave;
		const newHolder = () => newLineage(lineage);
		const early = { runId, step, max, limits, clock, hub, locks, newHolder, openIn: this.#open };
		const teller = { runId, step, hub, toolOf: (name: string) => this.#tools.get(name) };
		return new StreamedStep({
			newTeller: () => new InputTeller(teller),
			newFace: () => this.#newFace(wave),
			newEarly: (face) => new ReplyAhead({ ...early, face }),
			run: (face, calls, own) => this.#track(runWave(face, calls, { ...wave, ...own })),
			account: (face, calls, cut) => this.#track(runWave(face, calls, { ...wave, ...UNASKED, cut })),
			options: wave,
		});
	}

	async invokeTool(name: string, args: unknown, options: { readonly signal?: AbortSignal } = {}): Promise<ToolValue> {
		demandOptions("call", options);
		const inside = currentLineage()?.call;
		// A tool that the engine does not run now, or another engine's, is nobody's parent here; its lineage still counts.
		const isParent = inside instanceof CallContext && inside.services.openIn === this.#open && !inside.hasEnded;
		if (isParent && options.signal === undefined) return inside.invokeTool(name, args);
		const wave = this.#waveOptions(`run the tool ${name}`, options);
		// Whoever made the call waits for its value and has no use for a checkpoint.
		const { how, rules } = wave.asking;
		const asking = { how: how === "pause" ? ("none" as const) : how, rules };
		const alone = { ...wave, asking, early: undefined };
		const { results } = await this.#track(runWave(this.#newFace(alone), [{ id: "", name, args }], alone));
		const outcome = results[0]?.outcome;
		invariant(outcome !== undefined, "WV2", `the call of ${name} ended without an outcome`);
		return valueOrThrow(name, outcome);
	}

	subscribe(listener: Listener): () => void {
		return this.#hub.subscribe(listener);
	}

	close(): Promise<EngineCloseReport> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	async #close(): Promise<EngineCloseReport> {
		const { clock, ledger, execution } = this.#options;
		// Z1: in this order, because what waves still write must find the ledger open.
		const reason = new DOMException("The engine was closed", "AbortError");
		for (const open of [...this.#open]) open.abort(reason);
		const report = await this.#placement.close(execution.timeouts.graceMs);
		// Aborted waves only write their last lines now; a face or a ledger that hangs must not hang the close.
		const ended = Promise.allSettled([...this.#waves]);
		const bound = { what: "the engine's waves", limitMs: CLOSE_MS_MAX, clock };
		await bounded(ended, bound).catch(() => undefined);
		try {
			await bounded(ledger.close(), { ...bound, what: "the ledger" });
			return report;
		} catch (error) {
			return { ...report, ledgerFailure: error };
		}
	}

	#newFace({ runId, step, asking }: Pick<WaveOptions, "runId" | "step" | "asking">): PolicyFace {
		const { policies, middleware, clock } = this.#options;
		const { place } = this.#placement;
		const asks = asking.how !== "none";
		// What middleware may keep from running, or make another call of, does not run before it was asked.
		const ahead = onlyObserve(middleware) && this.#options.ahead;
		return new PolicyFace({ tools: this.#tools, policies, runId, step, clock, ahead, asks, place });
	}

	/** The engine's ledger, which holds some of the lines already that come next. */
	#continued(lines: Parameters<typeof continuedLedger>[1]): Ledger {
		return recordedLedger(continuedLedger(this.#ledger, lines), this.#options.policies);
	}

	#demandOpen(action: string): void {
		if (this.#closing === undefined) return;
		throw new EngineError("ENGINE_CLOSED", { action, problem: "the engine was closed" });
	}

	#waveOptions(action: string, near: WaveCallOptions, execution: Execution = this.#options.execution): OpenWave {
		this.#demandOpen(action);
		const { clock, ledger, locks, middleware } = this.#options;
		const { runId = clock.newId(), step = 0, signal, stillGoing } = near;
		const own = { runId, step, ledger, clock, hub: this.#hub, signal, stillGoing, open: this.#open, middleware };
		const settled = settleExecution(near, execution);
		const asking = askingBy(this.#asker, settled.timeouts.askMs, this.#rules.of(runId));
		const place = { lineage: currentLineage(), path: [], firstIndex: 0 };
		const earlier = step > 0 ? () => earlierIn(this.#ledger, runId) : undefined;
		return { ...settled, ...own, locks, ...place, asking, earlier, tools: this.#options.tools, resumed: undefined };
	}

	#track<Result>(wave: Promise<Result>): Promise<Result> {
		const ended = wave.finally(() => this.#waves.delete(ended));
		this.#waves.add(ended);
		return ended;
	}
}
