// What policies know, and keep out of the ledger, of a run that pauses and goes on where nobody has seen it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	budget,
	definePolicy,
	type EngineOptions,
	fileLedger,
	type Ledger,
	type Message,
	memoryLedger,
	type Policy,
	type RunCheckpoint,
	type RunResult,
	redact,
	type ScriptedReply,
	scriptedModel,
	taint,
} from "../../engine/index.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { benchOf, canonicalOf, short, toolOf } from "../support/law-kit.js";
import { asking, lasting } from "../support/pause-kit.js";

const folder = temporaryFolders();
const asks = (...names: string[]) => ({ calls: names.map((name, n) => ({ name, args: { n } })) });
const tools = [
	toolOf("look", ({ n = 0 }) => n),
	toolOf("page", () => "from outside", { annotations: { openWorldHint: true } }),
	toolOf("put", ({ n = 0 }) => n, { effect: "write" }),
	asking("ask", 1).tool,
];

function checkpointOf(run: RunResult): RunCheckpoint {
	if (run.status !== "paused") throw new Error(`the run is ${run.status}`);
	return JSON.parse(JSON.stringify(run.checkpoint)) as RunCheckpoint;
}

function outcomes(messages: readonly Message[]): string[] {
	return messages.flatMap((message) => (message.role === "tool" ? [short(message.outcome)] : []));
}

/** Every pause is gone on from in an engine of its own, with policies of its own. */
async function through(
	script: readonly ScriptedReply[],
	options: () => Partial<EngineOptions>,
): Promise<{ readonly run: RunResult; readonly ledger: Ledger; readonly pauses: number }> {
	const ledger = memoryLedger();
	const model = scriptedModel(script);
	const newEngine = () => benchOf({ tools, ...options(), ledger: lasting(ledger) }).engine;
	let run = await newEngine().run({ model, input: "x", runId: "r" });
	let pauses = 0;
	for (; run.status === "paused"; pauses += 1) {
		const checkpoint = checkpointOf(run);
		const answers = Object.fromEntries(checkpoint.questions.map(({ id }) => [id, `to ${id}`]));
		run = await newEngine().resume(checkpoint, { model, answers });
	}
	return { run, ledger, pauses };
}

const asker = ({ id }: { readonly id: string }) => `to ${id}`;

async function expectSame(script: readonly ScriptedReply[], policies: () => Policy[]): Promise<string[]> {
	const whole = await through(script, () => ({ policies: policies(), asker }));
	const parts = await through(script, () => ({ policies: policies() }));
	expect([whole.pauses, parts.pauses > 0]).toEqual([0, true]);
	const lines = async ({ ledger }: { ledger: Ledger }) => (await canonicalOf(ledger)).filter((line) => line !== "");
	expect(await lines(parts)).toEqual(await lines(whole));
	expect(outcomes(parts.run.messages)).toEqual(outcomes(whole.run.messages));
	return outcomes(parts.run.messages);
}

describe("policies that have not seen the run that they go on with", () => {
	it("know the taint that a step before the pause brought in", async () => {
		const said = await expectSame([asks("page"), asks("ask"), asks("put"), "done"], () => [taint()]);
		expect(said.at(-1)).toBe("DENIED");
	});

	it("count what the steps before every pause have used", async () => {
		const script = [asks("look", "look"), asks("ask", "look"), asks("look", "ask"), asks("look", "look"), "done"];
		const said = await expectSame(script, () => [budget({ run: { calls: 7 } })]);
		expect(said.filter((word) => word === "DENIED")).toHaveLength(1);
	});

	it("hear of every call of the run once, in its order", async () => {
		const heard: string[][] = [];
		const watching = () => {
			const told: string[] = [];
			heard.push(told);
			return definePolicy({
				name: "watching",
				admit: (_call, { step, index }) => {
					told.push(`admit ${step}.${index}`);
					return "clear";
				},
				account: (_call, _outcome, { step, index }) => void told.push(`account ${step}.${index}`),
			});
		};
		await expectSame([asks("look", "put"), asks("ask", "put"), asks("ask"), "done"], () => [watching()]);
		const [whole, ...parts] = heard;
		expect(parts.at(-1)).toEqual(whole);
	});
});

describe("a ledger that a policy records for", () => {
	const SECRET = `ghp_${"a1B2".repeat(9)}`;
	const large = (name: string, text: string) => toolOf(name, () => text.repeat(5_000) + "x".repeat(200_000));

	async function pausedOn(path: string, name: string, text: string) {
		const own = [large(name, text), asking("ask", 1).tool];
		const { engine } = benchOf({ tools: own, ledger: fileLedger(path), policies: [redact()] });
		const model = scriptedModel([asks(name, "ask"), "done"]);
		const checkpoint = checkpointOf(await engine.run({ model, input: "x", runId: "r" }));
		await engine.close();
		const other = benchOf({ tools: own, ledger: fileLedger(path), policies: [redact()] });
		const run = await other.engine.resume(checkpoint, { model, answers: { "r/0/1/1": "yes" } });
		await other.engine.close();
		const [first] = run.messages.filter((message) => message.role === "tool");
		return { checkpoint, first, files: readdirSync(`${path}.blobs`) };
	}

	it("keeps large values of a checkpoint beside itself as another does", async () => {
		const { checkpoint, first } = await pausedOn(join(folder(), "plain"), "big", "word ");
		expect(JSON.stringify(checkpoint).length).toBeLessThan(10_000);
		expect(first?.role === "tool" && first.outcome).toEqual({
			ok: true,
			value: "word ".repeat(5_000) + "x".repeat(200_000),
		});
	});

	it("RL5: keeps none beside itself that a policy would change: the checkpoint holds it, the ledger never", async () => {
		const path = join(folder(), "secret");
		const { checkpoint, first, files } = await pausedOn(path, "leaky", `${SECRET} `);
		expect(JSON.stringify(checkpoint)).toContain(SECRET);
		expect(first?.role === "tool" && JSON.stringify(first.outcome)).toContain(SECRET);
		expect(files.length).toBeGreaterThan(0);
		for (const file of files) expect(readFileSync(join(`${path}.blobs`, file), "utf8")).not.toContain(SECRET);
		expect(readFileSync(path, "utf8")).not.toContain(SECRET);
	});
});
