// The checkpoint net of a run that goes on after a crash or a pause: nothing is kept twice, and what was lost is named.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	type CheckpointNet,
	checkpointNet,
	definePolicy,
	type Entry,
	type Ledger,
	type Middleware,
	memoryLedger,
	type Policy,
	type Tool,
} from "../../engine/index.js";
import { cutAt, cutBefore, recordsOf, recovered } from "../support/crash-kit.js";
import { benchOf, entriesOf, toolOf } from "../support/law-kit.js";
import { lasting, reloaded } from "../support/pause-kit.js";
import { gitIn, type Netted, netted } from "./net-kit.js";

const ORIGINAL = Buffer.from([0, 255, 10, 13, 128]).toString("latin1");
const FILES = { "a.txt": ORIGINAL, "b.txt": "b" };

type Rest = Parameters<typeof toolOf>[2];

function toolsIn(root: string, rest: Rest = {}): Tool[] {
	const put = toolOf("put", (args) => act(root, { name: "put", args }), { effect: "write", ...rest });
	const remove = toolOf("remove", (args) => act(root, { name: "remove", args }), { effect: "spawn", ...rest });
	return [put, remove, toolOf("outer", nested, { effect: "write", ...rest })];
}

const nested: Parameters<typeof toolOf>[1] = async (args, { invokeTool }) => {
	for (const { name, args: own } of inner(args)) await invokeTool(name, own);
	return 1;
};

interface Made {
	readonly name: string;
	readonly args: object;
}

function inner(args: unknown): readonly Made[] {
	return JSON.parse((args as { readonly plan: string }).plan) as readonly Made[];
}

function act(root: string, { name, args }: Made): number {
	const { path = "a.txt", text = "" } = args as { readonly path?: string; readonly text?: string };
	if (name === "put") writeFileSync(join(root, path), text);
	else rmSync(join(root, "a.txt"), { force: true });
	return 1;
}

const PUT: Made = { name: "put", args: { path: "a.txt", text: "new" } };
const REMOVE: Made = { name: "remove", args: { command: "rm a.txt" } };
// As one text, which names no file: the outer call has nothing to lose.
const within = (...calls: Made[]): Made => ({ name: "outer", args: { plan: JSON.stringify(calls) } });

function reset(root: string): void {
	writeFileSync(join(root, "a.txt"), ORIGINAL);
}

function copiesIn({ root, folder }: Netted): number {
	const inFolder = existsSync(join(folder, "manifests")) ? readdirSync(join(folder, "manifests")).length : 0;
	if (!existsSync(join(root, ".git"))) return inFolder;
	return inFolder + gitIn(root, "for-each-ref", "refs/wavetrain").split("\n").filter(Boolean).length;
}

function keptIn(entries: readonly Entry[]): readonly string[] {
	return entries.flatMap(({ data }) => (data.kept as readonly string[] | undefined) ?? []);
}

function another({ root, folder }: Netted): CheckpointNet {
	return checkpointNet({ root, folder });
}

async function uncut({ root, net }: Netted, calls: readonly Made[], more: object = {}): Promise<Ledger> {
	const ledger = memoryLedger();
	const { engine } = benchOf({ tools: toolsIn(root), policies: [net], ledger: lasting(ledger), ...more });
	await engine.executeWave(
		calls.map((call, n) => ({ id: `c${n}`, ...call })),
		{ runId: "r", step: 0 },
	);
	return ledger;
}

async function expectRestored(net: CheckpointNet, root: string, reference: string | undefined): Promise<void> {
	rmSync(join(root, "a.txt"), { force: true });
	await net.restore(reference ?? "");
	expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(ORIGINAL);
}

describe("the net of a run that was cut off at any record", () => {
	const kinds: readonly (readonly [string, Made])[] = [
		["a write over a file", PUT],
		["a command that deletes", REMOVE],
		["a write within a call", within(PUT)],
		["a command within a call", within(REMOVE)],
	];
	const cases = kinds.flatMap(([what, call]) =>
		[true, false].flatMap((fresh) =>
			[true, false].map((git) => ({ what, call, fresh, git, process: fresh ? "another process" : "the same one" })),
		),
	);

	it.each(cases)(
		"keeps nothing twice and names what was lost: $what, in $process, git $git",
		async (one) => {
			const world = netted(FILES, { git: one.git });
			const { root } = world;
			const whole = await uncut(world, [one.call]);
			const [original] = keptIn(await entriesOf(whole));
			const records = await recordsOf(whole);
			for (let left = 1; left < records.length; left += 1) {
				const begun = records.slice(0, left).filter(({ kind }) => kind === "intent").length;
				const deepest = one.call.name === "outer" ? 2 : 1;
				for (const acted of begun === deepest ? [true, false] : [false]) {
					reset(root);
					if (acted) act(root, one.call.name === "outer" ? (inner(one.call.args)[0] as Made) : one.call);
					const copies = copiesIn(world);
					const cut = await cutAt(whole, left);
					const net = one.fresh ? another(world) : world.net;
					await recovered(cut, { tools: toolsIn(root), policies: [net] });
					const entries = await entriesOf(cut);
					expect([left, acted, ...new Set(keptIn(entries))]).toEqual([left, acted, original]);
					expect(
						entries.filter(({ kind, data }) => kind === "tool_called" && data.name === one.call.name),
					).toHaveLength(1);
					expect(copiesIn(world)).toBe(copies);
					if (left === 1 || acted) await expectRestored(net, root, original);
				}
			}
		},
		60_000,
	);
});

describe("a call that runs again after a crash", () => {
	it.each([
		["the file that it finds then", PUT, 2],
		["and where it finds none, what it had found before", REMOVE, 1],
		["within a call too", within(PUT), 2],
		["and where nothing is found there", within(REMOVE), 1],
	])("has its first copy named first: %s", async (_what, call, count) => {
		const world = netted(FILES, { git: false });
		const { root } = world;
		const idempotent = { idempotent: true };
		const whole = await uncut(world, [call], { tools: toolsIn(root, idempotent) });
		const [original] = keptIn(await entriesOf(whole));
		const cut = await cutBefore(whole, "tool_called 0");
		const net = another(world);
		await recovered(cut, { tools: toolsIn(root, idempotent), policies: [net] });
		const kept = keptIn(await entriesOf(cut));
		expect([kept[0], kept.length]).toEqual([original, count]);
		await expectRestored(net, root, original);
		// And after one more crash.
		const again = await cutBefore(cut, "tool_called 0");
		await recovered(again, { tools: toolsIn(root, idempotent), policies: [another(world)] });
		expect(keptIn(await entriesOf(again))).toEqual(kept);
	});

	it("names nothing of an admission that came to nothing, where it has nothing to lose by then", async () => {
		const world = netted(FILES, { git: false });
		const { root } = world;
		const whole = await uncut(world, [PUT]);
		rmSync(join(root, "a.txt"));
		const planned = await cutAt(whole, 1);
		await recovered(planned, { tools: toolsIn(root), policies: [another(world)] });
		expect(keptIn(await entriesOf(planned))).toEqual([]);
		const begun = await cutBefore(planned, "tool_called 0");
		await recovered(begun, { tools: toolsIn(root), policies: [another(world)] });
		expect(keptIn(await entriesOf(begun))).toEqual([]);
	});

	it("that makes other calls than before names what the first ones could discard where it ends", async () => {
		const world = netted(FILES, { git: false });
		const { root } = world;
		const idempotent = { idempotent: true };
		const whole = await uncut(world, [within(PUT)], { tools: toolsIn(root, idempotent) });
		const original = keptIn(await entriesOf(whole));
		const idle = toolOf("outer", () => 1, { effect: "write", idempotent: true });
		const cut = await cutBefore(whole, "tool_called 0");
		await recovered(cut, { tools: [...toolsIn(root, idempotent).slice(0, 2), idle], policies: [another(world)] });
		const result = (await entriesOf(cut)).filter(({ kind }) => kind === "tool_result");
		expect(keptIn(result)).toEqual(original);
	});
});

describe("a net that comes to a run later", () => {
	it("names both forms of a call that middleware had made another of", async () => {
		const world = netted(FILES, { git: false });
		const { root } = world;
		const elsewhere: Middleware = {
			name: "elsewhere",
			wrapToolCall: ({ name }, next) => next({ name, args: { path: "b.txt", text: "new" } }),
		};
		const middleware = [elsewhere];
		const whole = await uncut(world, [PUT], { middleware });
		const kept = keptIn(await entriesOf(whole));
		expect(kept).toHaveLength(2);
		const cut = await cutBefore(whole, "tool_called 0");
		const net = another(world);
		await recovered(cut, { tools: toolsIn(root), middleware, policies: [net] });
		expect(keptIn(await entriesOf(cut))).toEqual(kept);
		await net.restore(kept[1] ?? "");
		expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("b");
	});

	it("keeps nothing of the calls that the ledger holds, and leaves their entries as they are", async () => {
		const world = netted(FILES, { git: false });
		const { root, net } = world;
		const ledger = memoryLedger();
		const { engine } = benchOf({ tools: toolsIn(root), policies: [net], ledger: lasting(ledger) });
		const wave = async (step: number, ...calls: Made[]) =>
			engine.executeWave(
				calls.map((call) => ({ id: "", ...call })),
				{ runId: "r", step },
			);
		await wave(0, PUT, within({ name: "put", args: { path: "b.txt", text: "new b" } }));
		await wave(1, { name: "put", args: { path: "a.txt", text: "newer" } }, REMOVE);
		const before = keptIn(await entriesOf(ledger));
		expect(before).toHaveLength(4);
		const copies = copiesIn(world);
		const cut = await cutBefore(ledger, "tool_called 1");
		const rest = await cutAt(ledger, (await recordsOf(ledger)).length - 2);
		for (const one of [cut, rest]) {
			writeFileSync(join(root, "a.txt"), "something else");
			await recovered(one, { tools: toolsIn(root), policies: [another(world)] });
			expect(copiesIn(world)).toBe(copies);
		}
		expect(keptIn(await entriesOf(rest))).toEqual(before);
	});

	it("says no more of a call that it had refused than was said then", async () => {
		const told: string[] = [];
		const watching: Policy = definePolicy({
			name: "watching",
			account: ({ id }) => void told.push(id),
		});
		const world = netted(FILES, { git: false, bytesMax: 3 });
		const { root, net } = world;
		const calls = [PUT, { name: "put", args: { path: "b.txt", text: "1" } }];
		const whole = await uncut(world, calls, { policies: [watching, net] });
		expect(told).toEqual(["c1"]);
		told.length = 0;
		const cut = await cutBefore(whole, "tool_called 1");
		await recovered(cut, { tools: toolsIn(root), policies: [{ ...watching }, another(world)] });
		expect(told).toEqual(["c1"]);
	});

	it.each([true, false])(
		"names what was kept before a pause first, and behind it what was changed meanwhile (fresh: %s)",
		async (fresh) => {
			const world = netted(FILES, { git: false });
			const { root, net } = world;
			const ledger = memoryLedger();
			const asks = toolOf(
				"put",
				async (args, { interrupt }) => {
					await interrupt("Sure?");
					return act(root, { name: "put", args });
				},
				{ effect: "write", mayAsk: true },
			);
			const tools = [asks];
			const first = benchOf({ tools, policies: [net], ledger: lasting(ledger) });
			const paused = await first.engine.executeWave([{ id: "", ...PUT }], { runId: "r", step: 0 });
			expect(paused.status).toBe("paused");
			const checkpoint = reloaded(paused.checkpoint);
			const copies = copiesIn(world);
			const policies = [fresh ? another(world) : net];
			const { engine } = benchOf({ tools, policies, ledger: lasting(ledger) });
			const answers = Object.fromEntries(checkpoint.questions.map(({ id }) => [id, true]));
			writeFileSync(join(root, "a.txt"), "changed meanwhile");
			const wave = await engine.resume(checkpoint, { answers });
			expect([wave.status, copiesIn(world)]).toEqual(["done", copies + 1]);
			const kept = keptIn(await entriesOf(ledger));
			expect(kept).toHaveLength(2);
			await net.restore(kept[1] ?? "");
			expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("changed meanwhile");
			await expectRestored(net, root, kept[0]);
		},
	);
});

describe("calls that one call makes", () => {
	it("have each their own copy named", async () => {
		const world = netted(FILES, { git: false });
		const putB: Made = { name: "put", args: { path: "b.txt", text: "new" } };
		const entries = await entriesOf(await uncut(world, [within(PUT, putB)]));
		const called = entries.filter(({ kind }) => kind === "tool_called");
		expect(called.map(({ data }) => (data.kept as readonly string[] | undefined)?.length)).toEqual([undefined, 1, 1]);
	});
});
