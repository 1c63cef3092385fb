// What the net keeps of files that change between the admission of a call and its beginning: while a person is asked, while
// the calls before it run, in this process and in another.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
	approvals,
	checkpointNet,
	createEngine,
	type Engine,
	type EngineOptions,
	fileLockKey,
	type Ledger,
	memoryLedger,
	type Schedule,
	type ToolCall,
	tool,
	workspaceTools,
} from "../../engine/index.js";
import { canonicalOf } from "../support/law-kit.js";
import { entriesOf } from "../support/wave-driver.js";
import { type Netted, netted } from "./net-kit.js";

const WRITE = { id: "w", name: "write_file", args: { path: "a.txt", text: "new" } };
const APPEND = { id: "w", name: "edit", args: { path: "a.txt" } };

async function keptIn(ledger: Ledger): Promise<(readonly string[] | undefined)[]> {
	const called = (await entriesOf(ledger)).filter(({ kind }) => kind === "tool_called");
	return called.map(({ data }) => data.kept as readonly string[] | undefined);
}

function textIn({ root }: Pick<Netted, "root">, name = "a.txt"): string {
	return readFileSync(join(root, name), "utf8");
}

async function pausedAt(engine: Engine, call: ToolCall) {
	const { checkpoint, questions } = await engine.executeWave([call], { runId: "run" });
	if (checkpoint === undefined) throw new Error("the wave did not pause");
	return { checkpoint, questions };
}

/** A write that asks whether it may once it has done half of its work. */
function halfway({ root }: Netted) {
	return tool({
		name: "edit",
		parameters: z.object({ path: z.string() }),
		effect: "write",
		mayAsk: true,
		execute: async ({ path }, { interrupt }) => {
			writeFileSync(join(root, path), "half");
			const answer = await interrupt({ go: "on?" });
			writeFileSync(join(root, path), `whole ${String(answer)}`);
			return 1;
		},
	});
}

describe("an edit that a person makes while they are asked", () => {
	it.each<[string, boolean, boolean]>([
		["in a repository, the net asked last", true, false],
		["in a repository, the net asked first", true, true],
		["in a folder of copies", false, false],
	])("is what the call's entry names and a restore gives back: %s", async (_where, git, isFirst) => {
		const at = netted({ "a.txt": "old" }, { git });
		const ledger = memoryLedger();
		const policies = isFirst ? [at.net, approvals()] : [approvals(), at.net];
		const asker = () => {
			writeFileSync(join(at.root, "a.txt"), "edited");
			return true;
		};
		const engine = createEngine({ tools: workspaceTools({ root: at.root }), policies, ledger, asker });
		await engine.executeWave([WRITE]);
		await engine.close();
		expect(textIn(at)).toBe("new");
		const [kept] = await keptIn(ledger);
		expect(kept).toHaveLength(1);
		await at.net.restore(kept?.[0] ?? "");
		expect(textIn(at)).toBe("edited");
	});

	it("is no loss where they delete the file, and the entry names none", async () => {
		const at = netted({ "a.txt": "old" });
		const ledger = memoryLedger();
		const asker = () => {
			rmSync(join(at.root, "a.txt"));
			return true;
		};
		const engine = createEngine({
			tools: workspaceTools({ root: at.root }),
			policies: [approvals(), at.net],
			ledger,
			asker,
		});
		await engine.executeWave([WRITE]);
		await engine.close();
		expect(await keptIn(ledger)).toEqual([undefined]);
	});

	it("has the call refused where it cannot be kept any more, and the file is theirs", async () => {
		const at = netted({ "a.txt": "old" }, { bytesMax: 5 });
		const ledger = memoryLedger();
		const asker = () => {
			writeFileSync(join(at.root, "a.txt"), "edited");
			return true;
		};
		const engine = createEngine({
			tools: workspaceTools({ root: at.root }),
			policies: [approvals(), at.net],
			ledger,
			asker,
		});
		const { results } = await engine.executeWave([WRITE]);
		await engine.close();
		expect(results[0]?.outcome).toMatchObject({
			ok: false,
			error: { code: "DENIED", details: { rule: "checkpoint-net" } },
		});
		expect(textIn(at)).toBe("edited");
		expect(await keptIn(ledger)).toEqual([undefined]);
	});

	it.each([
		["the engine that asked", false],
		["another, whose net was not there", true],
	])("is kept too where the run had paused, and goes on in %s", async (_where, isOther) => {
		const at = netted({ "a.txt": "old" });
		const ledger = memoryLedger();
		const engineOf = (net = at.net) =>
			createEngine({ tools: workspaceTools({ root: at.root }), policies: [approvals(), net], ledger });
		const first = engineOf();
		const { checkpoint, questions } = await pausedAt(first, WRITE);
		writeFileSync(join(at.root, "a.txt"), "edited");
		const second = isOther ? engineOf(checkpointNet({ root: at.root, folder: at.folder })) : first;
		await second.resume(checkpoint, { answers: { [questions[0]?.id ?? ""]: true } });
		await first.close();
		await second.close();
		const [kept] = await keptIn(ledger);
		expect(kept).toHaveLength(1);
		await at.net.restore(kept?.[0] ?? "");
		expect(textIn(at)).toBe("edited");
	});

	it.each([
		["the engine that asked", false],
		["another", true],
	])(
		"stands behind what was there first, where the call itself asks and runs again, in %s",
		async (_where, isOther) => {
			const at = netted({ "a.txt": "old" });
			const ledger = memoryLedger();
			const engineOf = (net = at.net) => createEngine({ tools: [halfway(at)], policies: [net], ledger });
			const first = engineOf();
			const { checkpoint, questions } = await pausedAt(first, APPEND);
			writeFileSync(join(at.root, "a.txt"), "edited half");
			const second = isOther ? engineOf(checkpointNet({ root: at.root, folder: at.folder })) : first;
			await second.resume(checkpoint, { answers: { [questions[0]?.id ?? ""]: "yes" } });
			await first.close();
			await second.close();
			expect(textIn(at)).toBe("whole yes");
			const [kept = []] = await keptIn(ledger);
			const texts: string[] = [];
			for (const reference of kept) {
				await at.net.restore(reference);
				texts.push(textIn(at));
			}
			expect(texts).toEqual(["old", "edited half"]);
		},
	);
});

describe("calls that are safe beside each other", () => {
	const CALLS = ["v1", "v2", "v3"].map((text) => ({
		id: text,
		name: "put",
		args: { path: "a.txt", text, seen: "b.txt" },
	}));

	/** Writes the file that it holds the key of, and of another, which it only names, no more than its last word. */
	async function linesOf(schedule: Schedule, more: Partial<EngineOptions> = {}) {
		const at = netted({ "a.txt": "v0", "b.txt": "b0" });
		const put = tool({
			name: "put",
			parameters: z.object({ path: z.string(), text: z.string(), seen: z.string() }),
			effect: "write",
			isConcurrencySafe: true,
			lockKeys: async ({ path }) => [await fileLockKey(join(at.root, path))],
			execute: ({ path, text, seen }) => {
				writeFileSync(join(at.root, path), text);
				writeFileSync(join(at.root, seen), `b ${text}`);
				return text;
			},
		});
		const ledger = memoryLedger();
		const engine = createEngine({ tools: [put], policies: [at.net], ledger, schedule, ...more });
		await engine.executeWave(CALLS, { runId: "run", step: 0 });
		await engine.close();
		return { at, lines: await canonicalOf(ledger), kept: await keptIn(ledger) };
	}

	it("have kept what each of them writes over, where its keys cover that", async () => {
		const { at, kept } = await linesOf("barriers");
		const texts: string[] = [];
		for (const [reference = ""] of kept.map((references) => references ?? [])) {
			await at.net.restore(reference);
			texts.push(`${textIn(at)}, ${textIn(at, "b.txt")}`);
		}
		// What no key covers may be written at any time, and is kept as their segment found it.
		expect(texts).toEqual(["v0, b0", "v1, b0", "v2, b0"]);
	});

	it("have the same lines under every schedule", async () => {
		const serial = await linesOf("serial");
		expect((await linesOf("barriers")).lines).toEqual(serial.lines);
		expect((await linesOf("leading-reads")).lines).toEqual(serial.lines);
		expect((await linesOf("barriers", { maxParallelToolCalls: 1 })).lines).toEqual(serial.lines);
	});
});
