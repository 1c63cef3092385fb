// Law 1: one outcome a call, in call order, whatever happens.

import { describe, expect, it } from "vitest";
import { benchOf, callsOf, linesOf, short, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

describe("Law 1: every call gets exactly one outcome", () => {
	it("when one tool never settles, one throws no Error and one answers what is no data", async () => {
		const never = toolOf("never", () => new Promise(() => undefined));
		const throwing = toolOf("throwing", () => {
			throw "just a text";
		});
		const unclear = toolOf("unclear", () => ({ rows: [{ open: () => 1 }] }));
		const plain = toolOf("plain", ({ n }) => n);
		const { engine, clock, ledger } = benchOf({ tools: [never, throwing, unclear, plain], timeouts: { toolMs: 100 } });
		const calls = callsOf("plain 0", "never", "throwing", "plain 3", "unclear", "plain 5", "plain 6", "plain 7");
		const running = engine.executeWave(calls);
		await clock.pass(100);
		const wave = await running;
		expect(shorts(wave)).toEqual(["0", "TIMED_OUT", "TOOL_FAILED", "3", "NOT_CLONEABLE", "5", "6", "7"]);
		expect(wave.results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
		expect(JSON.parse(JSON.stringify(wave)).results).toHaveLength(8);
		expect(await linesOf(ledger)).toHaveLength(1 + 2 * 8);
	});

	it("when tools answer nothing, null, false, zero, empty text and an empty list", async () => {
		const values = [undefined, null, false, 0, "", []];
		const empty = toolOf("empty", ({ n = 0 }) => values[n]);
		const { engine } = benchOf({ tools: [empty] });
		const wave = await engine.executeWave(callsOf("empty 0", "empty 1", "empty 2", "empty 3", "empty 4", "empty 5"));
		expect(wave.results.map(({ outcome }) => outcome.ok)).toEqual([true, true, true, true, true, true]);
		expect(shorts(wave)).toEqual(["nothing", "null", "false", "0", '""', "[]"]);
		expect(wave.results[0]?.outcome).not.toHaveProperty("value");
	});

	it("when a policy throws what is no Error at admission and another at accounting", async () => {
		const admits = {
			name: "admits",
			admit: ({ id }: { id: string }) => (id === "id-0" ? Promise.reject(null) : "clear"),
		};
		const accounts = {
			name: "accounts",
			account: ({ id }: { id: string }) => {
				if (id === "id-1") throw undefined;
			},
		};
		const plain = toolOf("plain", ({ n }) => n);
		const { engine } = benchOf({ tools: [plain], policies: [admits, accounts] as never });
		const wave = await engine.executeWave(callsOf("plain 0", "plain 1", "plain 2"));
		expect(shorts(wave)).toEqual(["POLICY_FAILED", "POLICY_FAILED", "2"]);
	});

	it("when a name is unknown, near to a known one, or one that every object has", async () => {
		const { engine } = benchOf({ tools: [toolOf("plain", ({ n }) => n)] });
		const wave = await engine.executeWave(callsOf("plian 0", "plain 1", "constructor 2", "__proto__ 3"));
		expect(shorts(wave)).toEqual(["UNKNOWN_TOOL", "1", "UNKNOWN_TOOL", "UNKNOWN_TOOL"]);
		expect(wave.results[0]?.outcome).toMatchObject({ error: { details: { near: ["plain"] } } });
	});

	it("when arguments are blank, no object, cut off, or followed by text", async () => {
		const { engine } = benchOf({ tools: [toolOf("plain", () => "ran")] });
		const texts = ["", "  ", "null", undefined, null, "[1]", '{"n": 1', '{"n": 1} and', { n: 1 }];
		const wave = await engine.executeWave(texts.map((args, index) => ({ id: `id-${index}`, name: "plain", args })));
		const ran = '"ran"';
		const refused = "INVALID_ARGUMENTS";
		expect(shorts(wave)).toEqual([ran, ran, ran, ran, ran, refused, refused, refused, ran]);
		const positions = wave.results.slice(5, 8).map(({ outcome }) => !outcome.ok && outcome.error.details?.position);
		expect(positions).toEqual([0, 7, 9]);
	});

	it("when what stands in a place of the wave is no call, or cannot be read", async () => {
		const plain = toolOf("plain", ({ n }) => n);
		const { engine, ledger } = benchOf({ tools: [plain] });
		const broken = (): never => {
			throw new Error("a getter broke");
		};
		const noText = Object.create(null);
		const wave = await engine.executeWave([
			{ id: "a", name: "plain", args: { n: 0 } },
			null,
			undefined,
			5,
			{ id: noText, name: "plain", args: { n: 4 } },
			{ id: "f", name: noText, args: {} },
			Object.defineProperty({ id: "g", name: "plain" }, "args", { get: broken }),
			new Proxy({}, { get: broken }),
			{ id: "i", name: "plain", args: { n: 8 } },
		] as never);
		expect(shorts(wave)).toEqual([
			"0",
			...new Array(3).fill("UNKNOWN_TOOL"),
			"4",
			"UNKNOWN_TOOL",
			"nothing",
			"UNKNOWN_TOOL",
			"8",
		]);
		expect(wave.results.map(({ id }) => id)).toEqual(["a", "", "", "", "", "f", "g", "", "i"]);
		expect(await linesOf(ledger)).toHaveLength(1 + 2 * 9);
	});

	it("when a call object is of another shape: it is told what it lacks, and nothing runs in place of what was meant", async () => {
		const ran: unknown[] = [];
		const plain = toolOf("plain", (args) => ran.push(args));
		const { engine } = benchOf({ tools: [plain] });
		const wave = await engine.executeWave([
			{ id: "a", type: "function", function: { name: "plain", arguments: '{"n":1}' } },
			{ id: "b", name: "plain", arguments: '{"n":1}' },
			{ id: "c", name: "plain", input: { n: 1 } },
			{ id: "d", name: "plain", args: { n: 1 }, arguments: { n: 2 } },
			{ id: "e", name: "plain", arguments: null },
		] as never);
		const messages = wave.results.map(({ outcome }) => (outcome.ok ? "ran" : outcome.error.message));
		const lacks =
			"The arguments of plain cannot be read: they are not JSON at `args`, which is missing: the call object has";
		expect(messages).toEqual([
			"The call has no name; a call object has `id`, `name` and `args`.",
			`${lacks} \`arguments\` in its place.`,
			`${lacks} \`input\` in its place.`,
			"ran",
			"ran",
		]);
		expect(shorts(wave).slice(0, 3)).toEqual(["UNKNOWN_TOOL", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS"]);
		expect(ran).toEqual([{ n: 1 }, {}]);
	});

	it("when ids are empty or repeated: the index is the identity and the id is echoed", async () => {
		const ran: number[] = [];
		const plain = toolOf("plain", ({ n = 0 }) => ran.push(n));
		const { engine } = benchOf({ tools: [plain] });
		const ids = ["", "", "same", "same"];
		const wave = await engine.executeWave(ids.map((id, n) => ({ id, name: "plain", args: { n } })));
		expect(wave.results.map(({ index, id }) => [index, id])).toEqual(ids.map((id, index) => [index, id]));
		expect(ran).toEqual([0, 1, 2, 3]);
	});

	it("when one id asks twice for the same: it runs once, and the second position repeats the first", async () => {
		let runs = 0;
		const plain = toolOf("plain", () => (runs += 1), { effect: "write" });
		const { engine, ledger } = benchOf({ tools: [plain] });
		const wave = await engine.executeWave([
			{ id: "a", name: "plain", args: { n: 1, m: 2 } },
			{ id: "a", name: "plain", args: '{ "m": 2, "n": 1 }' },
		]);
		expect(runs).toBe(1);
		expect(shorts(wave)).toEqual(["1", "1"]);
		expect(wave.results[1]?.replayOf).toBe(0);
		expect(await linesOf(ledger)).toEqual([
			"model_returned",
			"tool_called 0",
			"tool_result 0",
			"tool_called 1",
			"tool_result 1",
		]);
	});

	it("when two calls are done, one runs and two wait behind it as the host aborts", async () => {
		const { engine, held, entered } = benchOf();
		const host = new AbortController();
		const running = engine.executeWave(callsOf("read 0", "read 1", "write 2", "read 3", "write 4"), {
			signal: host.signal,
		});
		await settled();
		held.releaseAll();
		await settled();
		host.abort(new Error("enough"));
		const wave = await running;
		const before = "ABORTED_BEFORE_DISPATCH";
		expect(shorts(wave)).toEqual(["0", "1", "OUTCOME_UNKNOWN", before, before]);
		expect(wave.status).toBe("aborted");
		held.releaseAll();
		await settled();
		expect(entered).toEqual(["read 0", "read 1", "write 2"]);
	});

	it("when a tool turns the abort into an error of its own: it is aborted all the same", async () => {
		const wrapping = toolOf("wrapping", (_args, { signal }) => {
			return new Promise((_resolve, reject) => {
				signal.addEventListener("abort", () => reject(new RangeError("the wrapper's own")));
			});
		});
		const { engine } = benchOf({ tools: [wrapping] });
		const host = new AbortController();
		const running = engine.executeWave(callsOf("wrapping"), { signal: host.signal });
		await settled();
		host.abort();
		expect(shorts(await running)).toEqual(["ABORTED"]);
	});

	it("when the wave is empty, or the signal was aborted before it began", async () => {
		const { engine, entered } = benchOf();
		expect((await engine.executeWave([])).results).toEqual([]);
		const wave = await engine.executeWave(callsOf("read 0", "write 1"), { signal: AbortSignal.abort() });
		expect(wave.results.map(({ outcome }) => short(outcome))).toEqual([
			"ABORTED_BEFORE_DISPATCH",
			"ABORTED_BEFORE_DISPATCH",
		]);
		expect(wave.results[0]?.outcome).toMatchObject({ error: { message: "Aborted before dispatch" } });
		expect(entered).toEqual([]);
	});
});
