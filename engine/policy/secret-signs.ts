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
const IN_SIGN = 2;
const CHARACTERS = new Uint8Array(128);
for (const end of PIECE_ENDS) CHARACTERS[end.charCodeAt(0)] = ENDS;
for (const character of IN_SIGNS) CHARACTERS[character.charCodeAt(0)] = IN_SIGN;

/**
 * Whether a text holds a sign: only every so many characters one is looked at until one stands in a piece that is long
 * enough, and only those pieces are tested.
 */
export function holdsSign(text: string): boolean {
	// The names of fields mostly: not one is worth a search.
	if (text.length < SECRET_CHARS_MIN) return false;
	if (text.includes(PEM_BEGINS)) return true;
	let from = 0;
	for (let at = SECRET_CHARS_MIN - 1; at < text.length; ) {
		if (kindAt(text, at) === ENDS) {
			from = at + 1;
			at += SECRET_CHARS_MIN;
			continue;
		}
		let [start, end] = [at, at + 1];
		while (start > from && kindAt(text, start - 1) !== ENDS) start -= 1;
		while (end < text.length && kindAt(text, end) !== ENDS) end += 1;
		if (end - start >= SECRET_CHARS_MIN && isWorthATest(text, start, end) && ANY_SIGN.test(text.slice(start, end)))
			return true;
		from = end + 1;
		at = end + SECRET_CHARS_MIN;
	}
	return false;
}

function isWorthATest(text: string, start: number, end: number): boolean {
	for (let at = start; at < end; at += 1) if (kindAt(text, at) === IN_SIGN) return true;
	return false;
}

function kindAt(text: string, at: number): number {
	return CHARACTERS[text.charCodeAt(at)] ?? 0;
}
