// Entry shape
//
// What of an entry a policy that records it may not change: the fields by which a reader of the ledger, and a recovery, know
// which call and which step a line is of and how the call ended. Without them a write that ran would read as one that did
// not, and the history of the whole run as none at all. What was said, asked and answered is content, and may be anything.
//
// Owns:      which fields those are, for entries of every kind.
// Does not:  decide what becomes of an entry that lost one (recorded-ledger.ts).

import { canonicalJson, type JsonObject, type JsonValue } from "../core/json-value.js";
import { showValue } from "../core/show-value.js";

/** What is wrong with the field as it was recorded; nothing for one that may be written. */
type Rule = (before: JsonValue, after: JsonValue) => string | undefined;

const stays: Rule = (before, after) => {
	const isSame = before === after || canonicalJson(before) === canonicalJson(after);
	return isSame ? undefined : `is ${showValue(after)}, and was ${showValue(before)}`;
};

/** A text may be another: a secret can stand in any. */
const staysText: Rule = (_before, after) =>
	typeof after === "string" ? undefined : `is ${showValue(after)}, not a text`;

const staysObject = (fields: Readonly<Record<string, Rule>>): Rule => {
	const rules = new Map(Object.entries(fields));
	return (before, after) => {
		if (!isObject(before)) return undefined;
		return isObject(after) ? problemIn(before, after, rules) : `is ${showValue(after)}, not an object`;
	};
};

const staysList =
	(item: Rule): Rule =>
	(before, after) => {
		if (!Array.isArray(before)) return undefined;
		if (!Array.isArray(after) || after.length !== before.length)
			return `is ${showValue(after)}, and had ${before.length}`;
		for (const [place, one] of before.entries()) {
			const problem = item(one, after[place]);
			if (problem !== undefined) return `holds at ${place} what ${problem}`;
		}
		return undefined;
	};

const CALL = { id: staysText, name: stays, args: () => undefined };
const ERROR = { code: stays, message: staysText, recovery: staysText };

const FIELDS: ReadonlyMap<string, Rule> = new Map<string, Rule>(
	Object.entries({
		step: stays,
		steps: stays,
		status: stays,
		cut: stays,
		index: stays,
		id: staysText,
		name: stays,
		lineage: stays,
		effect: stays,
		replayOf: stays,
		unanswered: staysText,
		calls: staysList(staysObject(CALL)),
		outcome: staysObject({ ok: stays, error: staysObject(ERROR) }),
		ranAs: staysObject({ args: () => undefined, effect: stays }),
		steers: staysList(staysText),
		checkpoint: staysObject({}),
	}),
);

/** Where an entry has no such field, no reader looks for one; any other that was added would be read as the engine's word. */
const MAY_BE_NOTED: ReadonlySet<string> = new Set(["step", "steps", "status", "index", "id", "name", "error"]);

/** What was changed that must stay, as a sentence's end; nothing where all of it stands. */
export function shapeProblem(before: JsonObject, after: JsonObject): string | undefined {
	if (!isObject(after)) return "it recorded a list, not an object";
	const problem = problemIn(before, after, FIELDS);
	return problem === undefined ? undefined : `what it recorded is not the same entry: ${problem}`;
}

function problemIn(before: JsonObject, after: JsonObject, rules: ReadonlyMap<string, Rule>): string | undefined {
	for (const name of Object.keys(before)) {
		const [was, is] = [before[name], after[name]];
		const rule = was === is ? undefined : rules.get(name);
		if (rule === undefined || was === undefined) continue;
		if (is === undefined) return `${name} is missing`;
		const problem = rule(was, is);
		if (problem !== undefined) return `${name} ${problem}`;
	}
	for (const name of Object.keys(after)) {
		const isNew = before[name] === undefined && after[name] !== undefined;
		if (isNew && rules.has(name) && !MAY_BE_NOTED.has(name)) return `${name} was not there`;
	}
	return undefined;
}

function isObject(value: JsonValue): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
