// The bench as it is run: what it measures, what it does with words, what it prints.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rowTable } from "../../bench/row-table.js";
import { chosenSubjects, SUBJECTS } from "../../bench/subjects.js";

const ROOT = join(import.meta.dirname, "..", "..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { bench: string } };
/** What the script does: it builds, and then runs the bench. */
const [build = "", run = ""] = scripts.bench.split(" && ");

function bench(command: string, ...words: string[]) {
	const [name = "", ...args] = [...command.split(" "), ...words];
	const { status, stdout, stderr } = spawnSync("npx", [name, ...args], { cwd: ROOT, encoding: "utf8" });
	return { status, stdout, stderr };
}

describe("the bench", () => {
	it("refuses to measure the sources, and is run on the built package", () => {
		const refusal = "The bench measures the built package; run it with `npm run bench`.\n";
		expect(bench("tsx bench/main.ts", "nosuch")).toEqual({ status: 2, stdout: "", stderr: refusal });
		expect(build).toMatch(/^tsup /);
		expect(bench(run, "nosuch").stderr).toMatch(/^No subject/);
		const folder = join(ROOT, "bench");
		const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
		const onSources = files
			.map(({ name }) => name)
			.filter((name) => /from "\.\.\/(?:engine|workers)\//.test(readFileSync(join(folder, name), "utf8")));
		// The pool is no part of what the package hands out.
		expect(onSources).toEqual(["thread-values.ts"]);
	});

	it("ends with 2 and names its subjects when a word names none, also beside one that does", () => {
		const names = SUBJECTS.map(({ name }) => name).join(", ");
		const stderr = `No subject is named "nosuch". The subjects: ${names}.\n`;
		expect(bench(run, "locks", "nosuch")).toEqual({ status: 2, stdout: "", stderr });
	});

	it("runs the subjects whose name holds a word, and all without one", () => {
		expect(chosenSubjects(["calls", "lock"])).toEqual({
			subjects: SUBJECTS.filter(({ name }) => /calls|lock/.test(name)),
		});
		expect(chosenSubjects([])).toEqual({ subjects: SUBJECTS });
	});

	it("prints no colours", () => {
		const row = { what: "a", ours: 1, baseline: 2, unit: "ms", against: "b", ratio: 0.5, target: { atMost: 1 } };
		const table = rowTable([row, { ...row, ratio: 2 }]);
		expect(table).toContain("missed");
		expect(table).not.toContain("\u001b");
	});
});
