// Option rows
//
// The table of options, read from the comments beside them: a row a member, its default from the sentence that begins
// with "Default", its meaning the rest. A member whose type is another interface gives that one's rows instead, as
// `timeouts.toolMs`.
//
// Owns:      reading the comments.
// Does not:  lay out a table (generated.ts).

import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";
import { ROOT } from "./sources.js";

/** Gives the text of a file by its path from the repository's root. */
type Read = (path: string) => string;

interface Found {
	readonly path: string;
	readonly declaration: ts.InterfaceDeclaration;
}

const readFromRoot: Read = (path) => readFileSync(join(ROOT, path), "utf8");

/** Rows of option, default and meaning for an interface, those it extends included. */
export function optionRows(path: string, name: string, read: Read = readFromRoot): string[][] {
	const found = findInterface(path, name, read);
	if (found === undefined) throw new Error(`${path} has no interface ${name}`);
	return rowsOf(found, "", read);
}

function rowsOf(found: Found, prefix: string, read: Read): string[][] {
	const own = found.declaration.members.filter(ts.isPropertySignature).flatMap((member) => {
		const option = `${prefix}${member.name.getText()}`;
		const type = member.type?.getText().replace(/^Partial<(\w+)>$/, "$1") ?? "";
		const inner = /^\w*Options$|^Timeouts$/.test(type) ? findInterface(found.path, type, read) : undefined;
		if (inner !== undefined) return rowsOf(inner, `${option}.`, read);
		return [[`\`${option}\``, ...defaultAndMeaning(member)]];
	});
	const parents = (found.declaration.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.getText()));
	const inherited = parents.map((parent) => findInterface(found.path, parent, read)).filter((one) => one !== undefined);
	return [...own, ...inherited.flatMap((one) => rowsOf(one, prefix, read))];
}

/** The interface in the file, or in the file it is imported from. */
function findInterface(path: string, name: string, read: Read): Found | undefined {
	const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
	const declaration = file.statements.filter(ts.isInterfaceDeclaration).find((one) => one.name.text === name);
	if (declaration !== undefined) return { path, declaration };
	const from = file.statements.filter(ts.isImportDeclaration).find(({ importClause }) => {
		const bindings = importClause?.namedBindings;
		return (
			bindings !== undefined && ts.isNamedImports(bindings) && bindings.elements.some((one) => one.name.text === name)
		);
	});
	const specifier = (from?.moduleSpecifier as ts.StringLiteral | undefined)?.text ?? "";
	if (!specifier.startsWith(".")) return undefined;
	return findInterface(posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts"), name, read);
}

function defaultAndMeaning(member: ts.Node): [string, string] {
	const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
	const text = (ts.getTextOfJSDocComment(comment?.comment) ?? "").replaceAll(/\{@link (\w+)\}/g, "`$1`");
	const sentences = text
		.replaceAll(/\s+/g, " ")
		.trim()
		.split(/(?<=\.) (?=[A-Z`])/);
	const [said] = sentences.filter((sentence) => sentence.startsWith("Default"));
	const meaning = sentences.filter((sentence) => sentence !== said).join(" ");
	return [said?.replace(/^Default:? /, "").replace(/\.$/, "") ?? "", meaning];
}
