// The last look at an entry before it is history.

import { describe, expect, it } from "vitest";
import { recordedLedger } from "../../engine/accounting/recorded-ledger.js";
import { definePolicy, memoryLedger, type RecordedEntry } from "../../engine/index.js";
import { benchOf, callsOf, entriesOf, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

const noting = (name: string) => {
	const record = ({ data }: RecordedEntry) => ({
		...data,
		noted: [...((data.noted as string[] | undefined) ?? []), name],
	});
	return definePolicy({ name, record });
};

const circle = (): object => {
	const ring: Record<string, unknown> = {};
	ring.ring = ring;
	return ring;
};

describe("the recording of entries", () => {
	it("passes every entry of a wave through the policies in reverse order, the intents through none", async () => {
		const { engine, ledger, held } = benchOf({ policies: [noting("outer"), noting("inner")] });
		const wave = engine.executeWave(callsOf("write 1"));
		await settled();
		held.release("write 1");
		await wave;
		const entries = await entriesOf(ledger);
		expect(entries.map(({ kind, data }) => [kind, data.noted])).toEqual(
			["model_returned", "tool_called", "tool_result"].map((kind) => [kind, ["inner", "outer"]]),
		);
		for await (const intent of ledger.intents()) expect(intent.data.noted).toBeUndefined();
	});

	it("is left out where no policy records: the ledger stays the host's own object", () => {
		const ledger = memoryLedger();
		expect(recordedLedger(ledger, [{ name: "idle", admit: () => "clear" }])).toBe(ledger);
	});

	it("writes what a policy changed as data and in its place, and what it left alone as it was", async () => {
		const record = ({ data }: RecordedEntry) => {
			const { outcome, ...place } = data;
			return { size: new Set([1]), ...place, render: undefined, outcome, at: new Date(0) } as never;
		};
		const { engine, ledger } = benchOf({
			tools: [toolOf("tell", () => 7)],
			policies: [definePolicy({ name: "p", record })],
		});
		await engine.executeWave([{ id: "a", name: "tell", args: {} }]);
		const [, called, result] = await entriesOf(ledger);
		expect(JSON.stringify(called?.data)).toBe(
			'{"size":[1],"index":0,"id":"a","name":"tell","args":{},"lineage":[0],"effect":"read","at":"1970-01-01T00:00:00.000Z"}',
		);
		expect(JSON.stringify(result?.data)).toBe(
			'{"size":[1],"index":0,"id":"a","outcome":{"ok":true,"value":7},"at":"1970-01-01T00:00:00.000Z"}',
		);
	});

	it.each<[string, () => never]>([
		[
			"throws",
			() => {
				throw new Error("it saw a password");
			},
		],
		["records nothing", () => undefined as never],
		["records what is not data", () => ({ step: () => 1 }) as never],
		["records by a promise that is rejected", () => Promise.reject(new Error("it saw a password")) as never],
		["records a circle", () => circle() as never],
	])(
		"RL1: writes an entry without its content when a policy %s, and the model still reads the outcome",
		async (_how, record) => {
			const tell = toolOf("tell", () => "a password");
			const { engine, ledger } = benchOf({ tools: [tell], policies: [definePolicy({ name: "broken", record })] });
			const { results } = await engine.executeWave([{ id: "a", name: "tell", args: { text: "a password" } }]);
			expect(results[0]?.outcome).toEqual({ ok: true, value: "a password" });
			const entries = await entriesOf(ledger);
			expect(JSON.stringify(entries)).not.toContain("password");
			const unrecorded = { $unrecorded: "broken" };
			expect(entries.map(({ data }) => data)).toEqual([
				{ step: 0, calls: [{ id: "a", name: "tell", args: unrecorded, altered: true }] },
				{ index: 0, id: "a", name: "tell", args: unrecorded, lineage: [0], effect: "read", render: "generic" },
				{
					index: 0,
					id: "a",
					outcome: {
						ok: false,
						error: expect.objectContaining({ code: "POLICY_FAILED", details: { policy: "broken" } }),
					},
				},
			]);
		},
	);
});
