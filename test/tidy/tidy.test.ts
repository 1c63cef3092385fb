// The habits of this code, put to the whole tree. What a rule means is in rules.ts; that each can fail, in
// rules.test.ts.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SABOTAGES } from "../support/sabotages.js";
import { CLOCK_USERS, LINT_OVERRIDES } from "./exceptions.js";
import { BLOCKS, withBlock } from "./generated.js";
import { readLayers } from "./layers.js";
import * as rules from "./rules.js";
import { ROOT, readSources } from "./sources.js";
import { OTHER_MEANINGS } from "./vocabulary.js";

const sources = readSources();
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("every file", () => {
	it("opens with a // block that says why it is there", () => {
		expect(rules.opensWithBlock(sources)).toEqual([]);
	});

	it("is named, and names what it exports, in the words of this project", () => {
		expect(rules.oneWordAConcept(sources)).toEqual([]);
	});

	it("reads time and chance through the clock", () => {
		expect(rules.timeEntersByTheClock(sources)).toEqual([]);
	});

	it("holds nothing left over", () => {
		expect(rules.nothingLeftOver(sources)).toEqual([]);
	});

	it("is in an area of the import law", () => {
		expect(rules.everyFileHasAnArea(sources)).toEqual([]);
	});
});

describe("every numbered invariant", () => {
	it("has a name of its own", () => {
		expect(rules.invariantsAreUnique(sources)).toEqual([]);
	});

	it("is asserted in code", () => {
		expect(rules.invariantsAreAsserted(sources)).toEqual([]);
	});

	it("is the title of a test", () => {
		expect(rules.invariantsAreTested(sources)).toEqual([]);
	});
});

describe("the import law", () => {
	it("holds for every import, types included, of a tree that was really read", async () => {
		const { moduleCount, violations } = await readLayers(ROOT);
		expect(violations).toEqual([]);
		expect(moduleCount).toBe(sources.filter(({ path }) => /^(?:engine|workers)\//.test(path)).length);
	});

	it("lets nobody but the owner import what only the owner may use", () => {
		expect(rules.ownedExportsStayHome(sources)).toEqual([]);
	});
});

describe("the documents", () => {
	it.each(BLOCKS)("$document holds the block $name as the code makes it", ({ document, name, make }) => {
		expect(read(document)).toBe(withBlock(read(document), name, make()));
	});

	it("stand at a top level that holds only what was agreed", () => {
		const agreed = ["engine", "workers", "bench", "test", "package.json", "tsconfig.json", "README.md"];
		const forcedByTools = ["package-lock.json", "biome.json", ".gitignore", ".npmrc", "LICENSE", "CHANGELOG.md", ".ci"];
		const ignored = [".git", ...read(".gitignore").split("\n")].map((line) => line.replace("/", ""));
		const found = readdirSync(ROOT).filter((name) => !ignored.includes(name) && !name.endsWith(".tgz"));
		expect(found.filter((name) => ![...agreed, ...forcedByTools].includes(name))).toEqual([]);
	});
});

describe("every sabotage", () => {
	it("still finds its line in the code, once, so that it can be applied", () => {
		const stale = SABOTAGES.filter(({ file, find }) => read(file).split(find).length !== 2);
		expect(stale.map(({ law, file }) => `${law} (${file})`)).toEqual([]);
	});
});

describe("every exception", () => {
	it("gives its reason", () => {
		const reasons = [...CLOCK_USERS, ...LINT_OVERRIDES].map(({ reason }) => reason);
		expect([...reasons, ...Object.values(OTHER_MEANINGS)].filter((reason) => reason.length < 20)).toEqual([]);
	});

	it("of the clock rule is needed", () => {
		const unneeded = CLOCK_USERS.filter((one) => {
			const own = sources.filter(({ path }) => path.startsWith(one.path));
			return rules.timeEntersByTheClock(own, []).length === 0;
		});
		expect(unneeded).toEqual([]);
	});

	it("of the vocabulary names something that exists", () => {
		const names = new Set(sources.flatMap(({ path, exported }) => [rules.fileNameOf(path), ...exported]));
		expect(Object.keys(OTHER_MEANINGS).filter((name) => !names.has(name))).toEqual([]);
	});

	it("of the linter is the override that biome.json holds, no more and no less", () => {
		type Override = { includes: string[]; linter: { rules: Record<string, Record<string, string>> } };
		const { overrides } = JSON.parse(read("biome.json")) as { overrides: Override[] };
		const held = overrides.flatMap(({ includes, linter }) =>
			Object.values(linter.rules).flatMap((group) =>
				Object.entries(group).flatMap(([rule, level]) => includes.map((path) => ({ rule, path, level }))),
			),
		);
		expect(held).toEqual(LINT_OVERRIDES.map(({ rule, path }) => ({ rule, path, level: "off" })));
	});

	it("of the linter names a place that exists", () => {
		const plain = LINT_OVERRIDES.filter(({ path }) => !path.includes("*"));
		expect(plain.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
	});
});
