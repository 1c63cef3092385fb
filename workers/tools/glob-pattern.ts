// Glob pattern
//
// Which paths a pattern fits. A regular expression would be shorter, and `*a*a*a*b` as one takes for ever on a long
// name; so names are compared star by star, and the folders of a path by the set of places in the pattern that they may
// have reached. Both cost no more than the pattern's length times the path's.
//
//   *      any part of one name, a leading dot included        ?      one character of a name
//   **     any number of folders, none included                [a-z]  one of these; [!a-z] or [^a-z] none of these
//   {a,b}  one or the other, also across folders               \*     the character itself
//
// Owns:      reading and comparing.
// Does not:  visit folders (walk.ts).

import { GLOB_BRACES_MAX } from "../../engine/core/tool-limits.js";

/** What stands for one character of a name, or for any number of them. */
type Part = { readonly kind: "star" } | { readonly kind: "one"; fits(character: string): boolean };

/** One name of a pattern's path; `undefined` is `**`. */
type Segment = readonly Part[] | undefined;

const STAR: Part = { kind: "star" };
const ANY: Part = { kind: "one", fits: () => true };

export class GlobPattern {
	readonly #ways: readonly (readonly Segment[])[];

	/** @throws An Error that says what is wrong with the pattern. */
	constructor(pattern: string) {
		this.#ways = spread(pattern).map((way) => way.split("/").filter(isName).map(segmentOf));
	}

	/** Whether a path, its names divided by `/`, fits as a whole. */
	fits(path: string): boolean {
		return this.#ways.some((way) => reached(way, path.split("/")).has(way.length));
	}

	/** Whether a path below this folder may fit. */
	mayHold(folder: string): boolean {
		return this.#ways.some((way) => [...reached(way, folder.split("/"))].some((place) => place < way.length));
	}
}

/** The places of the pattern that the names may have led to; the pattern's length is its end. */
function reached(way: readonly Segment[], names: readonly string[]): ReadonlySet<number> {
	let places = passStars(way, [0]);
	for (const name of names) {
		const next: number[] = [];
		for (const place of places) {
			if (place === way.length) continue;
			const segment = way[place];
			if (segment === undefined) next.push(place);
			else if (nameFits(segment, [...name])) next.push(place + 1);
		}
		places = passStars(way, next);
	}
	return places;
}

// `**` also stands for no folder at all.
function passStars(way: readonly Segment[], places: readonly number[]): Set<number> {
	const all = new Set(places);
	for (const place of all) if (place < way.length && way[place] === undefined) all.add(place + 1);
	return all;
}

// When a part does not fit, only the last star takes one character more: an earlier one could gain nothing by it.
function nameFits(parts: readonly Part[], characters: readonly string[]): boolean {
	let part = 0;
	let at = 0;
	let star: { readonly part: number; readonly at: number } | undefined;
	while (at < characters.length) {
		const wanted = parts[part];
		if (wanted?.kind === "star") {
			star = { part, at };
			part += 1;
		} else if (wanted?.fits(characters[at] ?? "")) {
			part += 1;
			at += 1;
		} else if (star !== undefined) {
			star = { part: star.part, at: star.at + 1 };
			part = star.part + 1;
			at = star.at;
		} else return false;
	}
	return parts.slice(part).every(({ kind }) => kind === "star");
}

function isName(name: string): boolean {
	return name !== "" && name !== ".";
}

function segmentOf(name: string): Segment {
	if (name === "**") return undefined;
	const parts: Part[] = [];
	const characters = [...name];
	for (let at = 0; at < characters.length; at += 1) {
		const character = characters[at] ?? "";
		const end = character === "[" ? classEnd(characters, at) : -1;
		if (character === "*") {
			if (parts.at(-1) !== STAR) parts.push(STAR);
		} else if (character === "?") parts.push(ANY);
		else if (end !== -1) {
			parts.push(classOf(characters.slice(at + 1, end)));
			at = end;
		} else {
			if (character === "\\") at += 1;
			const literal = characters[at] ?? "\\";
			parts.push({ kind: "one", fits: (one) => one === literal });
		}
	}
	return parts;
}

// A bracket right behind the opening one, or behind its `!`, is one of the characters.
function classEnd(characters: readonly string[], start: number): number {
	const first = start + (characters[start + 1] === "!" || characters[start + 1] === "^" ? 2 : 1);
	return characters.indexOf("]", first + 1);
}

function classOf(inside: readonly string[]): Part {
	const none = inside[0] === "!" || inside[0] === "^";
	const ranges: { readonly from: string; readonly to: string }[] = [];
	for (let at = none ? 1 : 0; at < inside.length; at += 1) {
		const from = inside[at] ?? "";
		const isRange = inside[at + 1] === "-" && at + 2 < inside.length;
		ranges.push({ from, to: isRange ? (inside[at + 2] ?? "") : from });
		if (isRange) at += 2;
	}
	return { kind: "one", fits: (one) => ranges.some(({ from, to }) => from <= one && one <= to) !== none };
}

/** The patterns without braces that a pattern stands for. */
function spread(pattern: string): string[] {
	const done: string[] = [];
	const open = [pattern];
	for (let one = open.pop(); one !== undefined; one = open.pop()) {
		const braces = firstBraces(one);
		if (braces === undefined) done.push(one);
		else for (const choice of braces.choices) open.push(braces.before + choice + braces.after);
		if (done.length + open.length > GLOB_BRACES_MAX) {
			throw new Error(`The braces of the pattern stand for more than ${GLOB_BRACES_MAX} patterns.`);
		}
	}
	return done;
}

interface Braces {
	readonly before: string;
	readonly choices: readonly string[];
	readonly after: string;
}

/** The first pair of braces with a comma in it; others are characters like any. */
function firstBraces(pattern: string): Braces | undefined {
	for (let start = 0; start < pattern.length; start += 1) {
		if (pattern[start] === "\\") start += 1;
		else if (pattern[start] === "{") {
			const braces = bracesFrom(pattern, start);
			if (braces !== undefined) return braces;
		}
	}
	return undefined;
}

function bracesFrom(pattern: string, start: number): Braces | undefined {
	const choices: string[] = [];
	let depth = 0;
	let from = start + 1;
	for (let at = start; at < pattern.length; at += 1) {
		const character = pattern[at];
		if (character === "\\") at += 1;
		else if (character === "{") depth += 1;
		else if (character === "," && depth === 1) {
			choices.push(pattern.slice(from, at));
			from = at + 1;
		} else if (character === "}") {
			depth -= 1;
			if (depth > 0) continue;
			if (choices.length === 0) return undefined;
			return {
				before: pattern.slice(0, start),
				choices: [...choices, pattern.slice(from, at)],
				after: pattern.slice(at + 1),
			};
		}
	}
	return undefined;
}
