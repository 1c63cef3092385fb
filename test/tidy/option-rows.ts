// Option rows
//
// The table of options, read from the comments in engine/options.ts: a row a member, its default from `@defaultValue`,
// its meaning the text above the tags. A member whose type is another interface of that file gives that one's rows
// instead, as `timeouts.toolMs`.
//
// Owns:      reading the comments.
// Does not:  lay out a table (generated.ts).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./sources.js";

const FILE = "engine/options.ts";

/** Rows of option, default, meaning for the interface that the file's documentation calls the engine's options. */
export function optionRows(text = readFileSync(join(ROOT, FILE), "utf8"), root = "EngineOptions"): string[][] {
	const file = ts.createSourceFile(FILE, text, ts.ScriptTarget.Latest, true);
	const interfaces = new Map(file.statements.filter(ts.isInterfaceDeclaration).map((one) => [one.name.text, one]));
	const rowsOf = (name: string, prefix: string): string[][] =>
		(interfaces.get(name)?.members ?? []).flatMap((member) => {
			const option = `${prefix}${member.name?.getText() ?? ""}`;
			const type = ts.isPropertySignature(member) ? (member.type?.getText() ?? "") : "";
			if (interfaces.has(type)) return rowsOf(type, `${option}.`);
			return [[`\`${option}\``, defaultOf(member), meaningOf(member)]];
		});
	return rowsOf(root, "");
}

function meaningOf(member: ts.Node): string {
	const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
	return oneLine(ts.getTextOfJSDocComment(comment?.comment));
}

function defaultOf(member: ts.Node): string {
	const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === "defaultValue");
	return tag === undefined ? "" : oneLine(ts.getTextOfJSDocComment(tag.comment));
}

function oneLine(text: string | undefined): string {
	return (text ?? "")
		.replaceAll(/\{@link (\w+)\}/g, "`$1`")
		.replaceAll(/\s+/g, " ")
		.trim();
}
