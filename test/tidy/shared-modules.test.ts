// Files that share the modules of a worker change none of them: one that did would change what the next file tests.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import config from "../vitest.config.js";

const ROOT = join(import.meta.dirname, "..", "..");
const CHANGES = /\bvi\.(mock|doMock|unmock|resetModules|stubGlobal|stubEnv|useFakeTimers)\(/;

function shared(): string[] {
	const projects = (config.test?.projects ?? []) as { test?: { name?: string; exclude?: string[] } }[];
	const unit = projects.find(({ test }) => test?.name === "unit")?.test;
	const apart = (unit?.exclude ?? []).map(
		(glob) =>
			new RegExp(
				`^${glob.replace(/\{([^}]*)\}/, (_all, names: string) => `(${names.replaceAll(",", "|")})`).replace("/**/*", "/.*")}$`,
			),
	);
	const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
	const tests = files.filter((file) => file.endsWith(".test.ts")).map((file) => `test/${file}`);
	return tests.filter((file) => !apart.some((pattern) => pattern.test(file)));
}

describe("a test file that shares its modules with others", () => {
	it("puts none in the place of another, and changes nothing that all see", () => {
		const files = shared();
		expect(files.length).toBeGreaterThan(100);
		expect(files.filter((file) => CHANGES.test(readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
	});
});
