// The READMEs as they are read, in the repository and in the package.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isPacked, lawProblems, linksOf, partProblems, SCREEN_LINES } from "./documents.js";
import { ROOT } from "./sources.js";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const documents = [
	"README.md",
	...["engine", "workers", "bench", "test"].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
			.filter((name) => name.endsWith("README.md") && !name.includes("node_modules"))
			.map((name) => `${folder}/${name}`),
	),
];
const { files } = JSON.parse(read("package.json")) as { readonly files: readonly string[] };

describe("the top README", () => {
	it("has its parts in order, each no longer than a screen", () => {
		expect(partProblems(read("README.md"))).toEqual([]);
	});

	it("gives for each guarantee tests whose titles name its law", () => {
		expect(lawProblems(read("README.md"), read)).toEqual([]);
	});
});

describe("a link of a README", () => {
	it("leads to a file or a folder that is there", () => {
		expect(documents.length).toBeGreaterThan(8);
		const links = documents.flatMap((path) => linksOf(path, read(path)).map((target) => ({ path, target })));
		expect(links.length).toBeGreaterThan(100);
		expect(links.filter(({ target }) => !existsSync(join(ROOT, target)))).toEqual([]);
	});

	it("leads to what the package holds, where the package holds the README", () => {
		const packed = documents.filter((path) => isPacked(path, files));
		const links = packed.flatMap((path) => linksOf(path, read(path)).map((target) => ({ path, target })));
		expect(links.filter(({ target }) => !isPacked(target, files))).toEqual([]);
	});
});

describe("what is asked of a README", () => {
	const long = Array.from({ length: SCREEN_LINES }, () => "text").join("\n");

	it.each([
		["a part is missing", "# a\n\n## One\n", ["its parts are One"]],
		["parts are in another order", "# a\n\n## Two\n\n## One\n", ["its parts are Two, One"]],
		["a part is too long", `# a\n\n## One\n${long}\n\n## Two\n`, ["One is longer than a screen"]],
		["the beginning is too long", `# a\n${long}\n\n## One\n\n## Two\n`, ["# a is longer than a screen"]],
		["all is well, and code holds a heading", "# a\n\n## One\n```text\n## Three\n```\n## Two\n", []],
	])("is found wanting where %s", (_, markdown, problems) => {
		expect(partProblems(markdown, ["One", "Two"])).toEqual(problems);
	});

	it("is a title that names the law for each test of a guarantee", () => {
		const row = (law: number): string => `| ${law} | a promise | [a](a.ts), [b](b.ts) |\n`;
		const markdown = `## Guarantees\n${row(1)}${row(2)}\n## Next\n`;
		const texts: Readonly<Record<string, string>> = {
			"a.ts": 'describe("Law 1: one", () => {\n\tit(\n\t\t"Law 2, T3: two",',
			"b.ts": '// Law 1: in words alone\nit("Law 12: twelve", () =>',
		};
		const wanting = ["no title of b.ts begins with Law 1", "no title of b.ts begins with Law 2"];
		expect(lawProblems(markdown, (path) => texts[path] ?? "")).toEqual(wanting);
		expect(lawProblems("# a\n", () => "")).toEqual(["it has no guarantees"]);
	});

	it("is read off links as they are written beside the document, and off nothing in code", () => {
		const markdown = "[a](b/c.ts) [d](../e#f) [g](#h) [i](https://j) [k](l/)\n```ts\n[m](n)\n```\n";
		expect(linksOf("x/y/README.md", markdown)).toEqual(["x/y/b/c.ts", "x/e", "x/y/l"]);
		expect([isPacked("x/y", ["x"]), isPacked("xy", ["x"]), isPacked("x", ["x"])]).toEqual([true, false, true]);
	});
});
