// Lock keys
//
// What a call names to be kept apart from others: texts, compared as they are.
//
// Owns:      the two forms in which keys are named, reading either, refusing what is neither, and joining what was named
//            twice.
// Does not:  hold anything (locks/).
//
// Invariants:
//   LK1. What names keys only seemingly (a set, a promise, lists that are inherited) is refused: it would be held by nobody,
//        and the call would run unlocked.

import { EngineError } from "./errors.js";
import { type KnownFields, strayField } from "./known-fields.js";
import { showValue } from "./show-value.js";
import { hearOut, isThenable } from "./thenable.js";

/**
 * Keys a call holds while it runs; a plain list is exclusive. A key in both lists is exclusive. Nothing else names keys: a
 * set, a promise of keys that was not awaited and the like are refused.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type LockKeys = readonly string[] | { readonly read?: readonly string[]; readonly write?: readonly string[] };

/** Keys, whichever form they were named in. */
export interface KeyLists {
	/** Exclusive. */
	readonly write: readonly string[];
	/** Shared. */
	readonly read: readonly string[];
}

const FIELDS: KnownFields<KeyLists> = { read: true, write: true };
const NONE: readonly string[] = [];

/** The exclusive and the shared keys of what is known to be keys. */
export function keyLists(keys: LockKeys): KeyLists {
	if (Array.isArray(keys)) return { write: keys, read: NONE };
	// `Array.isArray` does not narrow a readonly list away.
	const { write = NONE, read = NONE } = keys as Partial<KeyLists>;
	return { write, read };
}

/** The same of what a host named. LK1: throws `INVALID_OPTIONS` for what are no keys. */
export function checkedKeys(keys: unknown): KeyLists {
	const lists = readKeys(keys);
	if (lists !== undefined) return lists;
	const problem = problemOf(keys);
	hearOutAll(keys);
	throw new EngineError("INVALID_OPTIONS", { action: "lock keys", problem });
}

function readKeys(keys: unknown): KeyLists | undefined {
	if (areTexts(keys)) return { write: keys, read: NONE };
	if (typeof keys !== "object" || keys === null || Array.isArray(keys)) return undefined;
	let own = 0;
	for (const field of Object.keys(keys)) {
		if (!Object.hasOwn(FIELDS, field)) return undefined;
		own += 1;
	}
	// Lists that are not the object's own would be lost where it is copied: on the way from a thread, in a checkpoint.
	if (own !== listed(keys) || Symbol.iterator in keys || (own === 0 && !isPlain(keys))) return undefined;
	const lists = keyLists(keys);
	return areTexts(lists.write) && areTexts(lists.read) ? lists : undefined;
}

/** Both, where more was taken than was named at first; the first itself where the second adds nothing. */
export function joinedKeys(first: LockKeys, second: LockKeys): LockKeys {
	const [before, more] = [keyLists(first), keyLists(second)];
	const isNew = (kind: "write" | "read") => more[kind].some((key) => !before[kind].includes(key));
	if (!isNew("write") && !isNew("read")) return first;
	return {
		write: [...new Set([...before.write, ...more.write])],
		read: [...new Set([...before.read, ...more.read])],
	};
}

function areTexts(list: unknown): list is readonly string[] {
	if (!Array.isArray(list)) return false;
	for (const key of list) if (typeof key !== "string") return false;
	return true;
}

const listed = (keys: object): number => Number("read" in keys) + Number("write" in keys);

// One of another realm has another prototype, which has none either.
function isPlain(keys: object): boolean {
	const prototype = Object.getPrototypeOf(keys);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function problemOf(keys: unknown): string {
	const shown = showValue(keys);
	const isRecord = typeof keys === "object" && keys !== null && !Array.isArray(keys);
	if (isPromise(keys)) return `the keys are a promise of keys, ${shown}: await it`;
	if (isRecord && !(Symbol.iterator in keys) && (isPlain(keys) || listed(keys) > 0)) {
		const stray = strayField(keys, FIELDS);
		if (stray !== undefined) return stray;
	}
	const none = `the keys are ${shown}, neither a list of texts nor { read, write } of such`;
	const awaited = partsOf(keys).some(isPromise) ? ": there is a promise among them, so await it" : "";
	return none + (awaited || hintOf(keys, isRecord));
}

function hintOf(keys: unknown, isRecord: boolean): string {
	if (isIterable(keys)) return ": make it a list, [...keys]";
	if (!isRecord) return "";
	const { read, write } = keys as Partial<Record<"read" | "write", unknown>>;
	if (isIterable(write)) return ": make it a list, [...write]";
	if (isIterable(read)) return ": make it a list, [...read]";
	return listed(keys as object) > 0 && readKeys({ read, write }) !== undefined ? " of its own" : "";
}

/** Of what holds texts, perhaps, but is no list of them. */
function isIterable(value: unknown): boolean {
	return typeof value === "object" && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

/** What may have been put where a text, or a list of them, belongs. */
function partsOf(keys: unknown): readonly unknown[] {
	if (Array.isArray(keys)) return keys;
	if (typeof keys !== "object" || keys === null) return [];
	const { read, write } = keys as Partial<Record<"read" | "write", unknown>>;
	return [read, write].flat();
}

function isPromise(value: unknown): boolean {
	try {
		return isThenable(value);
	} catch {
		return false;
	}
}

/** Nobody else hears what becomes of a promise that was given in place of keys. */
function hearOutAll(keys: unknown): void {
	for (const value of [keys, ...partsOf(keys)]) hearOut(value);
}
