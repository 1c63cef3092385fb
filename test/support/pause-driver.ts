// Pause driver
//
// One case three ways: by the serial reference, whose calls have their answers at once; by an engine whose asker answers
// at once; and by engines that pause, with the answers given in the case's order and the checkpoint taken through text
// from one engine to the next.
//
// Owns:      those three readings.
// Does not:  compare them.

import type { JsonValue } from "../../engine/core/json-value.js";
import { answered, type Outcome, threw } from "../../engine/core/outcome.js";
import { declined } from "../../engine/core/unanswered.js";
import type { ApprovalQuestion, AskedQuestion, Engine, Ledger, Policy, WaveResult } from "../../engine/index.js";
import { createEngine, memoryLedger } from "../../engine/index.js";
import { ManualClock } from "./manual-clock.js";
import { answerTo, askingTools, countingPolicies, type PauseCase } from "./pause-case.js";
import { lasting, reloaded } from "./pause-kit.js";
import { quietContext } from "./quiet-context.js";
import { type Reading, readingOf } from "./reading.js";
import { runSerially, type SerialFace, serialPolicyFace } from "./serial-reference.js";
import { entriesOf } from "./wave-driver.js";

/** What the person of the case says. */
function say(wave: PauseCase, { question }: Pick<AskedQuestion, "question">): JsonValue {
	const { kind, args } = question as unknown as ApprovalQuestion;
	if (kind === "approval") return wave.approved[(args as { n: number }).n] === true;
	const { question: n, time } = question as { question: number; time: number };
	return answerTo(n, time);
}

export async function readStraight(wave: PauseCase): Promise<Reading> {
	const tools = askingTools(() => undefined);
	const policies = countingPolicies(wave);
	const face = serialPolicyFace(tools, policies.map(unasked));
	const decides = (n: number, requires: boolean): boolean => requires || wave.wary?.includes(n) === true;
	const straight: SerialFace = {
		...face,
		prepare(call, index) {
			const prepared = face.prepare(call, index);
			const gated = tools.find(({ name }) => name === call.name)?.requiresApproval === true;
			// A call that was declined beforehand needs no tool, so it holds nobody back.
			return gated && !isApproved(wave, call) ? { ...prepared, safe: true } : prepared;
		},
		async admit(prepared) {
			const admitted = await face.admit(prepared);
			const n = (prepared.call.args as { n: number }).n;
			const requires = tools.find(({ name }) => name === prepared.call.name)?.requiresApproval === true;
			const refused = "answered" in admitted && !admitted.answered.ok;
			if ("cleared" in admitted || refused || !decides(n, requires) || isApproved(wave, prepared.call)) return admitted;
			return { answered: declined(undefined) };
		},
		async run({ call }) {
			const tool = tools.find(({ name }) => name === call.name);
			const n = (call.args as { n: number }).n;
			if (decides(n, tool?.requiresApproval === true) && !isApproved(wave, call)) return declined(undefined);
			const execute = tool?.execute as (args: unknown, context: unknown) => unknown;
			const interrupt = async (question: JsonValue) => say(wave, { question });
			const running = async (): Promise<Outcome> => answered(await execute(call.args, quietContext({ interrupt })));
			return running().catch(threw);
		},
	};
	return readingOf(await runSerially({ calls: wave.calls, face: straight, ...endings(wave) }));
}

function isApproved(wave: PauseCase, { args }: { readonly args: unknown }): boolean {
	return wave.approved[(args as { n: number }).n] === true;
}

/** The reference asks nobody: what a policy would have asked was answered at once. */
function unasked(policy: Policy): Policy {
	return {
		...policy,
		admit: async (call, view) => {
			const verdict = (await policy.admit?.(call, view)) ?? "clear";
			return typeof verdict === "object" && "ask" in verdict ? "clear" : verdict;
		},
	};
}

function endings({ going, stopOnError }: PauseCase) {
	return { stillGoing: (index: number) => going[index] ?? "go", ...(stopOnError && { onError: "stop" as const }) };
}

interface Run {
	readonly reading: Reading;
	/** What was done that must not be done twice. */
	readonly acted: readonly string[];
	readonly pauses: number;
	readonly timersLeft: number;
}

class Host {
	readonly acted: string[] = [];
	readonly clock = new ManualClock();
	readonly ledger: Ledger = memoryLedger();
	readonly #wave: PauseCase;
	readonly #engines: Engine[] = [];
	#policies: readonly Policy[];

	constructor(wave: PauseCase) {
		this.#wave = wave;
		this.#policies = countingPolicies(wave);
	}

	engine(asker?: (question: AskedQuestion) => unknown): Engine {
		const { schedule, maxParallelToolCalls, stopOnError } = this.#wave;
		const engine = createEngine({
			tools: askingTools((what) => this.acted.push(what)),
			policies: this.#policies,
			ledger: lasting(this.ledger),
			clock: this.clock,
			schedule,
			maxParallelToolCalls,
			...(stopOnError && { onError: "stop" }),
			...(asker && { asker }),
		});
		this.#engines.push(engine);
		return engine;
	}

	/** Another process: nothing of what was remembered is there any more. */
	forget(): void {
		this.#policies = countingPolicies(this.#wave);
	}

	async end({ status, results, steers }: WaveResult, pauses: number): Promise<Run> {
		for (const engine of this.#engines) await engine.close();
		const entries = await entriesOf(this.ledger);
		const reading = readingOf({ status, results, steers, entries });
		const lines = reading.lines.filter((line) => line !== "");
		return { reading: { ...reading, lines }, acted: this.acted, pauses, timersLeft: this.clock.timersSet };
	}
}

export async function readUnbroken(wave: PauseCase): Promise<Run> {
	const host = new Host(wave);
	const { stillGoing } = endings(wave);
	const result = await host
		.engine((question) => say(wave, question))
		.executeWave(wave.calls, { runId: "r", stillGoing });
	return host.end(result, 0);
}

export async function readPaused(wave: PauseCase): Promise<Run> {
	const host = new Host(wave);
	const { stillGoing } = endings(wave);
	let engine = host.engine();
	let result = await engine.executeWave(wave.calls, { runId: "r", stillGoing });
	let pauses = 0;
	for (; result.status === "paused"; pauses += 1) {
		const pick = wave.picks[pauses % wave.picks.length] ?? 0;
		const { questions } = result;
		// Never none twice in a row: somebody answers in the end.
		const chosen = questions.filter((_one, place) => ((pick >> (place % 4)) & 1) === 0);
		const answering = chosen.length === 0 && pauses % 2 === 1 ? questions : chosen;
		const answers = Object.fromEntries([...answering].reverse().map((one) => [one.id, say(wave, one)]));
		if (pick >= 16) {
			host.forget();
			engine = host.engine();
		}
		result = await engine.resume(reloaded(result.checkpoint), { answers, stillGoing });
		if (pauses > 200) throw new Error("the wave never ends");
	}
	return host.end(result, pauses);
}
