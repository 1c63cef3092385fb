// Recovered loop
//
// A run of a model on a simulated disk, by processes that die one after another: each recovers the run from what the one
// before it left and goes on, or begins it, and is cut off at a step of its own. The model is a script, and the host steers
// once, while the model is asked for a certain step; a steer that was lost with its process the host gives again.
//
// Owns:      the random scripts, the lives of such a run, and what was done in all of them.
// Does not:  say what must hold (recovered-loop.test.ts).

import fc from "fast-check";
import type { JsonValue } from "../../engine/core/json-value.js";
import {
	agentTool,
	budget,
	createEngine,
	type Engine,
	type Ledger,
	type Message,
	type Run,
	type RunResult,
	recover,
	type ScriptedReply,
	scriptedModel,
	type Tool,
} from "../../engine/index.js";
import { FileStore } from "../../engine/ledger/file-ledger.js";
import { StoredLedger } from "../../engine/ledger/stored-ledger.js";
import { anything, toolOf } from "../support/law-kit.js";
import { ManualClock, settled } from "../support/manual-clock.js";
import type { SimulatedDisk } from "./simulated-disk.js";

const RUN = "run";
const STEER = "look left";

export interface LoopCase {
	/** The names of each reply's calls. */
	readonly replies: readonly { readonly calls: readonly string[]; readonly isCut: boolean }[];
	/** The step during whose request the host steers. */
	readonly steerAt: number;
	/** Calls that a policy allows in the whole run. */
	readonly budget: number;
	/** Whether questions pause the run, or a person answers meanwhile. */
	readonly pauses: boolean;
	readonly schedule: "serial" | "leading-reads" | "barriers";
}

const names = fc.constantFrom("look", "look", "put", "put", "note", "note", "ask", "gated", "reader", "reader", "fail");

export const loopCases: fc.Arbitrary<LoopCase> = fc.record({
	replies: fc.array(
		fc.record({
			calls: fc.array(names, { minLength: 1, maxLength: 4 }),
			isCut: fc.nat(9).map((n) => n === 0),
		}),
		{ minLength: 1, maxLength: 3 },
	),
	steerAt: fc.nat(3),
	budget: fc.integer({ min: 3, max: 10 }),
	pauses: fc.boolean(),
	schedule: fc.constantFrom("serial", "leading-reads", "barriers", "barriers"),
});

export interface LoopLife {
	/** Nothing where the life ended before the run did. */
	readonly result: RunResult | undefined;
	readonly acted: readonly string[];
	/** The canonical lines that stood when the last barrier resolved. */
	readonly promised: readonly string[];
}

export interface LoopPlace {
	readonly disk: SimulatedDisk;
	readonly path: string;
	readonly linesOf: (ledger: Ledger) => Promise<string[]>;
}

export function loopLedger({ disk, path }: Pick<LoopPlace, "disk" | "path">): Ledger {
	return new StoredLedger(new FileStore(path, disk.files));
}

function toolsOf(acted: (what: string) => void): Tool[] {
	const does = (name: string, rest: Parameters<typeof toolOf>[2] = {}): Tool =>
		toolOf(
			name,
			async ({ n = 0 }, { interrupt }) => {
				await settled(n % 3);
				const said = name === "ask" ? await interrupt(n) : null;
				acted(`${name} ${n}`);
				if (name === "fail") throw new Error(`fail ${n}`);
				return [name, n, said];
			},
			rest,
		);
	const model = scriptedModel([{ calls: [{ name: "look", args: { n: 100 } }] }, "it is read"]);
	return [
		does("look"),
		does("fail"),
		does("put", { effect: "write" }),
		does("note", { effect: "write", isConcurrencySafe: true }),
		does("ask", { effect: "write", mayAsk: true }),
		does("gated", { effect: "write", requiresApproval: true }),
		agentTool({ name: "reader", parameters: anything, effect: "read", model, tools: ["look"] }),
	];
}

function repliesOf({ replies }: LoopCase): ScriptedReply[] {
	const asked = replies.map(({ calls, isCut }, step): ScriptedReply => {
		const given = calls.map((name, index) => ({ name, args: { n: step * 10 + index } }));
		return { text: `reply ${step}`, calls: given, ...(isCut && { cut: "length" }) };
	});
	return [...asked, "done", "done after all"];
}

const say = (question: unknown): JsonValue => (typeof question === "number" ? `to ${question}` : true);

/** Goes on with the run from what the disk holds, or begins it, up to the end or the cut. */
export async function liveLoop(one: LoopCase, place: LoopPlace): Promise<LoopLife> {
	const { disk, linesOf } = place;
	const acted: string[] = [];
	const ledger = loopLedger(place);
	let promised: readonly string[] = [];
	const watched: Ledger = {
		append: (records) => ledger.append(records),
		async barrier() {
			const lines = await linesOf(ledger).catch(() => promised);
			await ledger.barrier();
			promised = lines;
		},
		entries: () => ledger.entries(),
		intents: () => ledger.intents(),
		records: () => ledger.records(),
		close: () => ledger.close(),
	};
	const engine = createEngine({
		tools: toolsOf((what) => void (disk.isCut || acted.push(what))),
		policies: [budget({ run: { calls: one.budget } })],
		ledger: watched,
		clock: new ManualClock(),
		schedule: one.schedule,
		asker: one.pauses ? "pause" : ({ question }) => say(question),
	});
	try {
		return { result: await toTheEnd(one, engine, ledger), acted, promised };
	} catch (error) {
		if (!disk.isCut) throw error;
		return { result: undefined, acted, promised };
	} finally {
		await engine.close();
	}
}

async function toTheEnd(one: LoopCase, engine: Engine, ledger: Ledger): Promise<RunResult> {
	let run: Run | undefined;
	const script = repliesOf(one).map((reply, step) => ({ messages }: { readonly messages: readonly Message[] }) => {
		if (step === one.steerAt && !hasSteer(messages)) run?.steer(STEER);
		return reply;
	});
	const model = scriptedModel(script);
	const checkpoint = await recover(ledger, RUN).catch((error: { code?: string }) => {
		if (error.code === "RUN_NOT_FOUND") return undefined;
		throw error;
	});
	if (checkpoint?.kind === "wave") throw new Error("a run was taken for a wave");
	const isLost = await isSteerLost(one, ledger);
	run = checkpoint === undefined ? engine.run({ model, input: "x", runId: RUN }) : engine.resume(checkpoint, { model });
	if (isLost) run.steer(STEER);
	let result = await run;
	while (result.status === "paused") {
		const { questions } = result;
		const answers = Object.fromEntries(questions.map(({ id, question }) => [id, say(question)]));
		run = engine.resume(JSON.parse(JSON.stringify(result.checkpoint)), { model, answers });
		result = await run;
	}
	return result;
}

function hasSteer(messages: readonly Message[]): boolean {
	return messages.some((message) => message.role === "user" && message.text === STEER);
}

/** Whether the model has replied to the request during which the host had steered, and nothing durable knows of the steer. */
async function isSteerLost({ steerAt }: LoopCase, ledger: Ledger): Promise<boolean> {
	let hasReplied = false;
	for await (const { kind, data } of ledger.entries()) {
		if (kind === "run_finished" && data.lineage === undefined) return false;
		if (kind === "model_returned" && data.lineage === undefined) hasReplied ||= data.step === steerAt;
		if (kind === "steer_received") return false;
		if (kind === "run_paused" && JSON.stringify(data).includes(STEER)) return false;
	}
	return hasReplied;
}
