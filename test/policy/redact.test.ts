// What the ledger holds of a secret, and that the model still reads it.

import { describe, expect, it } from "vitest";
import { type JsonObject, type Policy, redact } from "../../engine/index.js";
import { benchOf, entriesOf, toolOf } from "../support/law-kit.js";

const SECRET = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;
const OTHER = `ghp_${"xXPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;
const MARKER = /^\[redacted:github:[0-9a-f]{12}\]$/;

function marked(text: string, key?: string): string {
	const data = redact(key === undefined ? {} : { key }).record?.({
		kind: "steer_received",
		runId: "run",
		data: { text },
	});
	return String(data?.text);
}

describe("redact", () => {
	it("keeps a secret out of every entry of a run, and out of nothing that the model reads", async () => {
		const reveal = toolOf("reveal", () => ({ token: SECRET }));
		const refuse = toolOf("refuse", () => {
			throw new Error(`${SECRET} is not valid`);
		});
		const { engine, ledger } = benchOf({ tools: [reveal, refuse], policies: [redact()] });
		const calls = [
			{ id: "1", name: "reveal", args: {} },
			{ id: "2", name: "refuse", args: `{"token":"${SECRET}"}` },
		];
		const { results } = await engine.executeWave(calls, { stillGoing: () => ({ steer: `use ${SECRET}` }) });
		const entries = await entriesOf(ledger);
		expect(entries.map(({ kind }) => kind)).toEqual([
			"model_returned",
			...["steer_received", "tool_called", "tool_result", "steer_received", "tool_called", "tool_result"],
		]);
		expect(JSON.stringify(entries)).not.toContain(SECRET);
		expect(JSON.stringify(entries).match(/\[redacted:github:[0-9a-f]{12}\]/g)?.length).toBe(7);
		expect(results[0]?.outcome).toEqual({ ok: true, value: { token: SECRET } });
		expect(results[1]?.outcome).toMatchObject({ error: { message: `${SECRET} is not valid` } });
	});

	it("RE1: marks the same secret alike under the same key, and any other differently", () => {
		expect(marked(SECRET)).toMatch(MARKER);
		expect(marked(SECRET)).toBe(marked(SECRET));
		expect(new Set([marked(SECRET), marked(OTHER), marked(SECRET, "own"), marked(OTHER, "own")]).size).toBe(4);
	});

	it("RE2: looks again at a call whose arguments held nothing in the reply, for what another policy noted of it", async () => {
		const record: Policy["record"] = ({ kind, data }) => (kind === "tool_called" ? { ...data, [field]: SECRET } : data);
		let field = "by";
		const tools = [toolOf("reveal", () => 1)];
		const { engine, ledger } = benchOf({ tools, policies: [redact(), { name: "noting", record }] });
		await engine.executeWave([{ id: "1", name: "reveal", args: '{"path":"src/components/table.ts"}' }]);
		field = SECRET;
		await engine.executeWave([{ id: "1", name: "reveal", args: '{"path":"src/components/table.ts"}' }]);
		const said = JSON.stringify(await entriesOf(ledger));
		expect(said).not.toContain(SECRET);
		expect(said.match(/\[redacted:github:/g)?.length).toBe(3);
	});

	it("RE2: does not take a call for one of the reply whose arguments are others", () => {
		const { record } = redact();
		const entry = (kind: string, data: JsonObject) => record?.({ kind, runId: "run", data });
		const call = { id: "1", name: "look", args: '{"path":"src/components/table.ts"}' };
		entry("model_returned", { step: 0, calls: [call, call] });
		const called = { ...call, index: 1, args: `{"path":"${SECRET}"}`, lineage: [1] };
		expect(JSON.stringify(entry("tool_called", called))).not.toContain(SECRET);
	});

	it("RE2: looks again at bytes that another policy noted", () => {
		const { record } = redact();
		const entry = (kind: string, data: JsonObject) => record?.({ kind, runId: "run", data });
		const call = { id: "1", name: "look", args: '{"path":"src/components/table.ts"}' };
		entry("model_returned", { step: 0, calls: [call] });
		const $binary = Buffer.from(SECRET).toString("base64");
		expect(entry("tool_called", { ...call, index: 0, $binary })?.$binary).not.toBe($binary);
	});

	it("leaves its own markers alone", () => {
		expect(marked(marked(SECRET))).toBe(marked(SECRET));
	});

	it("refuses a key that is no text", () => {
		expect(() => redact({ key: "" })).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
	});
});
