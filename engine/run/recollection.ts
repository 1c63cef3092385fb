// Recollection
//
// What the calls of a wave had asked and been told when it was cut off: what its last pause wrote down, and each question
// and answer since. An answer that a policy kept out of the ledger is asked for again, because a tool that ran on what was
// put in its place would do something that nobody said.
//
// Owns:      the records of a pause with what was said since, and the rules that an `always` made.
// Does not:  decide what becomes of a call (recover.ts).

import {
	APPROVAL,
	type CallMemory,
	type CallRecord,
	type NestedRecord,
	NO_TIMING,
	newMemory,
} from "../core/call-record.js";
import type { JsonValue } from "../core/json-value.js";
import { readApproval } from "../core/question.js";
import type { CheckpointContent } from "../ledger/checkpoint.js";
import type { AskedInRun, WaveHistory } from "../ledger/wave-history.js";
import { nestedPlace } from "../wave/pending.js";

export class Recollection {
	readonly #records: (CallRecord | undefined)[];
	readonly #rules: Set<string>;

	constructor(
		{ asked }: Pick<WaveHistory, "asked">,
		{ runId, paused }: { readonly runId: string; readonly paused: Partial<CheckpointContent> | undefined },
	) {
		// A copy: the memories are written into.
		this.#records = structuredClone([...(paused?.records ?? [])]);
		this.#rules = new Set(paused?.rules ?? []);
		for (const one of asked.values()) if (one.id.startsWith(`${runId}/`)) this.#remember(one);
	}

	/** What is known of the call beside the ledger's lines of it. */
	recordOf(index: number): CallRecord | undefined {
		return this.#records[index];
	}

	get rules(): readonly string[] {
		return [...this.#rules];
	}

	#remember({ id, path, question, said }: AskedInRun): void {
		const [place, last = ""] = id.split("/").slice(-2);
		const [number = "", digest] = last.split("-");
		const memory = this.#memoryAt(path, place);
		if (memory === undefined) return;
		if (digest === undefined) this.#rememberOwn(memory, Number(number), { question, said });
		else this.#rememberForm(memory, digest, said);
	}

	/** What was asked about a form that middleware had made of the call; one that no pause recorded is asked about again. */
	#rememberForm(memory: CallMemory, digest: string, said: AskedInRun["said"]): void {
		const form = Object.entries(memory.forms ?? {}).find(([whole]) => whole.startsWith(digest))?.[1];
		if (form === undefined || said === undefined) return;
		if ("unanswered" in said) {
			form.unanswered = true;
			memory.unanswered = said.unanswered;
		} else if (said.altered) {
			delete form.answer;
		} else {
			form.answer = said.answer;
			this.#rule(form.rule, said.answer);
		}
	}

	#rememberOwn(memory: CallMemory, number: number, { question, said }: Pick<AskedInRun, "question" | "said">): void {
		if (said !== undefined && "unanswered" in said) {
			delete memory.questions[number];
			memory.unanswered = said.unanswered;
		} else if (said !== undefined && !said.altered) {
			delete memory.questions[number];
			memory.answers[number] = said.answer;
			if (number === APPROVAL) this.#rule(memory.rule, said.answer);
		} else {
			delete memory.answers[number];
			// An approval that no pause recorded is asked for by whoever knows why it is needed.
			if (number !== APPROVAL || memory.rule !== undefined) memory.questions[number] = question;
		}
	}

	#rule(rule: string | undefined, answer: JsonValue): void {
		const read = readApproval(answer);
		if (rule !== undefined && "answer" in read && read.answer.approve && read.answer.always) this.#rules.add(rule);
	}

	/**
	 * The memory of a call of the wave, made where there is none; of a call that it made only what a pause recorded, and
	 * nothing where another call has taken its place since.
	 */
	#memoryAt([index = 0, ...inner]: readonly number[], asked: string | undefined): CallMemory | undefined {
		const record = this.#records[index] ?? { kind: "planned", timing: NO_TIMING, ahead: false };
		this.#records[index] = record;
		record.memory ??= newMemory();
		let memory: CallMemory | undefined = record.memory;
		let place = String(index);
		for (const number of inner) {
			const made: NestedRecord | undefined = memory?.nested[number];
			if (made === undefined) return undefined;
			place = nestedPlace(place, number, made);
			memory = made.call.memory;
		}
		return place === asked ? memory : undefined;
	}
}
