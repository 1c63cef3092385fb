// The options of one wave, by whichever door they come: what nobody would read is refused before anything runs.

import { describe, expect, it } from "vitest";
import {
	type ConcurrentOptions,
	executeConcurrent,
	openAhead,
	type ResumeOptions,
	type RunOptions,
	scriptedModel,
	serialFace,
	type ToolCall,
	type WaveCallOptions,
} from "../engine/index.js";
import { benchOf, callsOf, linesOf, toolOf } from "./support/law-kit.js";

type Refused = readonly (readonly [given: object, said: string])[];

const OF_EVERY_WAVE: Refused = [
	[{ shedule: "serial" }, '"shedule" is not known; perhaps "schedule" is meant'],
	[{ timeoutMs: 5 }, '"timeoutMs" is not known; perhaps "timeouts" is meant'],
	[{ timeouts: { toolsMs: 5 } }, '"timeouts.toolsMs" is not known; perhaps "toolMs"'],
	[{ signal: new AbortController() }, "signal is AbortController"],
	[{ stillGoing: "go" }, 'stillGoing is "go", not a function'],
];
const OF_A_NEW_WAVE: Refused = [
	...OF_EVERY_WAVE,
	[{ answers: {} }, '"answers" is not known; there are '],
	[{ runId: "" }, 'runId is "", not a text'],
	[{ runId: 7 }, "runId is 7, not a text"],
	[{ step: -1 }, "step is -1, not a whole number from 0"],
];

describe("the options of a wave", () => {
	it.each(OF_A_NEW_WAVE)("%j are refused by executeWave, and nothing is written", async (given, said) => {
		const { engine, ledger, entered } = benchOf();
		const wave = engine.executeWave(callsOf("read 0"), given as WaveCallOptions);
		await expect(wave).rejects.toMatchObject({ code: "INVALID_OPTIONS", message: expect.stringContaining(said) });
		expect([await linesOf(ledger), entered]).toEqual([[], []]);
	});

	it.each([undefined, null, { id: "1" }, "read", 1])("calls that are %j are refused by every door", async (given) => {
		const { engine, ledger } = benchOf();
		const calls = given as unknown as readonly ToolCall[];
		const refused = { code: "INVALID_OPTIONS", message: expect.stringContaining(", not a list") as string };
		await expect(engine.executeWave(calls)).rejects.toMatchObject(refused);
		await expect(
			executeConcurrent(
				serialFace(() => ({ ok: true })),
				calls,
			),
		).rejects.toMatchObject(refused);
		// A step without any settles with what it was offered.
		if ((given ?? undefined) !== undefined) await expect(engine.openStep().settle(calls)).rejects.toMatchObject(refused);
		expect(await linesOf(ledger)).toEqual([]);
	});

	it.each(OF_A_NEW_WAVE)("%j are refused by openStep", (given, said) => {
		const { engine } = benchOf();
		expect(() => engine.openStep(given as WaveCallOptions)).toThrow(said);
	});

	it.each<Refused[number]>([
		...OF_EVERY_WAVE,
		[{ runId: "other" }, '"runId" is not known; there are answers, signal'],
		[{ answer: { "1": true } }, '"answer" is not known; perhaps "answers" is meant'],
	])("%j are refused by resume, and the checkpoint can still be resumed", async (given, said) => {
		const asks = toolOf("asks", (_args, context) => context.interrupt("Which?"), { mayAsk: true });
		const { engine } = benchOf({ tools: [asks] });
		const { checkpoint, questions } = await engine.executeWave(callsOf("asks"));
		if (checkpoint === undefined) throw new Error("the wave did not pause");
		const refused = engine.resume(checkpoint, given as ResumeOptions);
		await expect(refused).rejects.toMatchObject({ code: "INVALID_OPTIONS", message: expect.stringContaining(said) });
		const answers = Object.fromEntries(questions.map(({ id }) => [id, "that"]));
		expect(await engine.resume(checkpoint, { answers })).toMatchObject({ status: "done" });
	});

	it.each<Refused[number]>([
		...OF_A_NEW_WAVE,
		[{ onEvents: () => 1 }, '"onEvents" is not known; perhaps "onEvent" is meant'],
		[{ asker: "pause" }, 'asker is "pause", neither "none" nor a function'],
		[{ onEvent: [] }, "onEvent is [], not a function"],
		[{ ledger: "run.jsonl" }, 'ledger is "run.jsonl", which has no append()'],
	])("%j are refused by executeConcurrent and openAhead", async (given, said) => {
		const face = serialFace(() => ({ ok: true, value: 1 }));
		const wave = executeConcurrent(face, callsOf("read 0"), given as ConcurrentOptions);
		await expect(wave).rejects.toMatchObject({ code: "INVALID_OPTIONS", message: expect.stringContaining(said) });
		expect(() => openAhead(face, given as ConcurrentOptions)).toThrow(said);
	});

	it.each<Refused[number]>([
		[{ timeout: 5 }, '"timeout" is not known; there are signal'],
		[{ signal: new AbortController() }, "signal is AbortController"],
	])("%j are refused by invokeTool", async (given, said) => {
		const { engine, entered } = benchOf();
		await expect(engine.invokeTool("read", {}, given)).rejects.toMatchObject({
			code: "INVALID_OPTIONS",
			message: expect.stringContaining(said),
		});
		expect(entered).toEqual([]);
	});

	it.each<Refused[number]>([
		[{ maxStep: 3 }, '"maxStep" is not known; perhaps "maxSteps" is meant'],
		[{ stillGoing: () => "go" }, '"stillGoing" is not known; there are model, input'],
		[{ timeouts: { runMs: 5 } }, '"timeouts.runMs" is not known'],
		[{ signal: new AbortController() }, "signal is AbortController"],
	])("%j are refused by a run, and its model is asked nothing", async (given, said) => {
		const model = scriptedModel([{ text: "done" }]);
		const { engine, ledger } = benchOf();
		const run = engine.run({ model, input: "go", ...given } as RunOptions);
		await expect(run).rejects.toMatchObject({ code: "INVALID_OPTIONS", message: expect.stringContaining(said) });
		expect(await linesOf(ledger)).toEqual([]);
	});

	it.each([
		[null, "model is undefined, which has no stream()"],
		[undefined, "model is undefined, which has no stream()"],
		[5, "the options are 5"],
	])("cannot be %j for a run, and its result says so", async (given, said) => {
		const { engine } = benchOf();
		const refused = { code: "INVALID_OPTIONS", message: expect.stringContaining(said) };
		await expect(engine.run(given as unknown as RunOptions)).rejects.toMatchObject(refused);
	});

	it.each([null, 5, "serial"])("cannot be %j", async (given) => {
		const { engine } = benchOf();
		const wave = engine.executeWave(callsOf("read 0"), given as unknown as WaveCallOptions);
		await expect(wave).rejects.toThrow(/the options are .*, not an object/);
	});
});
