// When a read is answered from memory, and what makes an answer void.

import { describe, expect, it } from "vitest";
import { MEMO_ANSWERS_MAX, MEMO_CHARS_MAX, MEMO_RUNS_MAX } from "../../engine/core/limits.js";
import { failed, type Outcome } from "../../engine/core/outcome.js";
import { memo, type Policy, type PolicyView, tool } from "../../engine/index.js";
import { anything, benchOf, shorts } from "../support/law-kit.js";
import { called, verdict, viewOf } from "./policy-kit.js";

/** Puts calls through one policy by hand, each in a step of its own unless it says otherwise. */
function putThrough(policy: Policy = memo()) {
	let step = 0;
	const admit = (name: string, parts: Partial<PolicyView> = {}) => {
		step += 1;
		const view = viewOf({ step, ...parts });
		const call = called(name);
		const said = verdict(policy, call, view);
		const account = (outcome: Outcome, keys?: PolicyView["keys"], form: Partial<PolicyView> = {}): void => {
			const told = { ...view, ...form, ...(keys && { keys }) };
			expect(policy.account?.(call, outcome, told)).toBeUndefined();
		};
		return { said, account };
	};
	const run = (name: string, value: Outcome & { ok: true }, keys?: PolicyView["keys"]) =>
		admit(name).account(value, keys);
	const write = (keys?: PolicyView["keys"], outcome: Outcome = { ok: true }) =>
		admit("put", { effect: "write" }).account(outcome, keys);
	return { admit, run, write };
}

const one: Outcome & { ok: true } = { ok: true, value: 1 };

describe("memo", () => {
	it("answers the same read of a later wave without running it, as text or with its fields in another order", async () => {
		const { engine, entered, held } = benchOf({ policies: [memo()], ahead: false });
		const waves = [{ n: 1, m: 2 }, '{"m":2,"n":1}', { n: 2 }];
		for (const [step, args] of waves.entries()) {
			const wave = engine.executeWave([{ id: "", name: "read", args }], { runId: "run", step });
			for (let turn = 0; turn < 20 && held.waiting.length === 0; turn += 1) await Promise.resolve();
			held.releaseAll();
			expect(shorts(await wave)).toEqual([step === 2 ? "2" : "1"]);
		}
		expect(entered).toEqual(["read 1", "read 2"]);
	});

	it("does not answer within the segment that the answer is from, nor another run", () => {
		const { admit, run } = putThrough();
		const first = admit("look", { step: 9, index: 0 });
		expect(admit("look", { step: 9, index: 1, segment: 0 }).said).toBe("clear");
		first.account(one);
		expect(admit("look", { step: 9, index: 2 }).said).toEqual({ answer: one });
		run("look", one);
		expect(admit("look", { runId: "other" }).said).toBe("clear");
	});

	it("answers what the tool answered, whatever its host and the model's reader made of the value since", async () => {
		const rows = [1];
		const list = tool({ name: "list", parameters: anything, effect: "read", execute: () => ({ rows }) });
		const { engine } = benchOf({ tools: [list], policies: [memo()] });
		for (const step of [0, 1, 2]) {
			const { results } = await engine.executeWave([{ id: "", name: "list", args: {} }], { runId: "run", step });
			const outcome = results[0]?.outcome as unknown as { value: { rows: number[] } };
			expect(outcome.value).toEqual({ rows: [1] });
			outcome.value.rows.push(2);
			rows.push(3);
		}
	});

	it("remembers values alone: no failure, no bytes, and only of the named tools", () => {
		const { admit, run } = putThrough(memo({ tools: ["look"] }));
		admit("look").account(failed("TOOL_FAILED", { message: "not now" }));
		expect(admit("look").said).toBe("clear");
		run("look", { ok: true, value: new Uint8Array(1) });
		expect(admit("look").said).toBe("clear");
		run("other", one);
		expect(admit("other").said).toBe("clear");
		run("look", { ok: true });
		expect(admit("look").said).toEqual({ answer: { ok: true } });
	});
});

describe("a write", () => {
	it.each<[string, PolicyView["keys"], PolicyView["keys"], boolean]>([
		["without keys forgets everything", ["a"], undefined, true],
		["that only reads keys names none it changes, and forgets everything", ["a"], { read: ["b"] }, true],
		["forgets a read whose key it takes", ["a"], ["a", "b"], true],
		["forgets a read that shares the key", { read: ["a"] }, { write: ["a"] }, true],
		["leaves a read whose keys it does not take", { read: ["a"] }, { read: ["a"], write: ["b"] }, false],
		["forgets a read that named no keys", undefined, ["b"], true],
	])("%s", (_what, readKeys, writeKeys, forgotten) => {
		const { admit, run, write } = putThrough();
		run("look", one, readKeys);
		write(writeKeys);
		expect(admit("look").said).toEqual(forgotten ? "clear" : { answer: one });
	});

	it("that never ran forgets nothing, and any other effect than a read is a write", () => {
		const { admit, run, write } = putThrough();
		run("look", one);
		write(undefined, failed("ABORTED_BEFORE_DISPATCH", { message: "Aborted before dispatch" }));
		expect(admit("look").said).toEqual({ answer: one });
		admit("send", { effect: "egress" }).account(one);
		expect(admit("look").said).toBe("clear");
	});

	it("that is under way answers nothing from memory, and what ran beside it is not remembered", () => {
		const { admit, run } = putThrough();
		run("look", one, ["a"]);
		const before = admit("peek", { step: 9, index: 0 });
		const writing = admit("note", { step: 9, index: 1, segment: 0, effect: "write" });
		const beside = admit("look", { step: 9, index: 2, segment: 0 });
		expect(beside.said).toBe("clear");
		for (const [call, keys] of [
			[before, undefined],
			[writing, ["b"]],
			[beside, ["a"]],
		] as const)
			call.account({ ok: true, value: 2 }, keys);
		expect(admit("peek", { step: 9, index: 3 }).said).toBe("clear");
		expect(admit("look", { step: 9, index: 4 }).said).toEqual({ answer: one });
	});

	it("that a later policy refused is under way until its segment is over", () => {
		const { admit, run } = putThrough();
		run("look", one);
		expect(admit("note", { step: 9, index: 0, effect: "write" }).said).toBe("clear");
		const missed = admit("look", { step: 9, index: 1, segment: 0 });
		expect(missed.said).toBe("clear");
		missed.account(one);
		expect(admit("look", { step: 9, index: 2 }).said).toEqual({ answer: one });
	});

	it("that was asked for as a read voids what ran beside it among the calls of one call", () => {
		const { admit } = putThrough();
		const step = { step: 9, segment: 0 };
		const maker = admit("nest", { ...step, index: 0, effect: "write" });
		const turned = admit("peek", { ...step, lineage: [0, 0] });
		const beside = admit("look", { ...step, lineage: [0, 1], segment: 1, unanswered: [[0, 0]] });
		turned.account({ ok: true }, ["b"], { effect: "write", rewritten: true });
		beside.account(one, { read: ["b"] });
		maker.account({ ok: true }, ["a"]);
		expect(admit("look").said).toBe("clear");
	});

	it("may run beside what a call reads whose run was forgotten meanwhile, and that is not remembered", () => {
		const { admit } = putThrough();
		const step = { step: 9, segment: 0 };
		const writing = admit("note", { ...step, index: 0, effect: "write" });
		const scan = admit("scan", { ...step, index: 1 });
		for (let run = 0; run < MEMO_RUNS_MAX; run += 1) admit("look", { runId: `other ${run}` });
		admit("look", { ...step, lineage: [1, 0] }).account(one);
		writing.account({ ok: true });
		scan.account(one);
		expect(admit("look").said).toBe("clear");
	});

	it("whose outcome is not known may still act, so nothing is remembered any more", () => {
		const { admit, run, write } = putThrough();
		run("look", one, ["a"]);
		write(["b"], failed("OUTCOME_UNKNOWN", { message: "It timed out." }));
		expect(admit("look").said).toBe("clear");
		run("look", one, ["a"]);
		expect(admit("look").said).toBe("clear");
	});

	it("meets reads by the keys that the tools name, whether at once or by a promise", async () => {
		let reads = 0;
		const read = tool({
			name: "load",
			parameters: anything,
			effect: "read",
			lockKeys: async ({ n }) => ({ read: [`k${n}`] }),
			execute: () => (reads += 1),
		});
		const save = tool({
			name: "save",
			parameters: anything,
			effect: "write",
			lockKeys: ({ n }) => [`k${n}`],
			execute: () => "saved",
		});
		const { engine } = benchOf({ tools: [read, save], policies: [memo()] });
		const answers: string[] = [];
		for (const [step, written] of ["load 1", "load 1", "save 2", "load 1", "save 1", "load 1"].entries()) {
			const [name = "", n] = written.split(" ");
			answers.push(
				...shorts(await engine.executeWave([{ id: "", name, args: { n: Number(n) } }], { runId: "run", step })),
			);
		}
		expect(answers).toEqual(["1", "1", '"saved"', "1", '"saved"', "2"]);
	});
});

describe("what is remembered", () => {
	it("ME1: is bounded in answers and in characters, and the oldest goes first", () => {
		const { admit, run } = putThrough();
		for (let n = 0; n <= MEMO_ANSWERS_MAX; n += 1) run(`look-${n}`, one);
		expect(admit("look-0").said).toBe("clear");
		expect(admit("look-1").said).toEqual({ answer: one });
		const third = { ok: true, value: "x".repeat(MEMO_CHARS_MAX / 3) } as const;
		for (const name of ["a", "b", "c"]) run(name, third);
		expect(["look-1", "a", "b", "c"].map((name) => admit(name).said === "clear")).toEqual([true, true, false, false]);
		run("huge", { ok: true, value: "x".repeat(MEMO_CHARS_MAX) });
		expect(admit("huge").said).toBe("clear");
	});

	it("is asked for by names", () => {
		expect(() => memo({ tools: [7 as never] })).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
	});
});
