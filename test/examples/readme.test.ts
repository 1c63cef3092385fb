// The code of the READMEs, compiled under the strict types of this project and run against the built package.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { examplesOf, fragmentsOf } from "./readme-examples.js";

const ROOT = join(import.meta.dirname, "..", "..");
const DOCUMENTS = ["README.md", "engine/run/README.md"];
const examples = DOCUMENTS.flatMap((document) => {
	const before = document === "README.md" ? "" : `${document.replaceAll(/\W/g, "-")}-`;
	const found = examplesOf(readFileSync(join(ROOT, document), "utf8"));
	return found.map((example) => ({ ...example, fileName: `${before}${example.fileName}` }));
});

/** What the words around the fragments have told of before them. */
const TAKEN_FOR_GRANTED = `
import { type Engine, type Ledger, listRuns, type Model, readStream, recover } from "wavetrain";
declare const engine: Engine;
declare const ledger: Ledger;
declare const model: Model;
declare const body: ReadableStream<Uint8Array>;
declare const url: string;
declare const runId: string;
declare function bodyOf(...parts: unknown[]): string;
`;
const fragments = [...DOCUMENTS, "engine/ledger/README.md"]
	.flatMap((document) => fragmentsOf(readFileSync(join(ROOT, document), "utf8"), TAKEN_FOR_GRANTED))
	.map((code, at) => ({ fileName: `fragment-${at}.ts`, code }));
/** TypeScript's numbers for locals that are not used. */
const UNUSED = [6133, 6192, 6198];
/** It is the compiler's time, on a machine that may be busy with other tests, and says nothing of what is tested. */
const COMPILING_MS = 120_000;

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

for (const { fileName, code } of fragments) writeFileSync(join(folder, fileName), code);

afterAll(() => rmSync(folder, { recursive: true }));

describe("a README", () => {
	it("holds code that compiles, fragments too", { timeout: COMPILING_MS }, () => {
		expect(fragments.length).toBeGreaterThan(4);
		const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
		const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
		const paths = { wavetrain: [join(ROOT, "engine/index.ts")] };
		const files = [...examples, ...fragments].map(({ fileName }) => join(folder, fileName));
		const program = ts.createProgram(files, { ...options, paths });
		const found = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)));
		// A fragment shows what there is to take; it need not use it all.
		const wrong = found.filter(({ code, file }) => !UNUSED.includes(code) || !file?.fileName.includes("fragment-"));
		expect(wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
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
	const block = (info: string, text: string): string => `\n\`\`\`${info}\n${text}\n\`\`\`\n`;

	it("are run when what they print follows, written under a file's name, left alone as a fragment", () => {
		const run = `${block("ts", "run();")}\nThis prints:\n${block("text", "1\n2")}`;
		const markdown = [block("ts tools.ts", "export {};"), run, block("ts fragment", "…"), block("sh", "npm ci")];
		expect(examplesOf(markdown.join("\nText.\n"))).toEqual([
			{ fileName: "tools.ts", code: "export {};\n" },
			{ fileName: "example-1.ts", code: "run();\n", prints: "1\n2\n" },
		]);
	});

	it.each([
		["a command follows", block("sh", "npm ci")],
		["a picture follows", `Text.\n${block("text", "1")}`],
		["nothing follows", ""],
	])("are refused when nothing says what they are for and %s", (_, after) => {
		expect(() => examplesOf(block("ts", "run();") + after)).toThrow(/is not run, and is not marked/);
	});
});
