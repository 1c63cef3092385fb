// A run as a state machine: random moves of a model, of tools, of people and of the host, against a serial model of what a
// run is. After every move, once everything has come to rest, both must agree.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Engine, memoryLedger, type Run, type RunCheckpoint, type RunResult } from "../../engine/index.js";
import { benchOf, linesOf, short } from "../support/law-kit.js";
import { type ManualClock, settled } from "../support/manual-clock.js";
import { lasting } from "../support/pause-kit.js";
import { RunModel } from "../support/run-model.js";
import { KINDS, type Kind, RunWorld } from "../support/run-world.js";

const TOOL_MS = 1_000;
const STEPS_MAX = 4;
const PAUSE_LINES = new Set(["question_asked", "answer_received", "run_paused", "run_resumed"]);

class Real {
	readonly world = new RunWorld();
	readonly ledger = memoryLedger();
	readonly clocks: ManualClock[] = [];
	engine: Engine;
	run: Run;
	result: RunResult | undefined;

	constructor() {
		this.engine = this.#newEngine();
		const model = this.world.model;
		this.run = this.#watch(this.engine.run({ model, input: "begin", runId: "r", maxSteps: STEPS_MAX }));
	}

	get clock(): ManualClock {
		const clock = this.clocks.at(-1);
		if (clock === undefined) throw new Error("no engine was made");
		return clock;
	}

	resume(answers: Record<string, string | boolean>, elsewhere: boolean): void {
		if (this.result?.status !== "paused") throw new Error("the run is not paused");
		const checkpoint = JSON.parse(JSON.stringify(this.result.checkpoint)) as RunCheckpoint;
		if (elsewhere) this.engine = this.#newEngine();
		this.result = undefined;
		this.run = this.#watch(this.engine.resume(checkpoint, { model: this.world.model, answers }));
	}

	#newEngine(): Engine {
		const ledger = lasting(this.ledger);
		const { engine, clock } = benchOf({ tools: this.world.tools(), ledger, timeouts: { toolMs: TOOL_MS } });
		this.clocks.push(clock);
		return engine;
	}

	#watch(run: Run): Run {
		void run.then((result) => {
			this.result = result;
		});
		return run;
	}
}

/** Both at rest, and the same. */
async function agree(model: RunModel, real: Real): Promise<void> {
	await settled();
	const lines = (await linesOf(real.ledger)).filter((line) => !PAUSE_LINES.has(line.split(" ", 1)[0] ?? ""));
	const { world, result } = real;
	const messages = result?.messages.map((message) => {
		if (message.role === "tool") return short(message.outcome);
		return message.role === "assistant" ? "reply" : message.text;
	});
	const seen = {
		status: result?.status ?? "",
		running: [...world.running.keys()].sort(),
		entered: [...world.entered].sort(),
		isSaying: world.isSaying,
		lines,
		questions: result?.status === "paused" ? result.questions.map(({ id }) => id) : [],
		...(result !== undefined && { messages, steps: result.steps }),
	};
	expect(seen).toEqual({
		status: model.status,
		running: model.running.map(({ key }) => key).sort(),
		entered: [...model.entered].sort(),
		isSaying: model.phase === "streaming",
		lines: model.lines,
		questions: model.phase === "paused" ? model.questions.map(({ id }) => id) : [],
		...(result !== undefined && { messages: model.messages, steps: model.steps }),
	});
	if (model.phase === "ended" || model.phase === "paused")
		for (const { timersSet } of real.clocks) expect(timersSet).toBe(0);
}

type Command = fc.AsyncCommand<RunModel, Real>;

function command(
	name: string,
	check: (model: RunModel) => boolean,
	run: (model: RunModel, real: Real) => unknown,
): Command {
	return {
		check,
		toString: () => name,
		async run(model, real) {
			await run(model, real);
			await agree(model, real);
		},
	};
}

const streaming = ({ phase }: RunModel): boolean => phase === "streaming";
const going = ({ phase }: RunModel): boolean => phase === "streaming" || phase === "wave";
const runs = ({ running }: RunModel): boolean => running.length > 0;

function picked<Item>(items: readonly Item[], pick: number): Item {
	const item = items[pick % items.length];
	if (item === undefined) throw new Error("there is nothing to pick");
	return item;
}

const offer = fc.constantFrom<Kind>(...(Object.keys(KINDS) as Kind[]), "look", "look", "missing").map((kind) =>
	command(
		`offer ${kind}`,
		(model) => streaming(model) && model.calls.length < 6,
		(model, { world }) => {
			world.offer(model.step, model.calls.length, kind);
			model.offer(kind);
		},
	),
);
/** Not before the reply has asked for as many calls: most replies would have none. */
const end = fc
	.tuple(fc.constantFrom(...Array.from({ length: 12 }, () => "good"), "length", "length", "failed"), fc.nat(5))
	.map(([how, least]) =>
		command(
			`end ${how}`,
			(model) => streaming(model) && model.calls.length >= least,
			(model, { world }) => {
				if (how === "good") world.say({ kind: "end", good: true });
				else world.say({ kind: "end", good: false, cut: how as "length" | "failed" });
				model.end(how as "good");
			},
		),
	);
const restart = fc.constant(
	command(
		"restart",
		(model) => streaming(model) && !model.calls.some(({ state }) => state !== "waiting"),
		(model, { world }) => {
			world.say({ kind: "restart" });
			model.calls = [];
		},
	),
);
const settle = fc.tuple(fc.nat(9), fc.constantFrom("answer", "answer", "answer", "throw")).map(([pick, how]) =>
	command(`${how} ${pick}`, runs, (model, { world }) => {
		const call = picked(model.running, pick);
		world.move(call.key, how as "answer");
		model.settle(call, how as "answer");
		model.rest();
	}),
);
const asks = ({ running }: RunModel) => running.filter(({ kind }) => kind === "ask" || kind === "askput");
const ask = fc.nat(9).map((pick) =>
	command(
		`ask ${pick}`,
		(model) => asks(model).length > 0,
		(model, { world }) => {
			const call = picked(asks(model), pick);
			world.move(call.key, "ask");
			model.ask(call);
		},
	),
);
const late = fc.constant(
	command("time out", runs, async (model, real) => {
		for (const call of model.running) model.settle(call, "late");
		model.rest();
		await real.clock.pass(TOOL_MS);
	}),
);
const steer = fc.constant(
	command("steer", going, (model, { run }) => {
		const text = `steer ${model.lines.length}`;
		expect(run.steer(text)).toBe(true);
		model.steer(text);
	}),
);
/** Not before the run has taken as many steps: most runs would not get far. */
const abort = fc.integer({ min: 1, max: STEPS_MAX }).map((least) =>
	command(
		"abort",
		(model) => going(model) && model.steps >= least && model.calls.length > 1,
		(model, { run }) => {
			run.abort(new Error("enough"));
			model.abort();
		},
	),
);
/** While the model writes, one that has not started: what runs early is thrown away only when the reply has ended. */
const abortCall = fc.nat(9).map((pick) =>
	command(
		`abort call ${pick}`,
		(model) => {
			if (model.calls.length === 0 || !going(model)) return false;
			return model.phase === "wave" || picked(model.calls, pick).state === "waiting";
		},
		(model, { run }) => {
			const call = picked(model.calls, pick);
			expect(run.abortCall(call.index, new Error("enough"))).toBe(model.abortCall(call));
		},
	),
);
/** Approves, declines and answers some of what is asked, here or in another engine. */
const answer = fc.tuple(fc.nat(31), fc.nat(31), fc.boolean()).map(([which, how, elsewhere]) =>
	command(
		`answer ${which} ${how} ${elsewhere}`,
		({ phase }) => phase === "paused",
		(model, real) => {
			const chosen = model.questions.filter((_one, place) => ((which >> (place % 5)) & 1) === 0);
			const answers = chosen.map((question, place) => {
				const yes = ((how >> (place % 5)) & 1) === 0;
				return { question, said: question.isApproval ? yes : `said ${question.id}` };
			});
			real.resume(Object.fromEntries(answers.map(({ question, said }) => [question.id, said])), elsewhere);
			model.answer(answers);
		},
	),
);

describe("a run", () => {
	it("RL2, RL3: is at every rest what a serial model says, whatever happened in which order", {
		timeout: 120_000,
	}, async () => {
		const often = [offer, offer, offer, offer, settle, settle, settle, ask, ask, answer, answer, answer];
		const commands = fc.commands(
			[...often, ...often, end, end, end, end, steer, steer, abortCall, abortCall, restart, late, abort],
			{
				maxCommands: 120,
				size: "max",
			},
		);
		await fc.assert(
			fc.asyncProperty(commands, async (moves) => {
				await fc.asyncModelRun(() => ({ model: new RunModel(STEPS_MAX), real: new Real() }), moves);
			}),
			{ numRuns: 150 },
		);
	});
});
