// JSON value
//
// The one rule for what a tool may answer, applied inline and on threads alike, so that a tool's answer does not depend
// on where it ran. The rule is JSON's own, with its silent losses made loud or kept:
//
//   string, boolean, null, finite number   as they are, also as objects (`new Number(1)`); -0 is 0
//   NaN, infinities                        null
//   undefined                              at the top: no value; in an object: left out; in an array: null
//   bigint                                 its decimal digits, as a string
//   Date, anything with toJSON             what its toJSON returns
//   Map with string keys                   an object; any other Map: a list of pairs
//   Set, iterable typed array              a list
//   Uint8Array, Buffer, ArrayBuffer        at the top: binary; inside: a list of numbers; moved away: not data
//   Error                                  { name, message }
//   function, symbol, promise, a cycle     not data: refused with the path, such as `$.rows[3].parent`
//
// Owns:      that rule, and the copy it makes: nothing a tool keeps a reference to can change an answer later. Binary
//            with a buffer of its own is the exception: it is taken over as it is, so that megabytes cost nothing.
//            How many values a copy may hold is bounded here: a list of ten lists, ten levels deep, costs its tool nothing
//            where every ten are the same one, and a copy of it is ten thousand million values.
// Does not:  bound the bytes of an answer (limits are the executor's).

import canonicalize from "canonicalize";
import { DATA_VALUES_MAX, JSON_DEPTH_MAX } from "./limits.js";
import { showValue } from "./show-value.js";

/**
 * Data: what JSON can say.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * Data with named fields.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * A tool's binary answer.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Binary = Uint8Array;

/** What the rule made of a value: nothing (`value` left out), data, or a refusal that names the place. */
export type Copied =
	| { readonly ok: true; readonly value?: JsonValue | Binary }
	| { readonly ok: false; readonly path: string; readonly problem: string; readonly tooLarge?: true };

class NotData {
	readonly path: string;
	readonly problem: string;
	readonly tooLarge: boolean;

	constructor(path: string, problem: string, tooLarge = false) {
		this.path = path;
		this.problem = problem;
		this.tooLarge = tooLarge;
	}
}

/** Copies what a tool answered by the rule above. Never throws, not even when a getter of the value does. */
export function copyAnswer(value: unknown): Copied {
	if (value === undefined) return { ok: true };
	if (typeof value === "string" || typeof value === "boolean" || value === null) return { ok: true, value };
	try {
		if (value instanceof Uint8Array) return isMovedAway(value) ? GONE : { ok: true, value: asPlainBytes(value) };
		if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
			if (isMovedAway(value)) return GONE;
			return { ok: true, value: new Uint8Array(new Uint8Array(value)) };
		}
	} catch (error) {
		// A proxy may throw even when it is asked what it is.
		return { ok: false, path: "$", problem: `reading it threw ${showValue(error)}` };
	}
	return copyJson(value);
}

/** Copies data by the rule above, with no special place for binary at the top. */
export function copyJson(value: unknown): Copied {
	try {
		const copy = copyAt(value, { path: "$", depth: 0, above: [], room: { values: DATA_VALUES_MAX } });
		return copy === undefined ? { ok: true } : { ok: true, value: copy };
	} catch (error) {
		if (error instanceof NotData) {
			const { path, problem, tooLarge } = error;
			return { ok: false, path, problem, ...(tooLarge && { tooLarge }) };
		}
		return { ok: false, path: "$", problem: `reading it threw ${showValue(error)}` };
	}
}

/** Whether data is nested more than `levels` deep. Looks no deeper than that, so that no nesting can exhaust the stack. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The canonical text of a JSON value (RFC 8785): equal values have equal text. */
export function canonicalJson(value: JsonValue): string {
	return canonicalOf(value) ?? "null";
}

// `1e999` is JSON, and no number of this language: JSON.parse makes an infinity of it, which has no canonical form. By the
// rule above it is null.
function canonicalOf(value: JsonValue): string | undefined {
	try {
		return isOrdered(value, JSON_DEPTH_MAX) ? JSON.stringify(value) : canonicalize(value);
	} catch {
		const copied = copyJson(value);
		return copied.ok ? canonicalize(copied.value) : undefined;
	}
}

// Data whose fields stand in canonical order already, which most arguments do: JSON's own text of it is the canonical
// one, at a fraction of the cost. No for everything that the two might read differently.
function isOrdered(value: unknown, levels: number): boolean {
	switch (typeof value) {
		case "string":
		case "boolean":
			return true;
		case "number":
			return Number.isFinite(value);
		case "object":
			return value === null || (levels > 0 && isOrderedObject(value, levels - 1));
		default:
			return false;
	}
}

function isOrderedObject(value: object, levels: number): boolean {
	if (Array.isArray(value)) {
		for (let at = 0; at < value.length; at += 1) if (!isOrdered(value[at], levels)) return false;
		return true;
	}
	if (Object.getPrototypeOf(value) !== Object.prototype) return false;
	let before: string | undefined;
	for (const key in value) {
		if ((before !== undefined && key < before) || !isOrdered((value as Record<string, unknown>)[key], levels))
			return false;
		before = key;
	}
	return true;
}

const MOVED_AWAY = "its bytes were moved away; answer a copy of them";
const GONE: Copied = { ok: false, path: "$", problem: MOVED_AWAY };

// Bytes that were transferred read as none at all, and answering none would be a lie. Not every Node says so by
// `detached`; making a view of them always fails.
function isMovedAway(value: unknown): boolean {
	const buffer = ArrayBuffer.isView(value) ? value.buffer : value;
	if (!(buffer instanceof ArrayBuffer) || buffer.byteLength > 0) return false;
	try {
		return new Uint8Array(buffer).byteLength > 0;
	} catch {
		return true;
	}
}

// A Buffer is a view into a pool that it shares with others; the answer is bytes of its own and of the plain class.
function asPlainBytes(bytes: Uint8Array): Uint8Array {
	const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
	const own = whole && bytes.constructor === Uint8Array && bytes.buffer instanceof ArrayBuffer;
	return own ? bytes : new Uint8Array(bytes);
}

interface Place {
	readonly path: string;
	readonly depth: number;
	readonly above: object[];
	/** How many values the whole copy may yet hold. */
	readonly room: { values: number };
}

// Asked before the values are looked at: a list may say that it has thousands of millions of them.
function demandRoom({ path, room }: Place, values: number): void {
	if (values > room.values) throw new NotData(path, `it holds more than ${DATA_VALUES_MAX} values`, true);
}

function copyAt(value: unknown, place: Place): JsonValue | undefined {
	switch (typeof value) {
		case "string":
		case "boolean":
			return value;
		case "number":
			// JSON has no negative zero; kept, it would be gone once the answer is read back from a ledger.
			return Number.isFinite(value) ? value + 0 : null;
		case "undefined":
			return undefined;
		case "bigint":
			return value.toString();
		case "object":
			return value === null ? null : copyObject(value, place);
		default:
			throw new NotData(place.path, `a ${typeof value} is not data`);
	}
}

function copyObject(value: object, place: Place): JsonValue | undefined {
	if (place.above.includes(value)) throw new NotData(place.path, "it contains itself");
	if (place.depth >= JSON_DEPTH_MAX) {
		throw new NotData(place.path, `it is nested more than ${JSON_DEPTH_MAX} levels deep`);
	}
	place.above.push(value);
	const copy = copyKind(value, place);
	place.above.pop();
	return copy;
}

function copyKind(value: object, place: Place): JsonValue | undefined {
	if (Array.isArray(value)) return copyList(value, place);
	if (typeof (value as { then?: unknown }).then === "function") {
		throw new NotData(place.path, "a promise is not data; await it first");
	}
	const toJson = (value as { toJSON?: unknown }).toJSON;
	if (typeof toJson === "function" && !(value instanceof Uint8Array)) {
		const data: unknown = toJson.call(value);
		// As in JSON, one that answers itself is copied field by field.
		if (data !== value) return copyAt(data, { ...place, depth: place.depth + 1 });
	}
	// What most data is made of is none of the kinds below.
	if (Object.getPrototypeOf(value) === Object.prototype) return copyFields(Object.entries(value), place);
	if (isBoxed(value)) return copyAt(value.valueOf(), place);
	if (value instanceof Map) return copyMap(value, place);
	if (value instanceof Set) return copyList([...value], place);
	if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
		if (isMovedAway(value)) throw new NotData(place.path, MOVED_AWAY);
		demandRoom(place, (value as unknown as { readonly length: number }).length);
		return copyList([...(value as unknown as Iterable<unknown>)], place);
	}
	if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
		if (isMovedAway(value)) throw new NotData(place.path, MOVED_AWAY);
		demandRoom(place, value.byteLength);
		return copyList([...new Uint8Array(value)], place);
	}
	if (value instanceof Error) return copyFields(Object.entries({ name: value.name, message: value.message }), place);
	if (value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
		throw new NotData(place.path, `a ${value.constructor.name} is not data`);
	}
	return copyFields(Object.entries(value), place);
}

function copyList(list: readonly unknown[], place: Place): JsonValue {
	demandRoom(place, list.length);
	place.room.values -= list.length;
	const copy: JsonValue[] = [];
	for (let index = 0; index < list.length; index += 1) {
		const item = list[index];
		const inner = isPlain(item) ? item : copyAt(item, within(place, `[${index}]`));
		copy.push(inner === undefined ? null : inner);
	}
	return copy;
}

function copyMap(map: ReadonlyMap<unknown, unknown>, place: Place): JsonValue {
	const pairs = [...map];
	const keyed = pairs.every(([key]) => typeof key === "string");
	return keyed ? copyFields(pairs as [string, unknown][], place) : copyList(pairs, place);
}

function copyFields(fields: readonly [string, unknown][], place: Place): JsonValue {
	demandRoom(place, fields.length);
	place.room.values -= fields.length;
	const copy: Record<string, JsonValue> = {};
	for (const [key, field] of fields) {
		const inner = isPlain(field) ? field : copyAt(field, within(place, pathStep(key)));
		if (inner === undefined) continue;
		// Assigning to `__proto__` would set the prototype and lose the field.
		if (key === "__proto__")
			Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
		else copy[key] = inner;
	}
	return copy;
}

function isBoxed(value: object): boolean {
	return value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt;
}

// The path of a place is built only for values that can fail, so that copying plain fields costs no text.
function isPlain(value: unknown): value is string | boolean | null {
	return typeof value === "string" || typeof value === "boolean" || value === null;
}

function within(place: Place, step: string): Place {
	return { path: place.path + step, depth: place.depth + 1, above: place.above, room: place.room };
}

function pathStep(key: string): string {
	return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
