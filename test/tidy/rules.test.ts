// Each rule of rules.ts is shown a file that breaks it, and one that does not.

import { describe, expect, it } from "vitest";
import * as rules from "./rules.js";
import { readSource, type Source } from "./sources.js";

const OPENING = "// Title\n//\n// Why it is here.\n//\n// Invariants:\n//   Z1. It holds.\n";

function tree(files: Readonly<Record<string, string>>): Source[] {
	return Object.entries(files).map(([path, text]) => readSource(path, text));
}

describe("opensWithBlock", () => {
	it.each([
		["code before any comment", "export const a = 1;\n"],
		["a title alone", "// Title\nexport const a = 1;\n"],
		["another kind of comment", "/** Title */\nexport const a = 1;\n"],
	])("finds %s", (_, text) => {
		expect(rules.opensWithBlock(tree({ "engine/core/a.ts": text }))).toHaveLength(1);
	});

	it("takes a title, an empty line and a sentence, also below a #! line", () => {
		const good = { "engine/core/a.ts": OPENING, "engine/cli/main.ts": `#!/usr/bin/env node\n${OPENING}` };
		expect(rules.opensWithBlock(tree(good))).toEqual([]);
	});
});

describe("the rules of invariants", () => {
	const asserted = `${OPENING}\ninvariant(true, "Z1", "");\n`;

	it("find an invariant that no code names", () => {
		const found = rules.invariantsAreAsserted(tree({ "engine/core/a.ts": `${OPENING}\nconst z = 1;\n` }));
		expect(found).toEqual(["Z1 of engine/core/a.ts is named by no invariant() and no comment in code"]);
	});

	it.each([
		["an assertion", asserted],
		["a comment beside the code", `${OPENING}\n// Z1: the map has one entry a name.\n`],
		["a comment that names two", `${OPENING}\n\t// Z1, Z2: the map has one entry a name.\n`],
	])("take %s", (_, text) => {
		expect(rules.invariantsAreAsserted(tree({ "engine/core/a.ts": text }))).toEqual([]);
	});

	it("find an invariant that no test title names, whatever else the test says of it", () => {
		const mentioned = { "engine/core/a.ts": asserted, "test/core/a.test.ts": '// Z1\nit("holds", () => "Z1");\n' };
		expect(rules.invariantsAreTested(tree(mentioned))).toEqual(["Z1 of engine/core/a.ts is named by no test title"]);
	});

	it.each([
		'it("Z1: holds", () => {});',
		'describe("holds (Z1)", () => {});',
		'it.each(["a", \'b\'])("Z1 of %s", () => {});',
	])("take the title of %s", (title) => {
		expect(rules.invariantsAreTested(tree({ "engine/core/a.ts": asserted, "test/core/a.test.ts": title }))).toEqual([]);
	});

	it("find two files that give one name to two invariants", () => {
		const found = rules.invariantsAreUnique(tree({ "engine/core/a.ts": OPENING, "engine/core/b.ts": OPENING }));
		expect(found).toEqual(["Z1 of engine/core/b.ts is also the name of an invariant of engine/core/a.ts"]);
	});
});

describe("oneWordAConcept", () => {
	it("finds a displaced word in a file's name and in an exported name, in the plural too", () => {
		const found = rules.oneWordAConcept(
			tree({ "engine/wave/batch.ts": "export function runTasks() {}\nexport const TASK_MAX = 1, ok = 2;\n" }),
		);
		expect(found).toEqual([
			'engine/wave/batch.ts: batch says "batch"; the word is "wave"',
			'engine/wave/batch.ts: runTasks says "task"; the word is "call"',
			'engine/wave/batch.ts: TASK_MAX says "task"; the word is "call"',
		]);
	});

	it("leaves alone what is not exported, and words that only contain one", () => {
		const text = "const task = 1;\nexport const catalog = task;\nexport { catalog as multitasking };\n";
		expect(rules.oneWordAConcept(tree({ "engine/wave/wave.ts": text }))).toEqual([]);
	});
});

describe("timeEntersByTheClock", () => {
	it.each(["Date.now()", "new Date()", "Math.random()", "performance.now()", "setTimeout(f, 1)", "randomUUID()"])(
		"finds %s",
		(code) => {
			expect(rules.timeEntersByTheClock(tree({ "engine/wave/wave.ts": `const x = ${code};\n` }))).not.toEqual([]);
		},
	);

	it("leaves alone a comment, a string and a method of the same name", () => {
		const text = '// setTimeout\nconst x = "Date.now()";\nclock.setTimer(x, Math.max(1, 2));\n';
		expect(rules.timeEntersByTheClock(tree({ "engine/wave/wave.ts": text }))).toEqual([]);
	});
});

describe("nothingLeftOver", () => {
	it.each([`// TO${"DO"}: more`, `// good for n${"ow"}`, `it.on${"ly"}("x", f)`, `// see DESI${"GN"}.md`])(
		"finds %s",
		(line) => {
			expect(rules.nothingLeftOver(tree({ "test/core/a.test.ts": `${OPENING}${line}\n` }))).toHaveLength(1);
		},
	);
});

describe("the rules of the import law", () => {
	it("find a file that is in no area", () => {
		expect(rules.everyFileHasAnArea(tree({ "engine/extra/a.ts": "" }))).toHaveLength(1);
		expect(rules.everyFileHasAnArea(tree({ "engine/core/a.ts": "", "engine/index.ts": "" }))).toEqual([]);
	});

	it("find mintTicket outside admission", () => {
		const files = { "engine/wave/wave.ts": "mintTicket(t);\n", "engine/admission/admit.ts": "mintTicket(t);\n" };
		expect(rules.ownedExportsStayHome(tree(files))).toEqual([
			"engine/wave/wave.ts uses mintTicket, which is for engine/admission/ alone",
		]);
	});
});
