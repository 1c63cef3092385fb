// Secret rules
//
// What a secret looks like. The rules are secretlint's recommended ones, which people who follow the providers keep up;
// a few shapes that they lack stand here. Each rule of theirs is run by itself on a text: their linter works on files, by
// promises, and lets a comment inside the text switch it off.
//
// Owns:      the list of rules, the shapes of our own, the narrow part of secretlint's interface that is used.
// Does not:  read data (secrets.ts) or decide what becomes of a find (doors.ts, redact.ts).

import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { invariant } from "../core/invariant.js";
import { holdsSign, SIGNS } from "./secret-signs.js";
import { signedClaims } from "./signed-claims.js";

/** A place in a text that looks like a secret: from `start` up to `end`. */
export interface SecretSpan {
	readonly kind: string;
	readonly start: number;
	readonly end: number;
}

type Translate = (messageId: string, found?: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

interface RuleContext {
	readonly sharedOptions: object;
	readonly createTranslator: () => Translate;
	readonly report: (found: { readonly message: unknown; readonly range: readonly [number, number] }) => void;
}

interface Rule {
	readonly meta: { readonly id: string };
	create(context: RuleContext, options: object): { file?(source: Readonly<Record<string, unknown>>): unknown };
}

const PREFIX = "@secretlint/secretlint-rule-";

/** `gcp` reads files of the disk and reports whole documents; `filter-comments` is what switches the others off. */
const LEFT_OUT: ReadonlySet<string> = new Set(["gcp", "filter-comments"]);

/**
 * Shapes with a beginning of their own that no word has. Each is matched in one pass, whatever the text; none without an
 * end, because a run of millions of letters does not fit on the stack of the matcher.
 */
const OWN_SHAPES: Readonly<Record<string, RegExp>> = {
	"aws-access-key-id": /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
	"google-api-key": /\bAIza[\w-]{35}(?![\w-])/g,
	// Theirs allows for one dash in a key, which may hold any number.
	"sendgrid-key": /\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])/g,
	"stripe-key": /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,4000}/g,
	// Theirs allows for letters and digits in a password, and for the addresses of the web. A name in braces or a row of stars
	// stands for one.
	"address-password":
		/\b[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^\s:@/"'`<>]{0,256}:(?![$<{*%]|x{3,}@)[^\s@/"'`<>]{6,256}@(?=[\w[])/g,
	"gitlab-token": /\bgl(?:pat|dt|rt|cbt|ptt|soat)-[\w-]{20,4000}/g,
	"hugging-face-token": /\bhf_[A-Za-z]{34}\b/g,
	"pypi-token": /\bpypi-AgE[\w-]{50,4000}/g,
	// Also one whose end was cut off, and one too short to be the key of anybody: it is no text to keep either way.
	"private-key":
		/-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s{1,4}[\w-]{1,40}: [^\r\n]{1,200})*[\w+/=\s\\]*(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
};

type Look = (text: string, found: SecretSpan[]) => void;

const USED = (rules as readonly Rule[]).filter(({ meta }) => !LEFT_OUT.has(kindOf(meta.id)));
const LOOKS: readonly Look[] = [...USED.map(lookOfRule), ...Object.entries(OWN_SHAPES).map(lookOfShape), lookForClaims];
const ALL_HAVE_SIGNS = USED.every(({ meta }) => Object.hasOwn(SIGNS, kindOf(meta.id)));

/** Every place of the text that a rule points at, in no order; places may overlap. */
export function lookForSecrets(text: string): SecretSpan[] {
	const found: SecretSpan[] = [];
	for (const look of LOOKS) look(text, found);
	return found;
}

/** Whether a rule could find anything. With a rule that has no sign every text is given to all rules. */
export function hasSign(text: string): boolean {
	return !ALL_HAVE_SIGNS || holdsSign(text);
}

function kindOf(id: string): string {
	return id.slice(PREFIX.length);
}

function lookOfShape([kind, shape]: readonly [string, RegExp]): Look {
	return (text, found) => {
		for (const match of text.matchAll(shape))
			found.push({ kind, start: match.index, end: match.index + match[0].length });
	};
}

function lookForClaims(text: string, found: SecretSpan[]): void {
	for (const place of signedClaims(text)) found.push({ kind: "json-web-token", ...place });
}

function lookOfRule(rule: Rule): Look {
	const kind = kindOf(rule.meta.id);
	let looking: { readonly text: string; readonly found: SecretSpan[] } = { text: "", found: [] };
	const context: RuleContext = {
		sharedOptions: {},
		createTranslator: () => (_id, found) => ({ ...found }),
		report: ({ message, range }) => looking.found.push({ kind, ...placeOf(looking.text, message, range) }),
	};
	const { file } = rule.create(context, {});
	invariant(file !== undefined, "secret rules", `the rule ${rule.meta.id} looks at no text`);
	return (text, found) => {
		looking = { text, found };
		file({ content: text, filePath: "", ext: "", contentType: "text" });
	};
}

/**
 * Where the secret itself stands. Some rules report a range that begins at the name before the secret and is as long as
 * the secret; what they put into their message is the secret as it was found, so that is looked for from there on.
 */
function placeOf(text: string, message: unknown, [start, end]: readonly [number, number]): Omit<SecretSpan, "kind"> {
	const quoted = Object.values(message as Readonly<Record<string, unknown>>).find((part) => typeof part === "string");
	const at = typeof quoted === "string" && quoted !== "" ? text.indexOf(quoted, start) : -1;
	return at === -1 || typeof quoted !== "string" ? { start, end } : { start: at, end: at + quoted.length };
}
