// Sources
//
// The files of the repository as the tidy rules see them: the text, the opening, and what the TypeScript parser finds
// in it. Rules ask for names rather than search text, so that a comment or a string breaks none of them.
//
// Owns:      finding and reading the files.
// Does not:  judge them (rules.ts).

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface Source {
	/** From the repository's root, with slashes. */
	readonly path: string;
	readonly text: string;
	/** The lines of the `//` block the file begins with, a `#!` line left out; empty when it begins otherwise. */
	readonly opening: readonly string[];
	/** The text after the opening. */
	readonly body: string;
	/** Identifiers of the code, its `a.b` accesses, and `new A()` where it is given nothing. */
	readonly uses: ReadonlySet<string>;
	readonly exported: readonly string[];
	/** The titles of its tests and of what groups them. */
	readonly titles: readonly string[];
}

export const ROOT = join(import.meta.dirname, "..", "..");

const FOLDERS = ["engine", "workers", "bench", "test"];

export function readSources(root: string = ROOT): Source[] {
	return FOLDERS.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
	)
		.filter((path) => /\.m?[jt]s$/.test(path) && !path.includes("node_modules/"))
		.sort()
		.map((path) => readSource(path, readFileSync(join(root, path), "utf8")));
}

export function readSource(path: string, text: string): Source {
	const lines = text.split("\n");
	const first = lines[0]?.startsWith("#!") ? 1 : 0;
	const after = lines.findIndex((line, at) => at >= first && !line.startsWith("//"));
	const end = after === -1 ? lines.length : after;
	const uses = new Set<string>();
	const titles: string[] = [];
	const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	const visit = (node: ts.Node): void => {
		if (ts.isIdentifier(node)) uses.add(node.text);
		if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
			uses.add(`${node.expression.text}.${node.name.text}`);
		}
		if (ts.isNewExpression(node) && node.arguments?.length === 0) uses.add(`new ${node.expression.getText()}()`);
		if (ts.isCallExpression(node)) titles.push(...titleOf(node));
		ts.forEachChild(node, visit);
	};
	visit(file);
	const exported = file.statements.flatMap(exportedNames);
	return { path, text, opening: lines.slice(first, end), body: lines.slice(end).join("\n"), uses, exported, titles };
}

/** The title in `it("…", …)`, `describe.each(…)("…", …)` and the like; in a suite for hosts, in `promised("…", …)`. */
function titleOf(call: ts.CallExpression): string[] {
	let callee: ts.Expression = call.expression;
	while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) callee = callee.expression;
	const [title] = call.arguments;
	const named = ts.isIdentifier(callee) && ["it", "test", "describe", "promised"].includes(callee.text);
	return named && title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))
		? [title.getText()]
		: [];
}

function exportedNames(statement: ts.Statement): string[] {
	if (ts.isExportDeclaration(statement)) {
		const clause = statement.exportClause;
		return clause !== undefined && ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [];
	}
	const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
	if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
	if (ts.isVariableStatement(statement)) {
		return statement.declarationList.declarations.map(({ name }) => name.getText());
	}
	const { name } = statement as { name?: ts.Identifier };
	return name === undefined ? [] : [name.text];
}
