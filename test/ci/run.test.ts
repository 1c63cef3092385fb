// The closing line of .ci/run, with an npm that only says what the real one would.

import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratchFolder } from "../support/scratch-folder.js";

const RUN = join(import.meta.dirname, "../../.ci/run");

const GREEN = ["", " Test Files  9 passed (9)", "      Tests  40 passed | 1 skipped (41)"];

interface Said {
	readonly test: readonly string[];
	readonly check: readonly string[];
	/** The step that ends with 1. */
	readonly fails?: string;
}

function runWith({ test, check, fails = "none" }: Said) {
	const npm = `#!/bin/sh
case "$*" in
	"test") cat "$(dirname "$0")/test" ;;
	"run check") cat "$(dirname "$0")/check" ;;
	*) echo "did $*" ;;
esac
[ "$*" != "${fails}" ]
`;
	const folder = scratchFolder({ npm, test: `${test.join("\n")}\n`, check: `${check.join("\n")}\n` });
	chmodSync(join(folder, "npm"), 0o755);
	const inFront = 'PATH="$1:$PATH" exec bash "$2"';
	const { status, stdout } = spawnSync("bash", ["-c", inFront, "bash", folder, RUN], { encoding: "utf8" });
	return { status, last: stdout.trimEnd().split("\n").at(-1) };
}

it("counts the tests and the test files of both runs", () => {
	expect(runWith({ test: GREEN, check: ["lint is clean", ...GREEN] })).toEqual({
		status: 0,
		last: "80 passed, 0 failed, 2 skipped in 18 test files; 2 runs of the tests",
	});
});

it("counts what failed in either run, and names the step it stopped at", () => {
	const red = [" Test Files  2 failed | 7 passed (9)", "      Tests  3 failed | 37 passed | 1 skipped (41)"];
	expect(runWith({ test: red, check: GREEN, fails: "test" })).toEqual({
		status: 1,
		last: "37 passed, 3 failed, 1 skipped in 9 test files; 1 run of the tests; stopped at: npm test",
	});
	expect(runWith({ test: GREEN, check: red, fails: "run check" })).toEqual({
		status: 1,
		last: "77 passed, 3 failed, 2 skipped in 18 test files; 2 runs of the tests; stopped at: npm run check",
	});
});

it("does not count a run that never began, and names a step that failed without a test", () => {
	expect(runWith({ test: GREEN, check: ["lint found a fault"], fails: "run check" })).toEqual({
		status: 1,
		last: "40 passed, 0 failed, 1 skipped in 9 test files; 1 run of the tests; stopped at: npm run check",
	});
	expect(runWith({ test: GREEN, check: GREEN, fails: "run check" })).toEqual({
		status: 1,
		last: "80 passed, 0 failed, 2 skipped in 18 test files; 2 runs of the tests; stopped at: npm run check",
	});
});
