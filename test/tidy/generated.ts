// Generated blocks
//
// Parts of the READMEs that are made from code: the tables of errors and options, the picture of the import law. Each
// stands between `<!-- name -->` and `<!-- /name -->`. `npm run fix` writes them, the tidy test compares them.
//
// Owns:      what each block holds, and finding its place in a document.
// Does not:  read or write documents (tidy.test.ts, write-generated.ts).

import { CALL_ERRORS } from "../../engine/core/call-codes.js";
import { ENGINE_ERRORS } from "../../engine/core/engine-codes.js";
import { AREAS } from "./import-law.js";
import { optionRows } from "./option-rows.js";

export interface Block {
	readonly name: string;
	/** The document the block stands in, from the repository's root. */
	readonly document: string;
	readonly make: () => string;
}

export const BLOCKS: readonly Block[] = [
	{ name: "options", document: "README.md", make: optionTable },
	{ name: "call-errors", document: "README.md", make: () => errorTable(CALL_ERRORS) },
	{ name: "engine-errors", document: "engine/README.md", make: () => errorTable(ENGINE_ERRORS) },
	{ name: "import-law", document: "engine/README.md", make: importGraph },
];

/** The document with the block's text replaced; `undefined` when the block has no place in it. */
export function withBlock(document: string, name: string, text: string): string | undefined {
	const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
	const start = document.indexOf(open);
	const end = document.indexOf(close);
	if (start === -1 || end < start) return undefined;
	return `${document.slice(0, start)}${open}\n\n${text}\n\n${document.slice(end)}`;
}

function optionTable(): string {
	return table(["option", "default", "meaning"], optionRows("engine/options.ts", "EngineOptions"));
}

type ErrorRows = Readonly<
	Record<string, { readonly meaning: string; readonly retry: string; readonly recovery: string }>
>;

function errorTable(errors: ErrorRows): string {
	const rows = Object.entries(errors).map(([code, row]) => [`\`${code}\``, row.meaning, row.retry, row.recovery]);
	return table(["code", "meaning", "again?", "what to do"], rows);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]): string =>
		`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** What each area imports. Every area may import core, and two import nearly all: those arrows would hide the others. */
function importGraph(): string {
	const arrows = AREAS.flatMap(({ name, imports }) => {
		const others = imports.filter((one) => one !== "core");
		const drawn = others.length > 10 ? ["every area above"] : others;
		return drawn.map((one) => `  ${node(name)} --> ${node(one)}`);
	});
	return ["```mermaid", "flowchart TD", ...arrows, "```"].join("\n");
}

function node(name: string): string {
	const label = name.replace(/^engine\//, "").replace(/\.ts$/, "");
	const id = label.replaceAll(/\W/g, "_");
	return id === label ? id : `${id}["${label}"]`;
}
