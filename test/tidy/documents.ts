// Documents
//
// What is asked of READMEs beside their generated blocks: the parts of the first one, each no longer than a screen, the laws
// that its guarantees name, and links that lead somewhere, in the repository and in the package, which holds less.
//
// Owns:      the parts, what a screen is, what holds a guarantee, and how a document's links are read.
// Does not:  read files (documents.test.ts).

import { posix } from "node:path";

/** The headings of the top README behind its name, in order. */
export const PARTS: readonly string[] = [
	"Run this",
	"The picture",
	"Guarantees",
	"When not to use it",
	"Options",
	"Errors",
	"Numbers",
	"Reading the code",
	"Changing it",
];

export const SCREEN_LINES = 50;

/** What is wrong with the parts of a document that should have these. */
export function partProblems(markdown: string, parts: readonly string[] = PARTS): string[] {
	const [first = "", ...rest] = withoutCode(markdown).split(/^## /m);
	const found = rest.map((part) => part.slice(0, part.indexOf("\n")));
	const order = found.join(", ") === parts.join(", ") ? [] : [`its parts are ${found.join(", ")}`];
	const long = [first, ...rest].filter((part) => part.trimEnd().split("\n").length > SCREEN_LINES);
	return [...order, ...long.map((part) => `${part.slice(0, part.indexOf("\n"))} is longer than a screen`)];
}

/** Each guarantee's tests that no title of theirs says to hold its law. `read` gives the text of a file of the repository. */
export function lawProblems(markdown: string, read: (path: string) => string): string[] {
	const [, guarantees = ""] = /^## Guarantees$(.*?)^## /ms.exec(markdown) ?? [];
	const rows = [...guarantees.matchAll(/^\| (\d+) \|.*$/gm)].map(([row, law = ""]) => ({ law, row }));
	if (rows.length === 0) return ["it has no guarantees"];
	return rows.flatMap(({ law, row }) =>
		linksOf("README.md", row)
			.filter((path) => !new RegExp(`\\b(?:describe|it|test)\\b[^\\n]*\\(\\s*["'\`]Law ${law}\\b`).test(read(path)))
			.map((path) => `no title of ${path} begins with Law ${law}`),
	);
}

/** Where the links of a document lead, from the repository's root, without those to other sites and within the page. */
export function linksOf(path: string, markdown: string): string[] {
	const targets = [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
	return targets
		.filter((target) => !/^(?:[a-z]+:|#)/.test(target))
		.map((target) => posix.join(posix.dirname(path), target.replace(/#.*$/, "")).replace(/\/$/, ""));
}

/** Whether the package holds the path, by the files and folders that its manifest lists. */
export function isPacked(path: string, listed: readonly string[]): boolean {
	return listed.some((one) => path === one || path.startsWith(`${one}/`));
}

/** The text with the lines of its code blocks emptied, so that none is taken for a heading or a link. */
function withoutCode(markdown: string): string {
	return markdown.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/[^\n]/g, ""));
}
