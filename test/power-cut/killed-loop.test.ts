// Processes with an engine that are killed hard one after another, each of which recovers the run of the one before it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { canonical, readLedger, verifyLedger } from "../../engine/index.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { builtProcess } from "./built-process.js";

/** How many processes are killed. Some two dozen take under ten seconds. */
const KILLS = 20;
const STEPS = 40;

const folder = temporaryFolders();
const loop = builtProcess(new URL("./killed-loop.ts", import.meta.url));

interface End {
	readonly said: readonly string[];
	readonly wasKilled: boolean;
}

/** Runs a process and kills it after so many of its lines; one that ends before is not killed. */
async function live(path: string, killAfter: number): Promise<End> {
	const child = spawn(process.execPath, [loop(), path], { stdio: ["ignore", "pipe", "pipe"] });
	const gone = once(child, "exit");
	let problem = "";
	child.stderr.on("data", (piece: Buffer) => {
		problem += piece.toString();
	});
	const said: string[] = [];
	for await (const line of createInterface({ input: child.stdout })) {
		said.push(line);
		if (said.length === killAfter) child.kill("SIGKILL");
	}
	const [, signal] = await gone;
	expect(problem).toBe("");
	return { said, wasKilled: signal === "SIGKILL" };
}

async function linesOf(path: string): Promise<string[]> {
	const lines: string[] = [];
	for await (const entry of readLedger(path)) lines.push(canonical(entry));
	return lines.filter((line) => line !== "");
}

describe("engines that are killed one after another", () => {
	it("RV1: go on with one run to its end: no write twice, and the lines of a run that nobody killed", async () => {
		const killed = folder();
		const whole = folder();
		const uncut = await live(whole, Number.POSITIVE_INFINITY);
		expect(uncut.said.at(-1)).toBe(`done ${STEPS + 1}`);
		const did: string[] = [];
		let kills = 0;
		for (;;) {
			const { said, wasKilled } = await live(killed, kills < KILLS ? 1 + ((kills * 7) % 6) : Number.POSITIVE_INFINITY);
			did.push(...said);
			if (!wasKilled) break;
			kills += 1;
			expect((await verifyLedger(join(killed, "ledger"))).ok).toBe(true);
		}
		expect(kills).toBeGreaterThanOrEqual(KILLS / 2);
		expect(did.at(-1)).toBe(`done ${STEPS + 1}`);
		const writes = readdirSync(killed).filter((name) => name.startsWith("put-"));
		const lines = await linesOf(join(killed, "ledger"));
		const isUnknown = (line: string): boolean => line.includes("OUTCOME_UNKNOWN");
		const unknown = lines.filter(isUnknown).length;
		// What was killed between its intent and its outcome may have been done or not; everything else was.
		expect(writes.length).toBeGreaterThanOrEqual(STEPS * 2 - unknown);
		const others = await linesOf(join(whole, "ledger"));
		expect(lines.map((line, place) => (isUnknown(line) ? others[place] : line))).toEqual(others);
	}, 60_000);
});
