// The code of the READMEs, compiled under the strict types of this project and run against the built package.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { examplesOf } from "./readme-examples.js";

const ROOT = join(import.meta.dirname, "..", "..");
const examples = examplesOf(readFileSync(join(ROOT, "README.md"), "utf8"));

// Inside the package, so that its own name resolves to the built files.
mkdirSync(join(ROOT, ".cache"), { recursive: true });
const folder = mkdtempSync(join(ROOT, ".cache", "readme-"));
for (const { fileName, code } of examples) {
	writeFileSync(join(folder, fileName), code);
	const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
	writeFileSync(
		join(folder, fileName.replace(/\.ts$/, ".js")),
		ts.transpileModule(code, { compilerOptions: options }).outputText,
	);
}

afterAll(() => rmSync(folder, { recursive: true }));

describe("README.md", () => {
	it("holds code that compiles", () => {
		const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
		const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
		const paths = { wavetrain: [join(ROOT, "engine/index.ts")] };
		const files = examples.map(({ fileName }) => join(folder, fileName));
		const program = ts.createProgram(files, { ...options, paths });
		const found = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)));
		expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
	});

	it.each(examples.filter(({ prints }) => prints !== undefined))(
		"prints what it says it prints: $fileName",
		({ fileName, prints }) => {
			const path = join(folder, fileName.replace(/\.ts$/, ".js"));
			expect(execFileSync(process.execPath, [path], { encoding: "utf8", cwd: ROOT, timeout: 60_000 })).toBe(prints);
		},
	);
});

describe("the blocks of a README", () => {
	const block = (info: string, text: string): string => `Text.\n\n\`\`\`${info}\n${text}\n\`\`\`\n`;

	it("are run when what they print follows, written when they have a file's name, left alone when they are a fragment", () => {
		const markdown =
			block("ts tools.ts", "export {};") +
			block("ts", "run();") +
			block("text prints", "1\n2") +
			block("ts fragment", "…") +
			block("sh", "npm ci");
		expect(examplesOf(markdown)).toEqual([
			{ fileName: "tools.ts", code: "export {};\n" },
			{ fileName: "example-1.ts", code: "run();\n", prints: "1\n2\n" },
		]);
	});

	it("are refused when nothing says what they are for", () => {
		expect(() => examplesOf(block("ts", "run();") + block("sh", "npm ci"))).toThrow(/is not run, and is not marked/);
	});
});
