// Secrets
//
// Looking for secrets in data: all of its lines in one pass, because a key may stand in a list of lines; and what is found
// there is replaced in each line that it touches.
//
// Owns:      whether data holds a secret, and the data with each secret replaced.
// Does not:  know the shapes (secret-rules.ts) or how data is read (secret-lines.ts).
//
// Invariants:
//   SE1. The spans of a text do not overlap and stand in order.
//   SE2. What is replaced in a line was found in that very line.

import { invariant } from "../core/invariant.js";
import type { JsonValue } from "../core/json-value.js";
import { SECRET_CHARS_MIN } from "../core/limits.js";
import {
	areLines,
	isEscapedJson,
	jsonIn,
	latinOf,
	linesOf,
	mayHold,
	named,
	nameIn,
	unescaped,
} from "./secret-lines.js";
import { hasSign, lookForSecrets, type SecretSpan } from "./secret-rules.js";

/** What stands in the place of a secret. */
export type Replace = (kind: string, secret: string) => string;

/** The kinds of secrets that data holds; data is anything that JSON can say, other values are not looked at. */
export function secretKindsIn(data: unknown): readonly string[] {
	// What is read in two ways may be found twice.
	return mayHold(data) ? [...new Set(spansOf(linesOf(data).join("\n")).map(({ kind }) => kind))] : [];
}

/** The data itself where it holds no secret, else a copy with each one replaced. */
export function withoutSecrets<Data extends JsonValue>(data: Data, replace: Replace): Data {
	if (!mayHold(data)) return data;
	const lines = linesOf(data);
	const spans = spansOf(lines.join("\n"));
	// The data of a whole is what was asked for: a copy of it with texts in the place of texts.
	return spans.length === 0
		? data
		: (replaced("", data, { found: new FoundInLines(lines, spans, replace), depth: 0 }) as Data);
}

function spansOf(text: string): readonly SecretSpan[] {
	return hasSign(text) ? apart(lookForSecrets(text)) : [];
}

/** SE1: in order, and what overlaps as one. */
function apart(found: SecretSpan[]): readonly SecretSpan[] {
	const spans: SecretSpan[] = [];
	for (const span of found.sort((one, other) => one.start - other.start || other.end - one.end)) {
		const last = spans.at(-1);
		if (last === undefined || span.start >= last.end) spans.push(span);
		else if (span.end > last.end) spans[spans.length - 1] = { ...last, end: span.end };
	}
	for (const [place, { start }] of spans.entries()) {
		invariant(start >= (spans[place - 1]?.end ?? 0), "SE1", `the span at ${start} overlaps the one before`);
	}
	return spans;
}

/** What was found in all lines together, given out line by line. */
class FoundInLines {
	readonly #lines: readonly string[];
	readonly #spans: readonly SecretSpan[];
	readonly #replace: Replace;
	#line = 0;
	/** Where the next line begins, and the first span that may reach into it. */
	#at = 0;
	#span = 0;

	constructor(lines: readonly string[], spans: readonly SecretSpan[], replace: Replace) {
		this.#lines = lines;
		this.#spans = spans;
		this.#replace = replace;
	}

	/** Where in the text, which is the next line behind its name, something was found. */
	next(name: string, text: string): readonly SecretSpan[] {
		const line = named(name, text);
		invariant(this.#lines[this.#line] === line, "SE2", "the lines are gone through in another order");
		const [start, end] = [this.#at, this.#at + line.length];
		this.#line += 1;
		this.#at = end + 1;
		const from = start + (line === text ? 0 : name.length + 2);
		const found: SecretSpan[] = [];
		for (; this.#span < this.#spans.length; this.#span += 1) {
			const span = this.#spans[this.#span];
			if (span === undefined || span.start >= end) break;
			const [first, last] = [Math.max(0, span.start - from), Math.min(text.length, span.end - from)];
			if (last > first) found.push({ kind: span.kind, start: first, end: last });
			// It goes on in the next line.
			if (span.end > end) break;
		}
		return found;
	}

	/** The text of the next line with what was found in it replaced. */
	take(name: string, text: string): string {
		return this.mark(text, this.next(name, text));
	}

	mark(text: string, spans: readonly SecretSpan[]): string {
		let kept = "";
		let at = 0;
		for (const { kind, start, end } of spans) {
			kept += text.slice(at, start) + this.#replace(kind, text.slice(start, end));
			at = end;
		}
		return kept + text.slice(at);
	}
}

interface Taken {
	readonly found: FoundInLines;
	/** How many escapes of addresses the data stands behind. */
	readonly depth: number;
}

function replaced(name: string, data: JsonValue, from: Taken): JsonValue {
	if (typeof data === "string") {
		const kept = isEscapedJson(data) ? data : from.found.take(name, data);
		return replacedText(name, { text: data, kept }, from);
	}
	if (typeof data !== "object" || data === null) return data;
	if (Array.isArray(data)) return replacedList(name, data, from);
	const fields = Object.entries(data as Readonly<Record<string, JsonValue>>).map(
		([key, value]): [string, JsonValue] => {
			const kept = replacedField(name, { data, key, value }, from);
			return [key.length >= SECRET_CHARS_MIN ? from.found.take("", key) : key, kept];
		},
	);
	return Object.fromEntries(fields);
}

interface KeptText {
	readonly text: string;
	/** With what was found in the text itself replaced. */
	readonly kept: string;
}

/** As it stood, with spans replaced in place, where that takes out all that the text says; else what it says, written anew. */
function replacedText(name: string, { text, kept }: KeptText, from: Taken): string {
	const anew: string[] = [];
	const inner = jsonIn(text);
	if (inner !== undefined) {
		const [before, after] = [JSON.stringify(inner), JSON.stringify(replaced(name, inner, from))];
		const said = jsonIn(kept);
		if (before !== after && (said === undefined || JSON.stringify(said) !== after)) anew.push(after);
	}
	const meant = unescaped(text, from.depth);
	if (meant !== undefined) {
		const after = String(replaced(name, meant, { ...from, depth: from.depth + 1 }));
		if (after !== meant && (unescaped(kept, from.depth) ?? kept) !== after) anew.push(after);
	}
	// What JSON says is read behind its own escapes too. Where the two still differ in what they hide, nothing stays.
	const [first = kept, second] = anew;
	const isOpen = second !== undefined && secretKindsIn(first).length > 0;
	return isOpen ? from.found.mark(text, [{ kind: "text", start: 0, end: text.length }]) : first;
}

function replacedList(name: string, list: readonly JsonValue[], from: Taken): JsonValue {
	if (name === "" || !areLines(list)) return list.map((item) => replaced(name, item, from));
	const alone = list.map((text) => {
		const spans = from.found.next(name, text);
		const kept = from.found.mark(text, spans);
		return { text, spans, kept, anew: replacedText(name, { text, kept }, from) };
	});
	return alone.map(({ text, spans, kept, anew }) => {
		const across = from.found.next("", text);
		return anew === kept ? from.found.mark(text, apart([...spans, ...across])) : anew;
	});
}

interface Field {
	readonly data: object;
	readonly key: string;
	readonly value: JsonValue;
}

function replacedField(name: string, { data, key, value }: Field, from: Taken): JsonValue {
	if (key !== "$binary" || typeof value !== "string") return replaced(nameIn(data, key), value, from);
	const text = latinOf(Buffer.from(value, "base64"));
	const kept = from.found.take(name, text);
	return kept === text ? value : Buffer.from(kept, "latin1").toString("base64");
}
