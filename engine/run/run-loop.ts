// Run loop
//
// START HERE for a run: model, wave, model, wave, until something ends it.
//
//   request     the steers that came meanwhile, then the model is asked                    ┐
//   reply       read as it streams; reads among its calls start early     read-reply.ts   │ a step
//   wave        its calls, through the three stages                       wave/wave.ts    │
//   messages    the reply, the outcomes of its calls, the steers                           ┘
//
// A reply that asks for no call ends the run, unless somebody has steered it meanwhile. A reply that was cut and had whole
// calls goes on too: the model reads that none of them ran, which is what it needs to ask again. One that failed ends the
// run and leaves nothing of itself: to ask again unasked was the alternative, and only the host knows what that costs.
//
// Owns:      the order of a step, the lines of the run, the conversation, what ends the run.
// Does not:  read a stream, run calls, or keep anything beyond the run's end.
//
// Invariants:
//   RL2. Every call that stands in the conversation has its outcome in it, in call order.
//   RL3. After a halt the model is not asked again, and nothing starts.
//   RL4. The run's last line is the last, and a steer that was taken stands in its conversation or its checkpoint.

import type { Clock } from "../core/clock.js";
import { invariant } from "../core/invariant.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import { causeOf } from "../core/outcome.js";
import { bounded, hearOut } from "../core/thenable.js";
import { modelReturned, type Stamp } from "../ledger/call-entries.js";
import type { EntryDraft } from "../ledger/entry.js";
import { cancelReceived, modelCalled, runFinished, runStarted, steerReceived } from "../ledger/run-entries.js";
import type { ReplyItem } from "../wave/reply-item.js";
import type { Step } from "../wave/step.js";
import type { PausedWaveResult, WaveResult } from "../wave/wave-result.js";
import type { LiveEvents } from "./live-events.js";
import { type Message, messageData, replyMessages } from "./messages.js";
import type { Model, ToolDescription } from "./model-port.js";
import { type Reply, readReply } from "./read-reply.js";
import type { RunControl } from "./run-control.js";
import { abortReason, whyOf } from "./run-end.js";
import type { RunGoingOn } from "./run-going-on.js";
import type { RunEnd, RunResult, RunSoFar, StopPredicate } from "./run-result.js";

/** A step as a run uses it. */
export type RunStep = Pick<Step, "feed" | "settle" | "discard">;

export interface RunParts {
	readonly runId: string;
	/** The path of the call that the run is the work of; empty for a run of its own. */
	readonly path: readonly number[];
	readonly model: Model;
	readonly tools: readonly ToolDescription[];
	readonly maxSteps: number;
	readonly totalMs: number;
	readonly stop: readonly StopPredicate[];
	readonly clock: Clock;
	readonly control: RunControl;
	readonly live: Pick<LiveEvents, "emit">;
	/** Opens a step; `said` is what the reply says beside its calls, once it has ended. */
	readonly openStep: (step: number, said: () => string) => RunStep;
	readonly record: (lines: readonly EntryDraft[]) => void;
	readonly barrier: () => Promise<void>;
	/** What a wave that paused ends the run with. */
	readonly paused: (wave: PausedWaveResult, left: RunLeft) => Promise<RunEnd & { readonly status: "paused" }>;
}

/** What is left of a run at a pause, beside its wave. */
export interface RunLeft extends RunSoFar {
	/** Received, and written nowhere yet. */
	readonly steers: readonly string[];
	readonly spentMs: number;
}

type WholeReply = Pick<Reply, "text" | "calls">;

export class RunLoop {
	readonly #parts: RunParts;
	readonly #startedMs: number;
	#messages: readonly Message[] = [];
	#text = "";
	#steps = 0;
	#spentMs = 0;
	/** The request that comes next is in the ledger already. */
	#stands = false;

	constructor(parts: RunParts) {
		this.#parts = parts;
		this.#startedMs = parts.clock.monotonicMs();
	}

	/** Rejects with `LEDGER_FAILED`, and with nothing else that a model, a tool or a predicate does. */
	async begin(messages: readonly Message[]): Promise<RunResult> {
		this.#messages = messages;
		this.#record(runStarted(this.#stamp(), messages.map(messageData), this.#parts.path));
		this.#open();
		return this.#goOn(undefined);
	}

	async resume({ messages, text, steps, spentMs, cancelled, place }: RunGoingOn): Promise<RunResult> {
		this.#messages = messages;
		this.#text = text;
		this.#steps = steps;
		this.#spentMs = spentMs;
		if (place.kind === "ended") return { ...place.end, ...this.#soFar() } as RunResult;
		this.#open(cancelled);
		if (place.kind === "wave")
			return this.#goOn(await this.#afterWave({ text, calls: place.calls }, await place.wave()));
		await place.ready();
		if (place.kind === "reply") return this.#goOn(this.#afterCallless(place.cut));
		this.#stands = place.stands;
		return this.#goOn(undefined);
	}

	#open(cancelled?: string): void {
		const { control, totalMs } = this.#parts;
		const before = cancelled === undefined ? {} : { cancelled: abortReason(cancelled) };
		control.open((reason) => this.#cancelled(reason), { totalMs, spentMs: this.#spentMs, ...before });
	}

	async #goOn(ended: RunEnd | undefined): Promise<RunResult> {
		let end = ended;
		while (end === undefined) end = this.#beforeStep() ?? (await this.#step());
		if (end.status !== "paused") {
			// What was taken is history, and stands in the conversation, also where the model is not asked again.
			this.#takeSteers();
			// RL4: what comes while the last lines are made durable has nowhere to go, and is told so.
			this.#parts.control.over();
			const finished = { status: end.status, steps: this.#steps, why: whyOf(end) };
			this.#record(runFinished(this.#stamp(), finished, this.#parts.path));
			await this.#parts.barrier();
		}
		// The union's members differ only in what `end` holds.
		return { ...end, ...this.#soFar() } as RunResult;
	}

	/** What keeps the model from being asked. */
	#beforeStep(): RunEnd | undefined {
		const { control, maxSteps } = this.#parts;
		if (control.halt !== undefined) return this.#halted();
		if (this.#steps >= maxSteps && !this.#stands) return { status: "limit", limit: "maxSteps" };
		return undefined;
	}

	async #step(): Promise<RunEnd | undefined> {
		const { clock, model, tools, control, live, openStep, path } = this.#parts;
		// What was aborted before the first step is of that step: there is no other whose calls it could be.
		if (this.#steps > 0) control.stepBegins();
		this.#text = "";
		invariant(control.halt === undefined, "RL3", "the model is asked by a run that was halted");
		if (!this.#stands) {
			this.#takeSteers();
			this.#record(modelCalled(this.#stamp(), this.#steps, path));
			this.#steps += 1;
		}
		// A steer that comes behind a request that stands is written behind it too: with the wave, or after the step.
		this.#stands = false;
		const number = this.#steps - 1;
		live.emit({ kind: "model_called", step: number });
		// Opened by the first call: a reply without any has no wave.
		let step: RunStep | undefined;
		const feed = (item: ReplyItem): void => {
			if (item.kind !== "end" && item.kind !== "restart") step ??= openStep(number, () => this.#text);
			step?.feed(item);
			// Its calls are void, and others come in their places.
			if (item.kind === "restart") control.stepBegins();
		};
		const request = { messages: [...this.#messages], tools, signal: control.signal };
		const reply = await readReply({ model, request, clock, feed, emit: (event) => live.emit(event) });
		this.#text = reply.text;
		return this.#afterReply(reply, number, step);
	}

	async #afterReply(reply: Reply, number: number, step: RunStep | undefined): Promise<RunEnd | undefined> {
		// An abort that came with an item has the same effect as one that came before it, whatever became of the item.
		if (reply.kind === "aborted" || this.#parts.control.halt !== undefined) {
			// An engine that closes has discarded the step already.
			await step?.discard("cancelled").catch(() => undefined);
			return this.#halted();
		}
		if (reply.kind === "failed") {
			await step?.discard("failed");
			return { status: "failed", error: reply.error };
		}
		if (step === undefined) {
			const cut = reply.kind === "cut" ? reply.cut : undefined;
			const said = { calls: [], text: reply.text, path: this.#parts.path, cut };
			this.#record(modelReturned(this.#stamp(), number, said));
		}
		const wave = reply.kind === "good" ? await step?.settle() : await step?.discard(reply.cut);
		const ended = await this.#afterWave(reply, wave);
		if (ended !== undefined || reply.calls.length > 0) return ended;
		return this.#afterCallless(reply.kind === "cut" ? reply.cut : undefined);
	}

	/** What ends the run behind a reply that asked for no call, if something does. */
	#afterCallless(cut: "length" | "filtered" | undefined): RunEnd | undefined {
		if (this.#parts.control.halt !== undefined) return this.#halted();
		if (cut !== undefined) return { status: "incomplete", cut };
		return this.#takeSteers() ? undefined : { status: "done" };
	}

	/** Puts a step into the conversation; gives what ends the run after it. */
	async #afterWave(reply: WholeReply, wave: WaveResult | undefined): Promise<RunEnd | undefined> {
		if (wave?.status === "paused") return this.#paused(wave);
		const results = wave?.results ?? [];
		const isWhole = results.length === reply.calls.length && results.every(({ index }, place) => index === place);
		invariant(isWhole, "RL2", `${reply.calls.length} calls have ${results.length} outcomes`);
		const steers = (wave?.steers ?? []).map((text): Message => ({ role: "user", text }));
		this.#messages = [...this.#messages, ...replyMessages(reply, results), ...steers];
		if (this.#parts.control.halt !== undefined) return this.#halted();
		return results.length === 0 ? undefined : this.#askedToStop(results);
	}

	async #paused(wave: PausedWaveResult): Promise<RunEnd> {
		const { control, clock, paused } = this.#parts;
		const spentMs = clock.monotonicMs() - this.#startedMs + this.#spentMs;
		const left = { ...this.#soFar(), steers: control.takeSteers(), spentMs };
		// RL4: what the checkpoint holds is read by now.
		control.over();
		return paused(wave, left);
	}

	async #askedToStop(results: WaveResult["results"]): Promise<RunEnd | undefined> {
		const { stop, clock, control } = this.#parts;
		for (const stops of stop) {
			try {
				const said = Promise.resolve(stops({ ...this.#soFar(), results }));
				const bound = { what: "stop", limitMs: POLICY_MS_MAX, clock };
				const isStop = await bounded(control.unlessHalted(said), bound);
				if (control.halt !== undefined) return this.#halted();
				if (isStop) return { status: "stopped" };
			} catch (error) {
				// One that gives up because the run was aborted has not failed.
				return control.halt === undefined ? { status: "failed", error: causeOf(error) } : this.#halted();
			}
		}
		return undefined;
	}

	/** Writes down the steers that no wave was told of; true where there were any. */
	#takeSteers(): boolean {
		const steers = this.#parts.control.takeSteers();
		for (const text of steers) this.#record(steerReceived(this.#stamp(), text));
		this.#messages = [...this.#messages, ...steers.map((text): Message => ({ role: "user", text }))];
		return steers.length > 0;
	}

	#halted(): RunEnd {
		const { halt } = this.#parts.control;
		invariant(halt !== undefined, "RL3", "a run ended as halted and was not");
		if (halt.kind === "totalMs") return { status: "limit", limit: "totalMs" };
		return { status: "aborted", reason: halt.reason };
	}

	// Where it came, so also between the lines of two calls. A ledger that fails here fails at the next line as well.
	#cancelled(reason: unknown): void {
		if (this.#parts.path.length > 0) return;
		try {
			this.#record(cancelReceived(this.#stamp(), causeOf(reason).message));
		} catch (error) {
			hearOut(error);
		}
	}

	#soFar(): RunSoFar {
		return { runId: this.#parts.runId, messages: this.#messages, text: this.#text, steps: this.#steps };
	}

	#record(line: EntryDraft): void {
		this.#parts.record([line]);
	}

	#stamp(): Stamp {
		return { runId: this.#parts.runId, at: this.#parts.clock.now() };
	}
}
