// JSON path
//
// Reads a path that names one place in a JSON value: the singular queries of RFC 9535, such as `$.rows[0]['first name']`.
// Anything that may name several places, counts from the end or is spelled otherwise is no such path.
//
// Owns:      that grammar.
// Does not:  look a place up in a value (path-arguments.ts).

import { JSON_DEPTH_MAX, JSON_PATH_CHARS_MAX } from "../core/limits.js";

/** A name in an object, or an index in a list. */
export type PathStep = string | number;

const DOTTED = /\.([A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*)/uy;
const INDEX = /\[[ \t\n\r]*(0|[1-9]\d{0,14})[ \t\n\r]*\]/y;
const QUOTED = /\[[ \t\n\r]*(?:'((?:[^'\\]|\\.)*)'|("(?:[^"\\]|\\.)*"))[ \t\n\r]*\]/y;

/** The steps from the root; undefined where the text is no path to one place, or one too deep or too long. */
export function readJsonPath(text: string): readonly PathStep[] | undefined {
	// A name between quotes takes the expression's own stack, a place a character.
	if (!text.startsWith("$") || text.length > JSON_PATH_CHARS_MAX) return undefined;
	const steps: PathStep[] = [];
	let at = 1;
	while (at < text.length) {
		const read = readStep(text, at);
		if (read === undefined || steps.length === JSON_DEPTH_MAX) return undefined;
		steps.push(read.step);
		at = read.end;
	}
	return steps;
}

function readStep(text: string, at: number): { readonly step: PathStep; readonly end: number } | undefined {
	const dotted = match(DOTTED, text, at);
	if (dotted?.[1] !== undefined) return { step: dotted[1], end: at + dotted[0].length };
	const index = match(INDEX, text, at);
	if (index?.[1] !== undefined) return { step: Number(index[1]), end: at + index[0].length };
	const quoted = match(QUOTED, text, at);
	if (quoted === undefined) return undefined;
	const step = unquote(quoted[2] ?? `"${(quoted[1] ?? "").replaceAll(/\\'|"/g, otherQuote)}"`);
	return step === undefined ? undefined : { step, end: at + quoted[0].length };
}

/** Between single quotes the two kinds change places. */
function otherQuote(quote: string): string {
	return quote === '"' ? '\\"' : "'";
}

// The escapes of a path are those of JSON.
function unquote(json: string): string | undefined {
	try {
		return JSON.parse(json) as string;
	} catch {
		return undefined;
	}
}

function match(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
	expression.lastIndex = at;
	return expression.exec(text) ?? undefined;
}
