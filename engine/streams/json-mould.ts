// JSON mould
//
// What two JSON texts have in common, where they differ only in values that are strings or numbers: the texts between
// these values, and the places of the values in the parsed whole.
//
// Owns:      making a mould, and what makes two texts too different for one.
// Does not:  fill it (alike-json.ts).
//
// Invariants:
//   JM1. What is put into a hole is all that changes in the value: no name comes twice in an object of it.

import { invariant } from "../core/invariant.js";

export type Leaf = string | number;

/** A value that differs, and the text between it and the one before; quotes are part of the text around a string. */
export interface Hole {
	readonly before: string;
	readonly kind: "string" | "number";
	readonly container: { [key: Leaf]: unknown };
	readonly key: Leaf;
}

export interface Mould {
	readonly holes: readonly Hole[];
	/** The text behind the last hole. */
	readonly last: string;
	readonly value: unknown;
}

/** A text with more values that change is dearer to fill in than to parse. */
const HOLES_MAX = 8;

// Brackets and what separates; strings; all else. Enough for a text that is known to be JSON.
const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/g;

/** An object or a list that is open, and the place in it that its next value takes. */
interface Level {
	readonly container: Hole["container"];
	readonly names: Set<string>;
	key: Leaf;
}

/** The mould of a text with its value, and a text before it; undefined where they are too different or do not differ. */
export function mouldOf({ text, value, before }: { text: string; value: unknown; before: string }): Mould | undefined {
	const others = before.match(TOKEN) ?? [];
	const tokens = [...text.matchAll(TOKEN)];
	if (others.length !== tokens.length) return undefined;
	const holes: Hole[] = [];
	const levels: Level[] = [];
	let end = 0;
	for (const [place, { 0: token, index }] of tokens.entries()) {
		const level = levels.at(-1);
		const isName = tokens[place + 1]?.[0] === ":";
		const kind = kindOf(token);
		if (token !== others[place]) {
			const alike = kind !== undefined && kind === kindOf(others[place] ?? "");
			if (!alike || isName || level === undefined || holes.length === HOLES_MAX) return undefined;
			const quote = kind === "string" ? 1 : 0;
			const { container, key } = level;
			holes.push({ before: text.slice(end, index + quote), kind, container, key });
			end = index + token.length - quote;
		} else if (token === "{" || token === "[") {
			const container = level === undefined ? value : level.container[level.key];
			// JM1: of a name that comes again further on, this is the later value.
			if (!isContainer(container)) return undefined;
			levels.push({ container, names: new Set(), key: token === "{" ? "" : 0 });
		} else if (token === "}" || token === "]") levels.pop();
		else if (level === undefined) return undefined;
		else if (token === "," && typeof level.key === "number") level.key += 1;
		else if (isName && !isNew(level, JSON.parse(token) as string)) return undefined;
	}
	for (const { kind, container, key } of holes)
		invariant(typeof container[key] === kind, "JM1", `no ${kind} at ${key}`);
	return holes.length === 0 ? undefined : { holes, last: text.slice(end), value };
}

// JM1: of two values of one name the last counts, and a hole for the first would change nothing.
function isNew(level: Level, name: string): boolean {
	if (level.names.has(name)) return false;
	level.names.add(name);
	level.key = name;
	return true;
}

function isContainer(value: unknown): value is Hole["container"] {
	return typeof value === "object" && value !== null;
}

function kindOf(token: string): Hole["kind"] | undefined {
	if (token.startsWith('"')) return "string";
	return /^[-\d]/.test(token) ? "number" : undefined;
}
