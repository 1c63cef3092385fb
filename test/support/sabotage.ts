// Sabotage
//
// Applies each kept fault to a copy of the tree, runs the test that guards its law, and demands red. What `npm run
// sabotage` runs; `npm run sabotage -- WORD` takes only the faults whose law or file holds the word.
//
// Owns:      the copies, the runs, the verdicts.
// Does not:  know a law (sabotages.ts).

import { spawn } from "node:child_process";
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { SABOTAGES, type Sabotage } from "./sabotages.js";

/** `red` is what every sabotage must be; a run that hangs is as red in CI as one that fails. */
type Verdict = "red" | "hung" | "GREEN" | "NO SUCH TEST" | "DID NOT RUN" | "DOES NOT APPLY";

const ROOT = join(import.meta.dirname, "..", "..");
const PARTS = ["engine", "workers", "bench", "test", "package.json", "tsconfig.json", "README.md"];
const RUN_MS_MAX = 120_000;
const LANES_MAX = 2;

const word = process.argv[2] ?? "";
const chosen = SABOTAGES.filter(({ law, file }) => law.includes(word) || file.includes(word));
if (chosen.length === 0) {
	print(`No sabotage has ${JSON.stringify(word)} in its law or its file`);
	process.exit(1);
}
const running = new Set<number>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.once(signal, () => {
		for (const pid of running) process.kill(-pid, "SIGKILL");
		process.exit(1);
	});
}

const waiting = chosen.map((sabotage, place) => ({ sabotage, place }));
const verdicts: Verdict[] = [];
await Promise.all(Array.from({ length: Math.min(LANES_MAX, availableParallelism()) }, workThrough));

const passed = verdicts.filter((verdict) => verdict === "red" || verdict === "hung").length;
print(`${passed} of ${chosen.length} sabotages turned their law's test red`);
process.exitCode = passed === chosen.length ? 0 : 1;

async function workThrough(): Promise<void> {
	const copy = copyTree();
	try {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
			const { sabotage, place } = next;
			const verdict = await judge(copy, sabotage);
			verdicts[place] = verdict;
			print(`${verdict.padEnd(14)}  ${sabotage.law}  (${sabotage.file})`);
		}
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}

function copyTree(): string {
	const copy = mkdtempSync(join(tmpdir(), "wavetrain-sabotage-"));
	for (const part of PARTS) {
		if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
	}
	// Package by package: caches under node_modules are the copy's own, or a fault would be built into the real ones.
	mkdirSync(join(copy, "node_modules"));
	for (const name of readdirSync(join(ROOT, "node_modules"))) {
		if (name.startsWith(".") && name !== ".bin") continue;
		symlinkSync(join(ROOT, "node_modules", name), join(copy, "node_modules", name));
	}
	return copy;
}

async function judge(copy: string, { file, find, replace, test }: Sabotage): Promise<Verdict> {
	const path = join(copy, file);
	const text = readFileSync(path, "utf8");
	if (text.split(find).length !== 2) return "DOES NOT APPLY";
	// A function, because a text's dollar signs would be patterns.
	writeFileSync(
		path,
		text.replace(find, () => replace),
	);
	try {
		return await runTest(copy, test);
	} finally {
		writeFileSync(path, text);
	}
}

async function runTest(copy: string, test: Sabotage["test"]): Promise<Verdict> {
	const report = join(copy, "report.json");
	rmSync(report, { force: true });
	const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
	const title = test.title.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	const reporting = ["--reporter=json", `--outputFile=${report}`];
	const args = [vitest, "run", "--config", "test/vitest.config.ts", test.file, "-t", title, ...reporting];
	const child = spawn(process.execPath, args, {
		cwd: copy,
		detached: true,
		stdio: "ignore",
		env: { ...process.env, CI: "true" },
	});
	const { pid } = child;
	if (pid === undefined) return "DID NOT RUN";
	running.add(pid);
	const inTime = await new Promise<boolean>((resolve) => {
		const timer = setTimeout(() => resolve(false), RUN_MS_MAX);
		child.once("exit", () => {
			clearTimeout(timer);
			resolve(true);
		});
	});
	running.delete(pid);
	if (inTime) return existsSync(report) ? verdictOf(report) : "DID NOT RUN";
	// The whole group: the runner has threads and processes of its own.
	process.kill(-pid, "SIGKILL");
	return "hung";
}

function verdictOf(report: string): Verdict {
	type Report = { testResults: { assertionResults: { status: string }[] }[] };
	const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
	const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
	if (statuses.includes("failed")) return "red";
	if (statuses.includes("passed")) return "GREEN";
	return statuses.length === 0 ? "DID NOT RUN" : "NO SUCH TEST";
}

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}
