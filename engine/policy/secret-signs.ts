// Secret signs
//
// A quick no for texts in which no rule could find anything, which nearly all are. A secret, or the name before it, is a
// piece of some length without spaces; so most of a text is not even looked at, and only pieces of that length are tested.
//
// Owns:      what every rule's finds hold, and the look for it.
// Does not:  find secrets (secret-rules.ts).

import { SECRET_CHARS_MIN } from "../core/limits.js";

/**
 * What each rule's finds, or the name before them, hold in one piece. Running all rules takes far longer than one test for
 * any of these, and most texts hold none.
 */
export const SIGNS: Readonly<Record<string, string>> = {
	aws: "(?:ACCESS|[Aa]ccess)_?(?:KEY|[Kk]ey)",
	privatekey: "-----BEGIN",
	npm: "npm_|_authToken=|:x-oauth-basic@",
	basicauth: "://[-\\w]{1,256}:[-\\w]",
	slack: "xox[a-z]-|xapp-|[Hh][Oo][Oo][Kk][Ss]\\.[Ss][Ll][Aa][Cc][Kk]\\.",
	sendgrid: "SG\\.",
	shopify: "shp[a-z]{2}_",
	github: "gh[a-z]_|github_pat_",
	openai: "T3BlbkFJ",
	anthropic: "sk-ant-",
	linear: "lin_api_",
	"1password": "ops_ey",
	"database-connection-string": "[Mm][Oo][Nn][Gg][Oo]|[Mm][Yy][Ss][Qq][Ll]|[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]",
	own: "://[^\\s:@/]{0,256}:[^\\s:@/]{1,256}@|AKIA|ASIA|AIza|eyJ|[rs]k_(?:live|test)_|gl[a-z]{2,4}-|hf_|pypi-AgE",
};

/** The one sign that may stand in a short piece. */
const PEM_BEGINS = SIGNS.privatekey ?? "";

const ANY_SIGN = new RegExp(Object.values(SIGNS).join("|"));

/** What ends a piece: no rule's sign goes across one of these. */
const PIECE_ENDS = " \t\n\r\f\v\"',;<>(){}";
/** Each sign holds one of these, but for the beginning of a PEM, which is looked for apart. */
const IN_SIGNS = "_@:AGgJKkQqx";

const ENDS = 1;
const MAY_SIGN = 2;
const CHARACTERS = new Uint8Array(128);
for (const end of PIECE_ENDS) CHARACTERS[end.charCodeAt(0)] = ENDS;
for (const character of IN_SIGNS) CHARACTERS[character.charCodeAt(0)] = MAY_SIGN;

/**
 * Whether a text holds a sign. From the end of a piece on, the character that far behind it is looked at, and backwards
 * from there what may end the next one; only where nothing does is a piece long enough. (That texts are searched fastest
 * from behind is of R. S. Boyer and J. S. Moore: "A Fast String Searching Algorithm", 1977.)
 */
export function holdsSign(text: string): boolean {
	// The names of fields mostly: not one is worth a search.
	if (text.length < SECRET_CHARS_MIN) return false;
	if (text.includes(PEM_BEGINS)) return true;
	let start = 0;
	// What stands before it is known to end no piece, and what of it may be part of a sign.
	let seen = 0;
	let marks = 0;
	for (let at = SECRET_CHARS_MIN - 1; at < text.length; at = start + SECRET_CHARS_MIN - 1) {
		let [end, here, mark] = [at, 0, 0];
		for (; end >= seen && mark !== ENDS; end -= 1) {
			mark = markAt(text, end);
			here |= mark;
		}
		if (mark === ENDS) {
			start = end + 2;
			seen = at + 1;
			marks = here & MAY_SIGN;
			continue;
		}
		end = at + 1;
		for (; end < text.length && mark !== ENDS; end += 1) {
			mark = markAt(text, end);
			here |= mark;
		}
		if (mark === ENDS) end -= 1;
		if (((marks | here) & MAY_SIGN) !== 0 && ANY_SIGN.test(text.slice(start, end))) return true;
		start = seen = end + 1;
		marks = 0;
	}
	return false;
}

function markAt(text: string, at: number): number {
	return CHARACTERS[text.charCodeAt(at)] ?? 0;
}
