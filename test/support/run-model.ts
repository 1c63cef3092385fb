// Run model
//
// What a run does, said as simply as it can be: one list of calls, one place in it, and what each call's state is. Nothing
// here waits or runs; each move says at once what the run must look like when everything has come to rest.
//
// Owns:      the expected state: what runs, what was entered, the ledger's lines, the conversation, the status.
// Does not:  make the engine do anything (run-model.test.ts).

import { KINDS, type Kind } from "./run-world.js";

interface Modelled {
	readonly kind: Kind;
	readonly key: string;
	readonly index: number;
	state: "waiting" | "running" | "asking" | "settled";
	outcome: string;
	admitted: boolean;
	accounted: boolean;
	aborted: boolean;
	/** Steers that are written before its lines. */
	steers: string[];
	/** What a person said to its approval. */
	approved: boolean | undefined;
	answers: string[];
}

export interface ModelledQuestion {
	readonly id: string;
	readonly isApproval: boolean;
	readonly call: Modelled;
}

export class RunModel {
	readonly lines: string[] = ["run_started"];
	readonly messages: string[] = ["begin"];
	readonly entered: string[] = [];
	phase: "streaming" | "wave" | "paused" | "ended" = "ended";
	status = "";
	steps = 0;
	calls: Modelled[] = [];
	#pending: string[] = [];
	#taken: string[] = [];
	readonly #maxSteps: number;

	constructor(maxSteps: number) {
		this.#maxSteps = maxSteps;
		this.#ask();
	}

	get step(): number {
		return this.steps - 1;
	}

	get running(): readonly Modelled[] {
		return this.calls.filter(({ state }) => state === "running");
	}

	get questions(): readonly ModelledQuestion[] {
		return this.calls.flatMap((call): ModelledQuestion[] => {
			if (call.state === "settled") return [];
			const id = `r/${this.step}/${call.index}`;
			if (waitsForApproval(call)) return [{ id: `${id}/0`, isApproval: true, call }];
			return call.state === "asking" && !isGated(call)
				? [{ id: `${id}/${call.answers.length + 1}`, isApproval: false, call }]
				: [];
		});
	}

	offer(kind: Kind): void {
		const index = this.calls.length;
		const key = `${this.step}.${index}`;
		const isEarly = kind === "look" && this.calls.every((call) => isRead(call.kind));
		const call: Modelled = {
			kind,
			key,
			index,
			state: "waiting",
			outcome: "",
			admitted: false,
			accounted: false,
			aborted: false,
			steers: [],
			approved: undefined,
			answers: [],
		};
		this.calls.push(call);
		if (isEarly) this.#run(call);
	}

	end(how: "good" | "length" | "failed"): void {
		if (how === "failed") {
			this.#finish("failed");
			return;
		}
		this.lines.push("model_returned");
		if (how === "length") {
			for (const call of this.calls) this.#settle(call, "RESPONSE_INCOMPLETE");
			for (const call of this.calls) call.admitted = true;
		}
		this.phase = "wave";
		if (how === "good") this.#advance();
		else this.#afterWave(this.calls.length === 0 ? "incomplete" : undefined);
	}

	settle(call: Modelled, how: "answer" | "throw" | "late"): void {
		const cut = isRead(call.kind) ? "TIMED_OUT" : "OUTCOME_UNKNOWN";
		const value = JSON.stringify([call.key, ...call.answers]);
		this.#settle(call, how === "answer" ? value : how === "throw" ? "TOOL_FAILED" : cut);
	}

	/** After calls have settled: what starts, what is written, how it stands. */
	rest(): void {
		if (this.phase === "wave") this.#advance();
	}

	ask(call: Modelled): void {
		call.state = "asking";
		this.rest();
	}

	/** The run is resumed with these answers. */
	answer(answers: readonly { readonly question: ModelledQuestion; readonly said: boolean | string }[]): void {
		for (const { question, said } of answers) {
			const { call } = question;
			if (question.isApproval) call.approved = said === true;
			else call.answers.push(String(said));
			if (call.state === "asking") call.state = "waiting";
			if (call.admitted && call.approved === false) this.#settle(call, "DECLINED");
		}
		this.phase = "wave";
		this.status = "";
		this.#advance();
	}

	steer(text: string): void {
		this.#pending.push(text);
	}

	/** Whether the call had no outcome yet. */
	abortCall(call: Modelled): boolean {
		if (call.state === "settled") return false;
		call.aborted = true;
		const code = isRead(call.kind) ? "ABORTED" : "OUTCOME_UNKNOWN";
		if (call.state === "running") this.#settle(call, code);
		else if (call.state === "asking") this.#settle(call, isGated(call) ? "ABORTED_BEFORE_DISPATCH" : "ABORTED");
		this.rest();
		return true;
	}

	abort(): void {
		this.lines.push("cancel_received");
		if (this.phase === "streaming") {
			this.#finish("aborted");
			return;
		}
		for (const call of this.calls) {
			const code = isRead(call.kind) ? "ABORTED" : "OUTCOME_UNKNOWN";
			if (call.state === "running") this.#settle(call, code);
			else if (call.state === "asking" && !isGated(call)) this.#settle(call, "ABORTED");
			else if (call.state !== "settled") this.#settle(call, "ABORTED_BEFORE_DISPATCH");
			call.admitted = true;
		}
		this.#account();
		this.#remember();
		this.#finish("aborted");
	}

	#run(call: Modelled): void {
		call.state = "running";
		this.entered.push(call.key);
	}

	#settle(call: Modelled, outcome: string): void {
		call.state = "settled";
		call.outcome = outcome;
	}

	#advance(): void {
		for (const segment of this.#segments()) {
			if (segment.every(({ accounted }) => accounted)) continue;
			const [first] = segment;
			if (first !== undefined && !isSafe(first) && waitsForApproval(first)) {
				this.#pause();
				return;
			}
			for (const call of segment) this.#admit(call);
			for (const call of segment) {
				if (call.state !== "waiting") continue;
				if (waitsForApproval(call)) call.state = "asking";
				else this.#run(call);
			}
			this.#account();
			if (segment.some(({ state }) => state === "running")) return;
			if (segment.some(({ state }) => state === "asking")) {
				this.#pause();
				return;
			}
		}
		this.#afterWave(this.calls.length === 0 && this.#pending.length === 0 ? "done" : undefined);
	}

	#afterWave(end: string | undefined): void {
		this.#remember();
		if (end !== undefined) {
			this.#finish(end);
			return;
		}
		if (this.steps >= this.#maxSteps) {
			this.#finish("limit");
			return;
		}
		this.#ask();
	}

	#pause(): void {
		this.phase = "paused";
		this.status = "paused";
	}

	#admit(call: Modelled): void {
		if (call.admitted) return;
		call.admitted = true;
		const steer = this.#pending.shift();
		if (steer !== undefined) call.steers.push(steer);
		if (steer !== undefined) this.#taken.push(steer);
		if (call.state === "settled") return;
		if (call.kind === "missing") this.#settle(call, "UNKNOWN_TOOL");
		else if (call.aborted) this.#settle(call, "ABORTED_BEFORE_DISPATCH");
		else if (isGated(call) && call.approved === false) this.#settle(call, "DECLINED");
	}

	/** Runs of calls that may run together, and the others alone. */
	#segments(): readonly (readonly Modelled[])[] {
		const segments: Modelled[][] = [];
		for (const call of this.calls) {
			const last = segments.at(-1);
			if (last?.every(isSafe) && isSafe(call)) last.push(call);
			else segments.push([call]);
		}
		return segments;
	}

	#account(): void {
		for (const call of this.calls) {
			if (!call.admitted || call.state !== "settled") return;
			if (call.accounted) continue;
			call.accounted = true;
			const { index, steers } = call;
			this.lines.push(...steers.map(() => "steer_received"), `tool_called ${index}`, `tool_result ${index}`);
		}
	}

	/** The step is over: it stands in the conversation. */
	#remember(): void {
		this.#account();
		this.messages.push("reply", ...this.calls.map(({ outcome }) => outcome), ...this.#taken);
		this.#taken = [];
	}

	#ask(): void {
		this.#takeSteers();
		this.lines.push("model_called");
		this.steps += 1;
		this.calls = [];
		this.phase = "streaming";
		this.status = "";
	}

	#takeSteers(): void {
		this.lines.push(...this.#pending.map(() => "steer_received"));
		this.messages.push(...this.#pending);
		this.#pending = [];
	}

	#finish(status: string): void {
		this.#takeSteers();
		this.lines.push("run_finished");
		this.calls = [];
		this.phase = "ended";
		this.status = status;
	}
}

function isRead(kind: Kind): boolean {
	return kind !== "missing" && KINDS[kind].effect === "read";
}

function isGated({ kind }: Modelled): boolean {
	return kind === "gated" || kind === "gatedput";
}

function waitsForApproval(call: Modelled): boolean {
	return isGated(call) && call.approved === undefined && !call.aborted;
}

function isSafe(call: Modelled): boolean {
	const needsNoTool = call.kind === "missing" || (isGated(call) && call.approved === false);
	return needsNoTool || isRead(call.kind) || call.kind === "note";
}
