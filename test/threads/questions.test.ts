// Questions of tools on worker threads: the same as inline, and the thread is free while a person thinks.

import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, type Engine, type EngineOptions, memoryLedger, onThread, tool } from "../../engine/index.js";
import { threadTools } from "../support/build-workers.js";
import { shorts } from "../support/law-kit.js";
import { idsOf, lasting, reloaded } from "../support/pause-kit.js";

const parameters = z.object({ n: z.number().optional() });
const asking = (name: string) =>
	tool({ name, parameters, effect: "read", mayAsk: true, execute: onThread(threadTools("asks"), name) });
const echo = tool({ name: "echo", parameters, effect: "read", execute: onThread(threadTools("plain"), "echo") });
const tools = [asking("asksTwice"), asking("swallows"), asking("asksThrough"), echo];

const engines: Engine[] = [];

afterEach(async () => {
	for (const engine of engines.splice(0)) await engine.close();
});

function engineOf(options: Partial<EngineOptions> = {}): Engine {
	const engine = createEngine({ tools, threads: { max: 1 }, ledger: lasting(memoryLedger()), ...options });
	engines.push(engine);
	return engine;
}

const call = (name: string, n = 0) => ({ id: name, name, args: { n } });

describe("a tool on a thread", () => {
	it("asks, is asked again with its answers in order, and has asked also where it swallows the pause", async () => {
		let wave = await engineOf().executeWave([call("asksTwice", 4), call("swallows")], { runId: "r" });
		const asked: unknown[] = [];
		for (let pause = 0; wave.status === "paused"; pause += 1) {
			asked.push(wave.questions.map(({ question }) => question));
			const answers = Object.fromEntries(wave.questions.map(({ id, index }) => [id, `${index} at ${pause}`]));
			wave = await engineOf().resume(reloaded(wave.checkpoint), { answers });
		}
		expect(asked).toEqual([["first 4", "swallowed"], ["second 4"]]);
		expect(shorts(wave)).toEqual(['["0 at 0","0 at 1"]', '"1 at 0"']);
	});

	it("asks through a call that it makes, from the one thread there is", async () => {
		const wave = await engineOf().executeWave([call("asksThrough")], { runId: "r" });
		expect(idsOf(wave)).toEqual(["r/0/0.0/1"]);
		const half = await engineOf().resume(reloaded(wave.checkpoint), { answers: { "r/0/0.0/1": 1 } });
		const whole = await engineOf().resume(reloaded(half.checkpoint), { answers: { "r/0/0.0/2": 2 } });
		expect(shorts(whole)).toEqual(["[1,2]"]);
	});

	it("Law 11: leaves its thread to others while the person is asked", async () => {
		let answer: (said: string) => void = () => undefined;
		const asked = new Promise<void>((heard) => {
			const asker = (): Promise<string> => {
				heard();
				return new Promise((resolve) => {
					answer = resolve;
				});
			};
			engineOf({ asker });
		});
		const [engine] = engines;
		if (engine === undefined) throw new Error("there is no engine");
		const wave = engine.executeWave([call("swallows")]);
		await asked;
		expect(await engine.invokeTool("echo", { n: 3 })).toEqual({ n: 3 });
		answer("at last");
		expect(shorts(await wave)).toEqual(['"at last"']);
	});
});
