// Shell pattern
//
// One name of a shell's pattern, held against the names in a folder. What is put at stake by it must be no less than what the
// shell would match, in whatever locale it runs: a `?` is one character to it in one locale and one byte in another.
//
// Owns:      `*`, `?`, brackets, braces within one name.
// Does not:  walk folders (at-stake.ts) or know quotes (shell-words.ts).

export const PATTERN = /[*?[\]{}]/;
/** Braces stand for several words, and one of those may. */
export const MAY_BEGIN_WITH_DOT = /^\.|^[^.]*\{/s;

/** Whether a name is matched; nothing for a pattern that cannot be read, which then may match anything. */
export function matcherOf(pattern: string): ((name: string) => boolean) | undefined {
	// A comma outside of braces parts words of which this name is a piece.
	if (pattern.replaceAll(INNER_BRACES, "").includes(",")) return undefined;
	try {
		const byCharacters = new RegExp(`^${sourceOf(pattern)}$`, "su");
		const byBytes = new RegExp(`^${sourceOf(bytesOf(pattern))}$`, "su");
		return (name) => byCharacters.test(name) || byBytes.test(bytesOf(name));
	} catch {
		return undefined;
	}
}

/** A character a byte. */
function bytesOf(text: string): string {
	return Buffer.from(text).toString("latin1");
}

const INNER_BRACES = /\{[^{}]*\}/g;
const PIECES = /\{(?<choice>[^{}]*)\}|\[(?<not>[!^]?)(?<set>\]?[^\]]*)\]|[*?]|[\\^$.+|()[\]{}/]/gsu;
/** Sets of characters with a name, whose brackets stand in the brackets. */
const NAMED_SETS = /\[.*\[[:.=].*\]/s;
const SIGNS_OF_EXPRESSIONS = /[\\^$.+|()[\]{}/*?]/g;

function sourceOf(pattern: string): string {
	if (NAMED_SETS.test(pattern)) return sourceOf(pattern.replace(NAMED_SETS, "*"));
	return pattern.replace(PIECES, (piece: string, ...more: unknown[]) => {
		// The named groups come last.
		const { choice, not, set } = more.at(-1) as Readonly<Record<string, string | undefined>>;
		if (piece === "*") return ".*";
		if (piece === "?") return ".";
		if (choice !== undefined) return choiceOf(choice);
		if (set === undefined || set === "") return piece.replaceAll(SIGNS_OF_EXPRESSIONS, "\\$&");
		return `[${not === "" ? "" : "^"}${set.replaceAll(/[\\\]^[]/g, "\\$&")}]`;
	});
}

/** Braces around one word alone are signs like others, and around two dots a range. */
function choiceOf(choice: string): string {
	if (choice.includes(",")) return `(?:${choice.split(",").map(sourceOf).join("|")})`;
	return choice.includes("..") ? ".*" : `\\{${sourceOf(choice)}\\}`;
}
