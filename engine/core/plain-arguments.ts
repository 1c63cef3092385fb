// Plain arguments
//
// Most arguments come as the text of one flat object: texts, whole numbers, yes and no, without a space between them and
// with their fields in order. Such a text is its own canonical form (RFC 8785), and seeing that it is one costs a sixth of
// reading it and writing it again.
//
// Owns:      that look; it says no to everything that it is not certain of.
// Does not:  read arguments or bring others into canonical form (call.ts, json-value.ts).

import { PLAIN_ARGUMENTS_CHARS_MAX } from "./limits.js";

// No escape and no half of a pair, which have several spellings; no number that could be written in another way, or is
// too large to be told from its neighbours.
const TEXT = "[ !#-[\\]-\\ud7ff\\ue000-\\uffff]*";
const FIELD = new RegExp(`[{,]"(${TEXT})":(?:"${TEXT}"|true|false|null|0|-?[1-9][0-9]{0,14})(?=[,}])`, "y");

/** Whether a JSON text of arguments is the canonical text of what it says; false wherever that is not certain. */
export function isPlainArguments(text: string): boolean {
	const end = text.length - 1;
	if (text[end] !== "}" || text.length > PLAIN_ARGUMENTS_CHARS_MAX) return false;
	let before: string | undefined;
	for (let at = 0; at < end; at = FIELD.lastIndex) {
		FIELD.lastIndex = at;
		const [, name] = FIELD.exec(text) ?? NO_FIELD;
		// In order, and each once: of two of the same name a reader takes one.
		if (name === undefined || (before !== undefined && name <= before)) return false;
		if (text[at] !== (before === undefined ? "{" : ",")) return false;
		before = name;
	}
	return before !== undefined;
}

const NO_FIELD: readonly undefined[] = [];
