// The numbered examples, each run without its types: it prints what its last comment says it prints.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";

const names = readdirSync(import.meta.dirname).filter((name) => /^\d\d-[a-z-]+\.ts$/.test(name));

/** The lines under `// Prints:` at the end of an example. */
function printedBy(text: string): string {
	const [, comment = ""] = /\n\/\/ Prints:\n((?:\/\/ {3}.*\n)+)$/.exec(text) ?? [];
	return comment.replaceAll(/^\/\/ {3}/gm, "");
}

// Inside the package, so that its own name resolves to the built files. The types are checked with all others; reading them
// away anew in each process takes longer than the examples do.
const cache = join(import.meta.dirname, "..", "..", ".cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "examples-"));
const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };

afterAll(() => rmSync(folder, { recursive: true }));

describe("the numbered examples", () => {
	it.each(names)("%s prints what it says", (name) => {
		const text = readFileSync(join(import.meta.dirname, name), "utf8");
		const expected = printedBy(text);
		expect(expected).not.toBe("");
		const path = join(folder, name.replace(/ts$/, "js"));
		writeFileSync(path, ts.transpileModule(text, { compilerOptions }).outputText);
		const printed = execFileSync(process.execPath, [path], { encoding: "utf8", timeout: 60_000 });
		expect(printed).toBe(expected);
	});

	it("are of numbers of their own", () => {
		expect(new Set(names.map((name) => name.slice(0, 2))).size).toBe(names.length);
	});
});
