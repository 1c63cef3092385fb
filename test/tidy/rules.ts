// Rules
//
// The habits of this code that no other tool knows. A rule takes all the files and returns its findings, one line each;
// exceptions.ts holds what is let through, each with its reason.
//
// Owns:      the rules.
// Does not:  find files (sources.ts); compare documents with code (generated.ts).

import { CLOCK_USERS } from "./exceptions.js";
import { AREAS, areaOf, OWNED_EXPORTS } from "./import-law.js";
import type { Source } from "./sources.js";
import { OTHER_MEANINGS, WORDS } from "./vocabulary.js";

type Rule = (sources: readonly Source[]) => string[];

/** A title, an empty line, and at least a sentence: why the file is there. For a test file the sentence is enough. */
export const opensWithBlock: Rule = (sources) =>
	sources
		.filter((source) => !opensWell(source))
		.map(({ path }) => `${path} does not open with a // block that says why`);

function opensWell({ path, opening: [title = "", empty = "", why = ""] }: Source): boolean {
	if (path.endsWith(".test.ts")) return /^\/\/ \S/.test(title);
	return /^\/\/ \S/.test(title) && empty === "//" && /^\/\/ \S/.test(why);
}

/** The numbered invariants of a file: `//   R1. What holds.` in its opening. */
export function invariantsOf(source: Source): string[] {
	return source.opening.flatMap((line) => /^\/\/ {3}([A-Z]{1,2}\d+)\. /.exec(line)?.[1] ?? []);
}

export const invariantsAreUnique: Rule = (sources) => {
	const owners = new Map<string, string>();
	return product(sources).flatMap((source) =>
		invariantsOf(source).flatMap((name) => {
			const owner = owners.get(name) ?? source.path;
			owners.set(name, owner);
			return owner === source.path ? [] : [`${name} of ${source.path} is also the name of an invariant of ${owner}`];
		}),
	);
};

/** `invariant(…, "R1", …)`, or a comment `R1: …` beside the code that keeps it; in any file for a port's promise. */
export const invariantsAreAsserted: Rule = (sources) => {
	const bodies = product(sources).map(({ body }) => body);
	return unnamed(sources, (name) => {
		const named = new RegExp(`"${name}"|(?://|\\*) (?:.*\\b)?${name}\\b[^.]*:`);
		return bodies.some((body) => named.test(body));
	}).map((finding) => `${finding} is named by no invariant() and no comment in code`);
};

export const invariantsAreTested: Rule = (sources) => {
	const holdsTests = ({ path }: Source): boolean => path.startsWith("test/") || path.startsWith("engine/testing/");
	const titles = sources.flatMap((source) => (holdsTests(source) ? source.titles : []));
	return unnamed(sources, (name) => {
		const named = new RegExp(`\\b${name}\\b`);
		return titles.some((title) => named.test(title));
	}).map((finding) => `${finding} is named by no test title`);
};

export const oneWordAConcept: Rule = (sources) =>
	product(sources).flatMap(({ path, exported }) =>
		[fileNameOf(path), ...exported]
			.filter((name) => !Object.hasOwn(OTHER_MEANINGS, name))
			.flatMap((name) => displaced(name).map((words) => `${path}: ${name} says ${words}`)),
	);

const CLOCKS =
	/^(?:new Date\(\)|Date\.now|Math\.random|performance\.now|performance|process\.hrtime|set(?:Timeout|Interval|Immediate)|randomUUID|randomBytes)$/;

export function timeEntersByTheClock(sources: readonly Source[], exceptions = CLOCK_USERS): string[] {
	return sources
		.filter(({ path }) => !path.startsWith("bench/") && !exceptions.some((one) => path.startsWith(one.path)))
		.flatMap(({ path, uses }) =>
			[...uses].filter((name) => CLOCKS.test(name)).map((name) => `${path} uses ${name}; see engine/core/clock.ts`),
		);
}

// Written so that this file does not find itself.
const LEFT_OVER = new RegExp(
	[
		"TO" + "DO",
		"FIX" + "ME",
		"XX" + "X",
		"HA" + "CK",
		"[Ff]or n" + "ow",
		"[Ii]ssue #?(?:\\d|[A-F]\\b)",
		"DESIGN(?:\\.md|\\s\\d)",
		"STYLE\\.md",
		"CASES\\.md",
	]
		.map((word) => `\\b${word}`)
		.join("|"),
);
const LEFT_RUNNING = /\b(?:it|test|describe)\.(?:only|todo)\b|\bdebugger;/;

export const nothingLeftOver: Rule = (sources) =>
	sources.flatMap(({ path, text }) =>
		text.split("\n").flatMap((line, at) => {
			const found = LEFT_OVER.exec(line) ?? LEFT_RUNNING.exec(line);
			return found === null ? [] : [`${path}:${at + 1} holds ${JSON.stringify(found[0])}`];
		}),
	);

export const everyFileHasAnArea: Rule = (sources) =>
	product(sources)
		.filter(({ path }) => areaOf(path) === undefined)
		.map(({ path }) => `${path} is in no area of the import law (${AREAS.map(({ name }) => name).join(", ")})`);

export const ownedExportsStayHome: Rule = (sources) =>
	OWNED_EXPORTS.flatMap(({ name, of, only }) =>
		product(sources)
			.filter(({ path, uses }) => uses.has(name) && path !== of && !path.startsWith(only))
			.map(({ path }) => `${path} uses ${name}, which is for ${only} alone`),
	);

export function fileNameOf(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");
}

function product(sources: readonly Source[]): readonly Source[] {
	return sources.filter(({ path }) => /^(?:engine|workers)\//.test(path));
}

function unnamed(sources: readonly Source[], named: (name: string) => boolean): string[] {
	return product(sources).flatMap((source) =>
		invariantsOf(source)
			.filter((name) => !named(name))
			.map((name) => `${name} of ${source.path}`),
	);
}

function displaced(name: string): string[] {
	const words = name
		.replace(/([a-z\d])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z\d]+/);
	return Object.entries(WORDS).flatMap(([word, synonyms]) =>
		synonyms
			.filter((synonym) => words.includes(synonym) || words.includes(`${synonym}s`))
			.map((synonym) => `${JSON.stringify(synonym)}; the word is ${JSON.stringify(word)}`),
	);
}
