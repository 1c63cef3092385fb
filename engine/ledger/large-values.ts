// Large values
//
// Lines stay short: what takes more than INLINE_BYTES_MAX bytes leaves its entry and is kept as bytes of its own. The
// deepest value that is too large goes, so that the entry around a long answer stays readable; if what remains is still
// too large, so does that. Where a value stood is told beside the data and not by a marker inside it, because a tool may
// answer anything that a marker could look like.
//
// Owns:      taking large values out of data and putting them back.
// Does not:  name or store them (blob-folder.ts).

import type { JsonObject, JsonValue } from "../core/json-value.js";
import { INLINE_BYTES_MAX } from "../core/ledger-limits.js";

/** The keys and indexes that lead from an entry's data to a place in it. */
export type ValuePath = readonly (string | number)[];

/** A value as bytes: its JSON text, or the raw bytes of a binary answer. */
export interface LargeValue {
	readonly path: ValuePath;
	readonly as: "json" | "binary";
	readonly bytes: Buffer;
}

/** Data as JSON text, with `null` where the large values were; outer places come before those inside them. */
export interface SplitData {
	readonly text: string;
	readonly large: readonly LargeValue[];
}

/** `takes`: which values may leave; one that may not keeps all that is around it. */
export function splitLargeValues(data: JsonObject, takes: Takes = anyValue): SplitData {
	const text = JSON.stringify(data);
	if (isInline(text)) return { text, large: [] };
	const large: LargeValue[] = [];
	const left = split(data, [], { large, takes });
	const pathChars = large.reduce((sum, { path }) => sum + JSON.stringify(path).length, 0);
	// Thousands of places, or keys of a megabyte: naming them all would make the line long again.
	if (pathChars > INLINE_BYTES_MAX) {
		return takes(data) ? { text: "null", large: [asJson(text, [])] } : { text, large: [] };
	}
	return { text: left, large: large.reverse() };
}

/** Undoes {@link splitLargeValues}; `values` in the order it gave them. Changes `data`. */
export function joinLargeValues(data: unknown, values: readonly LargeValue[]): JsonObject {
	// The holder makes the data itself a place like any other.
	const holder = { data };
	for (const { path, as, bytes } of values) {
		const value: JsonValue =
			as === "binary" ? { $binary: bytes.toString("base64") } : JSON.parse(bytes.toString("utf8"));
		put(holder, ["data", ...path], value);
	}
	return holder.data as JsonObject;
}

/** The same as JSON text. A value that stands in no other one goes in as the text that it is kept as, unread. */
export function joinedText(data: JsonValue, values: readonly LargeValue[]): string {
	return textWith(data, values, 0);
}

/** `depth`: how many steps of the values' paths lead here. */
function textWith(at: JsonValue, values: readonly LargeValue[], depth: number): string {
	const [outer, ...others] = values;
	if (outer === undefined) return JSON.stringify(at);
	// In the value that leads here as a whole stand the others.
	if (outer.path.length === depth) {
		const text = textOf(outer);
		return others.length === 0 ? text : textWith(JSON.parse(text), others, depth);
	}
	const inside = new Map<string, LargeValue[]>();
	for (const value of values) {
		const key = String(value.path[depth]);
		const there = inside.get(key);
		if (there === undefined) inside.set(key, [value]);
		else there.push(value);
	}
	const parts = Object.entries(at as object).map(([key, part]) => {
		const text = textWith(part, inside.get(key) ?? [], depth + 1);
		return isList(at) ? text : `${JSON.stringify(key)}:${text}`;
	});
	return isList(at) ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}

function textOf({ as, bytes }: LargeValue): string {
	return as === "binary" ? `{"$binary":"${bytes.toString("base64")}"}` : bytes.toString("utf8");
}

function put(root: object, path: ValuePath, value: JsonValue): void {
	let at = root as Record<string | number, unknown>;
	for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
	// The place is a field of its own already (`null`), so that even `__proto__` is set like any other.
	at[path.at(-1) ?? ""] = value;
}

type Takes = (value: JsonValue) => boolean;

const anyValue: Takes = () => true;

interface Splitting {
	readonly large: LargeValue[];
	readonly takes: Takes;
}

function split(value: JsonValue, path: ValuePath, splitting: Splitting): string {
	if (typeof value !== "object" || value === null) return keep(JSON.stringify(value) ?? "null", path, splitting);
	const binary = binaryOf(value);
	if (binary !== undefined) {
		if (!splitting.takes(value)) return JSON.stringify(value);
		splitting.large.push({ path, as: "binary", bytes: binary });
		return "null";
	}
	if (isList(value)) {
		const items = value.map((item, index) => split(item, [...path, index], splitting));
		return keep(`[${items.join(",")}]`, path, splitting);
	}
	const fields = Object.entries(value as JsonObject)
		.filter(([, field]) => field !== undefined)
		.map(([key, field]) => `${JSON.stringify(key)}:${split(field, [...path, key], splitting)}`);
	return keep(`{${fields.join(",")}}`, path, splitting);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
	return Array.isArray(value);
}

function keep(text: string, path: ValuePath, { large, takes }: Splitting): string {
	if (isInline(text)) return text;
	// Where any may leave, nothing is parsed to be asked about.
	if (takes !== anyValue && !takes(JSON.parse(text) as JsonValue)) return text;
	large.push(asJson(text, path));
	return "null";
}

function asJson(text: string, path: ValuePath): LargeValue {
	return { path, as: "json", bytes: Buffer.from(text) };
}

// Measuring the bytes of every short text would cost more than writing it.
function isInline(text: string): boolean {
	return text.length * 3 <= INLINE_BYTES_MAX || Buffer.byteLength(text) <= INLINE_BYTES_MAX;
}

/** The bytes of a large binary answer; `undefined` for anything that would not come back as the very same text. */
function binaryOf(value: object): Buffer | undefined {
	const text: unknown = (value as { $binary?: unknown }).$binary;
	if (typeof text !== "string" || text.length <= INLINE_BYTES_MAX || Object.keys(value).length !== 1) return undefined;
	const bytes = Buffer.from(text, "base64");
	return bytes.toString("base64") === text ? bytes : undefined;
}
