// Options that nobody reads: a misspelled one would be a rule, a limit or a name that the host believes it has set.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as wavetrain from "../../engine/index.js";

const PARTS = { make: () => [], absorb: () => undefined };
const NET = { root: "/workspace", folder: "/kept" };

/** What makes each policy, options that it takes, and what a misspelled field of them is answered with. */
const MISSPELLED: readonly (readonly [maker: string, options: object, problem: string])[] = [
	["approvals", { asks: [] }, '"asks" is not known; perhaps "ask" is meant'],
	["approvals", { deny: [{ tool: ["send"] }] }, '"deny[0].tool" is not known; perhaps "tools" is meant'],
	["budget", { runs: { calls: 3 } }, '"runs" is not known; perhaps "run" is meant'],
	["budget", { step: { timeMS: 3 } }, '"step.timeMS" is not known; perhaps "timeMs" is meant'],
	["checkpointNet", { ...NET, byteMax: 3 }, '"byteMax" is not known; perhaps "bytesMax" is meant'],
	["dedup", { answers: [], answer: [] }, '"answer" is not known; perhaps "answers" is meant'],
	["definePolicy", { name: "x", acount: () => undefined }, '"acount" is not known; perhaps "account" is meant'],
	["doors", { wirte: "deny" }, '"wirte" is not known; perhaps "write" is meant'],
	["memo", { tool: ["look"] }, '"tool" is not known; perhaps "tools" is meant'],
	["redact", { keys: "secret" }, '"keys" is not known; perhaps "key" is meant'],
	["runMemory", { ...PARTS, absorbs: PARTS.absorb }, '"absorbs" is not known; perhaps "absorb" is meant'],
	["taint", { close: ["write"] }, '"close" is not known; perhaps "closes" is meant'],
];

/** Options that none of its calls could go by. */
const OF_NO_USE: readonly (readonly [maker: string, options: object, problem: string])[] = [
	["budget", { reserve: 3 }, "reserve is 3, not a function"],
	["budget", { costOf: "calls" }, 'costOf is "calls", not a function'],
	["budget", { run: { cost: 1e-13 } }, "run.cost is 1e-13, less than the 12 decimals"],
	["budget", {}, "neither run nor step has a bound; there are calls, timeMs, bytes, cost"],
	["budget", { run: {}, step: {}, costOf: () => 1 }, "neither run nor step has a bound"],
	["checkpointNet", { ...NET, leaveOut: "node_modules" }, 'leaveOut is "node_modules", not a list'],
	["checkpointNet", { ...NET, suspect: "all" }, 'suspect is "all", not a function'],
	["dedup", {}, "answers is undefined, not a list"],
	["dedup", { answers: 3 }, "answers is 3, not a list"],
	["memo", { tools: "look" }, 'tools is "look", not a list'],
	["runMemory", { make: PARTS.make }, "absorb is undefined, not a function"],
	["runMemory", { ...PARTS, shares: 3 }, "shares is 3, not a function"],
	["runMemory", { ...PARTS, hold: PARTS.absorb }, "hold and letGo need each other"],
	["runMemory", { ...PARTS, runsMax: 0 }, "runsMax is 0, not a whole number from 1"],
];

function make(maker: string, options: unknown): unknown {
	return (wavetrain as unknown as Record<string, (options: unknown) => unknown>)[maker]?.(options);
}

const refused = (problem: string) =>
	expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(problem) });

describe("options of policies", () => {
	it.each(MISSPELLED)("%s(%j) is refused, naming the field and the one that is meant", (maker, options, problem) => {
		expect(() => make(maker, options)).toThrow(refused(problem));
	});

	it.each(OF_NO_USE)("%s(%j) is refused when it is made and not at the first call", (maker, options, problem) => {
		expect(() => make(maker, options)).toThrow(refused(problem));
	});

	it.each([...new Set(MISSPELLED.map(([maker]) => maker))])("%s refuses what is no object of options", (maker) => {
		expect(() => make(maker, null)).toThrow(refused("null, not an object"));
		expect(() => make(maker, "all")).toThrow(refused('"all", not an object'));
	});

	it("are looked at by whatever the package exports that makes a policy", () => {
		const exported = readFileSync(new URL("../../engine/index.ts", import.meta.url), "utf8");
		const lines = exported.split("\n").filter((line) => /from "\.\/policy\//.test(line));
		const makers = lines.flatMap((line) => line.match(/(?<=[{,] )\w+(?=[ ,])/g) ?? []);
		// `neverRan` reads an outcome, and takes no options.
		const functions = makers.filter(
			(name) => name !== "neverRan" && typeof (wavetrain as Record<string, unknown>)[name] === "function",
		);
		expect(new Set(MISSPELLED.map(([maker]) => maker))).toEqual(new Set(functions));
	});
});

describe("options of a file ledger", () => {
	it.each([
		[{ rotat: "run" }, '"rotat" is not known; perhaps "rotate" is meant'],
		[null, "null, not an object"],
		["run", '"run", not an object'],
	])("%j is refused", (options, problem) => {
		expect(() => wavetrain.fileLedger("never-made.jsonl", options as never)).toThrow(refused(problem));
	});
});
