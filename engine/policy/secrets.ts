// Secrets
//
// Looking for secrets in data. A rule may need the name that stands before a value (`aws_secret_access_key`), so data is
// looked at as lines of `name="text"`, all of it in one pass; only data that holds a secret is taken apart and looked at
// piece by piece. Text that is JSON itself, as a provider's arguments are, is looked at by what it says: an escape must
// not hide anything.
//
// Owns:      whether data holds a secret, and the data with each secret replaced.
// Does not:  know the shapes (secret-rules.ts).
//
// Invariants:
//   SE1. The spans of a text do not overlap and stand in order.

import { invariant } from "../core/invariant.js";
import { isDeeper, type JsonValue } from "../core/json-value.js";
import { JSON_DEPTH_MAX, SECRET_CHARS_MIN } from "../core/limits.js";
import { hasSign, lookForSecrets, type SecretSpan } from "./secret-rules.js";

/** What stands in the place of a secret. */
export type Replace = (kind: string, secret: string) => string;

/** The kinds of secrets that data holds; data is anything that JSON can say, other values are not looked at. */
export function secretKindsIn(data: unknown): readonly string[] {
	return mayHold(data) ? spansOf(linesOf(data)).map(({ kind }) => kind) : [];
}

/** The data itself where it holds no secret, else a copy with each one replaced. */
export function withoutSecrets<Data extends JsonValue>(data: Data, replace: Replace): Data {
	return !mayHold(data) || spansOf(linesOf(data)).length === 0 ? data : (replaced("", data, replace) as Data);
}

/** A quick no for data in which nothing could be found: one test of each text, and nothing put together. */
function mayHold(data: unknown): boolean {
	if (typeof data === "string") {
		const inner = jsonIn(data);
		return inner === undefined ? hasSign(data) : mayHold(inner);
	}
	if (typeof data !== "object" || data === null) return false;
	if (data instanceof Uint8Array) return hasSign(latinOf(data));
	if (Array.isArray(data)) return data.some(mayHold);
	for (const key in data) {
		if (!Object.hasOwn(data, key)) continue;
		const value = (data as Readonly<Record<string, unknown>>)[key];
		if (hasSign(key)) return true;
		if (
			key === "$binary" && typeof value === "string" ? hasSign(latinOf(Buffer.from(value, "base64"))) : mayHold(value)
		) {
			return true;
		}
	}
	return false;
}

function spansOf(text: string): readonly SecretSpan[] {
	if (!hasSign(text)) return [];
	const spans: SecretSpan[] = [];
	for (const span of lookForSecrets(text).sort((one, other) => one.start - other.start || other.end - one.end)) {
		const last = spans.at(-1);
		if (last === undefined || span.start >= last.end) spans.push(span);
		else if (span.end > last.end) spans[spans.length - 1] = { ...last, end: span.end };
	}
	for (const [place, { start }] of spans.entries()) {
		invariant(start >= (spans[place - 1]?.end ?? 0), "SE1", `the span at ${start} overlaps the one before`);
	}
	return spans;
}

function linesOf(data: unknown): string {
	const lines: string[] = [];
	addLines("", data, lines);
	return lines.join("\n");
}

function addLines(name: string, data: unknown, lines: string[]): void {
	if (typeof data === "string") {
		const inner = jsonIn(data);
		if (inner !== undefined) addLines(name, inner, lines);
		else lines.push(named(name, data));
		return;
	}
	if (typeof data !== "object" || data === null) return;
	if (data instanceof Uint8Array) {
		lines.push(named(name, latinOf(data)));
		return;
	}
	if (Array.isArray(data)) {
		for (const item of data) addLines(name, item, lines);
		return;
	}
	for (const [key, value] of Object.entries(data)) {
		// A name long enough to be a secret may be one; a name of any length stands before its value.
		if (key === "$binary" && typeof value === "string") lines.push(named(name, latinOf(Buffer.from(value, "base64"))));
		else addLines(key, value, lines);
		if (key.length >= SECRET_CHARS_MIN) lines.push(key);
	}
}

function named(name: string, text: string): string {
	return name === "" ? text : `${name}="${text}"`;
}

/** What a text that is a JSON object or list says; nothing for any other, and for one that hides nothing. */
function jsonIn(text: string): JsonValue | undefined {
	if (!text.includes("\\") || !/^\s*[{[]/.test(text)) return undefined;
	try {
		const value = JSON.parse(text) as JsonValue;
		return isDeeper(value, JSON_DEPTH_MAX) ? undefined : value;
	} catch {
		return undefined;
	}
}

// Each byte is one character and back, whatever the bytes are.
function latinOf(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function replaced(name: string, data: JsonValue, replace: Replace): JsonValue {
	if (typeof data === "string") {
		const inner = jsonIn(data);
		if (inner === undefined) return replacedText(name, data, replace);
		const kept = replaced(name, inner, replace);
		const [before, after] = [JSON.stringify(inner), JSON.stringify(kept)];
		return before === after ? data : after;
	}
	if (typeof data !== "object" || data === null) return data;
	if (Array.isArray(data)) return data.map((item: JsonValue) => replaced(name, item, replace));
	const fields = Object.entries(data as Readonly<Record<string, JsonValue>>).map(
		([key, value]): [string, JsonValue] => {
			if (key !== "$binary" || typeof value !== "string")
				return [replacedText("", key, replace), replaced(key, value, replace)];
			const text = latinOf(Buffer.from(value, "base64"));
			const kept = replacedText(name, text, replace);
			return [key, kept === text ? value : Buffer.from(kept, "latin1").toString("base64")];
		},
	);
	return Object.fromEntries(fields);
}

function replacedText(name: string, text: string, replace: Replace): string {
	const line = named(name, text);
	const from = line === text ? 0 : name.length + 2;
	let kept = "";
	let at = 0;
	for (const { kind, start, end } of spansOf(line)) {
		const [first, last] = [Math.max(0, start - from), Math.min(text.length, end - from)];
		if (last <= first) continue;
		kept += text.slice(at, first) + replace(kind, text.slice(first, last));
		at = last;
	}
	return kept + text.slice(at);
}
