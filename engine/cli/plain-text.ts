// Plain text
//
// Names, titles and answers come from models and files and may hold anything, escape sequences of a terminal included.
// What is printed of them is one line of visible characters.
//
// Owns:      making text safe and short, and the look of numbers.
// Does not:  lay lines out.

/** One line: runs of white space become a blank, control characters become visible. */
export function oneLine(text: string): string {
	return text
		.replace(/\s+/gu, " ")
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One line of at most `charsMax` characters; what is cut off shows as `…`. */
export function shortLine(text: string, charsMax: number): string {
	// A long answer is cut before it is cleaned; cleaning never makes it shorter than a blank for each run.
	const line = oneLine(text.length > charsMax * 20 ? text.slice(0, charsMax * 20) : text);
	const characters = [...line];
	return characters.length <= charsMax ? line : `${characters.slice(0, Math.max(0, charsMax - 1)).join("")}…`;
}

/** Milliseconds for people: `0.4 ms`, `85 ms`, `3.2 s`. */
export function duration(ms: number): string {
	if (ms > 0 && ms < 10) return `${ms.toFixed(1)} ms`;
	return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** `1 call`, `2 calls`. */
export function counted(count: number, what: string, several = `${what}s`): string {
	return `${count} ${count === 1 ? what : several}`;
}
