// Secret lines
//
// Data as the lines of text in which secrets are looked for. A rule may need the name that stands before a value
// (`aws_secret_access_key`), so a line is `name="text"`; a list of `{ name, value }`, as environments are written, is read
// as what it names. A text that is JSON itself, as a provider's arguments are, is looked at by what it says as well, and so
// is one with the escapes of an address: neither may hide anything. A list of texts may be a text by its lines, so it is
// looked at without names between them too.
//
// Owns:      how data is read for secrets, and the quick no for most of it.
// Does not:  know the shapes (secret-rules.ts) or replace anything (secrets.ts).

import { isDeeper, type JsonValue } from "../core/json-value.js";
import { JSON_DEPTH_MAX, SECRET_CHARS_MIN } from "../core/limits.js";
import { hasSign } from "./secret-rules.js";

/** A quick no for data in which nothing could be found: one test of each text, and nothing put together. */
export function mayHold(data: unknown, depth = 0): boolean {
	if (typeof data === "string") {
		// No rule finds less, and what it says behind escapes is shorter still.
		if (data.length < SECRET_CHARS_MIN) return false;
		// Without an escape every sign of what it says stands in the text itself.
		const inner = data.includes("\\") ? jsonIn(data) : undefined;
		if (inner !== undefined) return mayHold(inner);
		if (hasSign(data)) return true;
		const meant = data.includes("%") ? unescaped(data, depth) : undefined;
		return meant !== undefined && mayHold(meant, depth + 1);
	}
	if (typeof data !== "object" || data === null) return false;
	if (data instanceof Uint8Array) return hasSign(latinOf(data));
	if (Array.isArray(data)) return data.some((item) => mayHold(item));
	for (const key of Object.keys(data)) {
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

export function linesOf(data: unknown): readonly string[] {
	const lines: string[] = [];
	addLines("", data, { lines, depth: 0 });
	return lines;
}

interface Lines {
	readonly lines: string[];
	/** How many escapes of addresses the data stands behind. */
	readonly depth: number;
}

// `replaced` goes through data in the very same order, and takes its lines in that order.
function addLines(name: string, data: unknown, to: Lines): void {
	const { lines, depth } = to;
	if (typeof data === "string") {
		if (!isEscapedJson(data)) lines.push(named(name, data));
		const inner = jsonIn(data);
		if (inner !== undefined) addLines(name, inner, to);
		const meant = unescaped(data, depth);
		if (meant !== undefined) addLines(name, meant, { lines, depth: depth + 1 });
		return;
	}
	if (typeof data !== "object" || data === null) return;
	if (data instanceof Uint8Array) {
		lines.push(named(name, latinOf(data)));
		return;
	}
	if (Array.isArray(data)) {
		for (const item of data) addLines(name, item, to);
		// A name before each would part what stands across them.
		if (name !== "" && areLines(data)) lines.push(...data);
		return;
	}
	for (const [key, value] of Object.entries(data)) {
		if (key === "$binary" && typeof value === "string") lines.push(named(name, latinOf(Buffer.from(value, "base64"))));
		else addLines(nameIn(data, key), value, to);
		// A name long enough to be a secret may be one; a name of any length stands before its value.
		if (key.length >= SECRET_CHARS_MIN) lines.push(key);
	}
}

/** What such a text says is not in it to be found or replaced. */
export function isEscapedJson(text: string): boolean {
	return text.includes("\\") && jsonIn(text) !== undefined;
}

/** What stands before a field's value: its name, or what the object says that the value is of. */
export function nameIn(fields: object, key: string): string {
	if (key !== "value") return key;
	const { name, key: said = name } = fields as { readonly name?: unknown; readonly key?: unknown };
	return typeof said === "string" && said.length <= NAME_CHARS_MAX ? said : key;
}

/** A longer one is no name; it would stand in two lines. */
const NAME_CHARS_MAX = 128;

/** A list of texts may be a text by its lines. */
export function areLines(list: readonly unknown[]): list is readonly string[] {
	return list.length > 1 && list.every((item) => typeof item === "string" && jsonIn(item) === undefined);
}

export function named(name: string, text: string): string {
	return name === "" ? text : `${name}="${text}"`;
}

/** What a text says behind the escapes of addresses; nothing for one that has none, or stands behind too many. */
export function unescaped(text: string, depth: number): string | undefined {
	if (depth >= ESCAPES_MAX || !ESCAPED.test(text)) return undefined;
	const meant = text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
		try {
			return decodeURIComponent(escapes);
		} catch {
			return escapes;
		}
	});
	return meant === text ? undefined : meant;
}

/** An address in an address in an address. More would cost a long text a reading for each. */
const ESCAPES_MAX = 3;

const ESCAPED = /%[0-9A-Fa-f]{2}/;

/** What a text says that is a JSON object, list or text; nothing for any other. */
export function jsonIn(text: string): JsonValue | undefined {
	if (!/^\s*[{["]/.test(text)) return undefined;
	try {
		const value = JSON.parse(text) as JsonValue;
		return isDeeper(value, JSON_DEPTH_MAX) ? undefined : value;
	} catch {
		return undefined;
	}
}

// Each byte is one character and back, whatever the bytes are.
export function latinOf(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
