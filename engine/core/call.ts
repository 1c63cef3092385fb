// Call
//
// One tool call as a model asked for it, and how its raw arguments become a JSON object. Providers leave ids out or
// repeat them, so an id is only echoed; inside the engine a call is its index in the wave.
//
// Owns:      the call's shape and the reading of raw arguments, once a call.
// Does not:  judge the object by a schema (tool.ts).

import { isScanProblem, scanJson } from "./json-scanner.js";
import { canonicalJson, copyJson, isDeeper, type JsonObject } from "./json-value.js";
import { ARGUMENTS_CHARS_MAX, JSON_DEPTH_MAX } from "./limits.js";
import { isPlainArguments } from "./plain-arguments.js";

/**
 * One call of a wave.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolCall {
	/** The provider's id; may be empty or repeated. Echoed unchanged. */
	readonly id: string;
	/** The tool's name, as the model wrote it. */
	readonly name: string;
	/** A JSON value, or the provider's JSON text. */
	readonly args: unknown;
}

/** A call as the engine hands it on: a copy of its own, so that an object that is given twice is two calls. */
export class PlacedCall implements ToolCall {
	readonly id: string;
	readonly name: string;
	readonly args: unknown;
	readonly #index: number;

	/**
	 * An id or a name of another type becomes text; what is missing or cannot be read is empty. A host hands over whatever
	 * its provider sent, and one call that is no call must not cost the others of its wave.
	 */
	constructor(given: ToolCall, index: number) {
		this.id = textIn(given, "id");
		this.name = textIn(given, "name");
		this.args = argsIn(given);
		this.#index = index;
	}

	/** The call's index in its wave. No field, so that a call stays what a host knows: an id, a name and arguments. */
	get place(): number {
		return this.#index;
	}

	/** The call's index in its wave; nothing for a call that is not the engine's. */
	static indexOf(call: ToolCall): number | undefined {
		return #index in call ? call.#index : undefined;
	}
}

function textIn(given: ToolCall, name: keyof ToolCall): string {
	const value = fieldIn(given, name);
	if (typeof value === "string") return value;
	try {
		return String(value ?? "");
	} catch {
		return "";
	}
}

/** Where providers and libraries have what is `args` here. */
const OTHER_NAMES = ["arguments", "input", "parameters"];

// To run a call without the arguments it was given under another name would be to run another call.
function argsIn(given: ToolCall): unknown {
	const args = fieldIn(given, "args");
	if (args !== undefined) return args;
	const other = OTHER_NAMES.find((name) => (fieldIn(given, name) ?? undefined) !== undefined);
	if (other === undefined) return undefined;
	return { [UNREADABLE]: `\`args\`, which is missing: the call object has \`${other}\` in its place` };
}

function fieldIn(given: ToolCall, name: string): unknown {
	try {
		return (given as unknown as Readonly<Record<string, unknown>>)[name];
	} catch {
		return undefined;
	}
}

/** What reading raw arguments gave: an object, or the position in the text where it stops being one. */
export type ReadArguments =
	| { readonly ok: true; readonly args: JsonObject }
	| { readonly ok: false; readonly problem: string; readonly position?: number };

/**
 * The one name in what is written down of arguments that are no data. Read again, from a checkpoint or a ledger, they are
 * as unreadable as they were.
 */
export const UNREADABLE = "$unreadable";

/** Reads raw arguments. Blank text, `"null"`, `null` and nothing at all are `{}`; nothing is repaired. */
export function readArguments(raw: unknown): ReadArguments {
	if (typeof raw === "string") return readText(raw);
	if (raw === undefined || raw === null) return { ok: true, args: {} };
	const copied = copyJson(raw);
	if (!copied.ok) return { ok: false, problem: `they are not JSON at ${copied.path}: ${copied.problem}` };
	const read = asObject(copied.value);
	const where = read.ok ? read.args[UNREADABLE] : undefined;
	return typeof where === "string" ? { ok: false, problem: `they are not JSON at ${where}` } : read;
}

/** Equal calls have equal keys, whatever the order of their fields and whether they came as text or as a value. */
export function argumentsKey(raw: unknown): string {
	if (typeof raw === "string" && isPlainArguments(raw)) return raw;
	const read = readArguments(raw);
	if (!read.ok) return `unreadable:${typeof raw === "string" ? raw : read.problem}`;
	// Numbers that are too large to be told apart must not make two calls one, nor one of them a call without a number.
	const isLost = typeof raw === "string" && MAY_OVERFLOW.test(raw) && overflows(read.args);
	return isLost ? `overflow:${raw}` : canonicalJson(read.args);
}

const MAY_OVERFLOW = /[0-9][eE]\+?[0-9]{3}|[0-9]{309}/;

/** Whether a number of a JSON text became infinite when it was read. */
function overflows(value: unknown): boolean {
	if (typeof value === "number") return !Number.isFinite(value);
	return typeof value === "object" && value !== null && Object.values(value).some(overflows);
}

/** Whether two calls ask for the same: the tool and its arguments, whatever their ids. */
export function sameCall(one: ToolCall, other: ToolCall): boolean {
	if (one.name !== other.name) return false;
	return Object.is(one.args, other.args) || argumentsKey(one.args) === argumentsKey(other.args);
}

function readText(text: string): ReadArguments {
	if (text.length > ARGUMENTS_CHARS_MAX) {
		return {
			ok: false,
			problem: `they are longer than ${ARGUMENTS_CHARS_MAX} characters`,
			position: ARGUMENTS_CHARS_MAX,
		};
	}
	const trimmed = text.trim();
	if (trimmed === "" || trimmed === "null") return { ok: true, args: {} };
	try {
		const value: unknown = JSON.parse(text);
		// `JSON.parse` knows no depth; what walks the arguments later would exhaust the stack. A level takes two characters.
		const mayBeDeep = text.length > 2 * JSON_DEPTH_MAX;
		return mayBeDeep && isDeeper(value, JSON_DEPTH_MAX) ? unreadable(text) : asObject(value, text);
	} catch {
		return unreadable(text);
	}
}

// Node's own message names no position for short texts, and words differ between versions.
function unreadable(text: string): ReadArguments {
	const scan = scanJson(text);
	const position = isScanProblem(scan) ? scan.position : text.length;
	const problem = isScanProblem(scan) ? scan.problem : "the text is not JSON";
	return { ok: false, problem: `${problem} at position ${position}`, position };
}

function asObject(value: unknown, text?: string): ReadArguments {
	if (typeof value === "object" && value !== null && !Array.isArray(value)) {
		return { ok: true, args: value as JsonObject };
	}
	const kind = Array.isArray(value) ? "a list" : `a ${value === null ? "null" : typeof value}`;
	const position = text === undefined ? 0 : text.length - text.trimStart().length;
	return { ok: false, problem: `they are ${kind}, not an object, at position ${position}`, position };
}
