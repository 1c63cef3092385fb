// Odd keys
//
// What hosts and tools hand over as lock keys: forms that name keys, and values that name none though they look as if. On
// threads too, where they are made in place, because most of them cannot cross.
//
// Owns:      those values by name, and the tool that takes one on its thread.
// Does not:  say what becomes of one.

import { runInNewContext } from "node:vm";
import { isEngineError } from "../../../engine/core/errors.js";
import type { LockKeys } from "../../../engine/core/lock-keys.js";
import type { ToolContext } from "../../../engine/core/tool-context.js";

class Own {
	readonly #kept = 1;
	readonly write = ["a", "b"];
	kept(): number {
		return this.#kept;
	}
}

class Inherited {
	get write(): string[] {
		return ["a"];
	}
}

class Half extends Inherited {
	readonly read = ["b"];
}

class Named extends Inherited {
	readonly name = "b";
}

class Hidden {
	readonly #keys = ["a"];
	kept(): string[] {
		return this.#keys;
	}
}

function* each(): Generator<string> {
	yield "a";
}

async function* eachLater(): AsyncGenerator<string> {
	yield "a";
}

// The very object that a function is called with, for which there is no other way to get it.
function argumentsOf(..._given: string[]): unknown {
	// biome-ignore lint/complexity/noArguments: it is the value in question.
	return arguments;
}

const iterable = (): object => ({ [Symbol.iterator]: each });

/** Each with what it says when it is refused, beside what every refusal says. */
export const ODD_KEYS: Readonly<Record<string, readonly [make: () => unknown, said: string]>> = {
	"a Set": [() => new Set(["a"]), "[...keys]"],
	"an empty Set": [() => new Set(), "[...keys]"],
	"a Map": [() => new Map([["a", 1]]), "[...keys]"],
	"a generator": [each, "[...keys]"],
	"an async generator": [eachLater, "neither a list of texts"],
	"an iterator": [() => ["a"].values(), "[...keys]"],
	"an iterable without a field": [iterable, "[...keys]"],
	"an iterable with a list": [() => ({ ...iterable(), write: ["a"] }), "[...keys]"],
	"an arguments object": [argumentsOf, "[...keys]"],
	"a typed array": [() => new Uint8Array([1]), "neither a list of texts"],
	"an empty Buffer": [() => Buffer.alloc(0), "neither a list of texts"],
	"an ArrayBuffer": [() => new ArrayBuffer(1), "neither a list of texts"],
	"a Date": [() => new Date(0), "neither a list of texts"],
	"a pattern": [() => /a/, "/a/"],
	"an error": [() => new Error("a"), "Error: a"],
	"a URL": [() => new URL("file:///a"), "neither a list of texts"],
	"a WeakSet": [() => new WeakSet(), "neither a list of texts"],
	"a promise of keys": [() => Promise.resolve(["a"]), "await it"],
	"a promise that fails": [() => Promise.reject(new Error("no such file")), "await it"],
	// biome-ignore lint/suspicious/noThenProperty: a promise of another library.
	"a thenable": [() => ({ then: (take: (keys: string[]) => void) => take(["a"]) }), "await it"],
	"a thenable with a list": [
		// biome-ignore lint/suspicious/noThenProperty: a promise of another library.
		() => ({ then: (take: (keys: string[]) => void) => take(["a"]), write: ["a"] }),
		"await it",
	],
	"a list with a promise": [() => ["a", Promise.reject(new Error("no such file"))], "await it"],
	"a promise of a list to read": [() => ({ read: Promise.reject(new Error("no such file")) }), "await it"],
	"a list to write with a promise": [() => ({ write: [Promise.reject(new Error("no"))], read: [] }), "await it"],
	"a function": [() => () => ["a"], "neither a list of texts"],
	"a number": [() => 5, "5"],
	"a truth": [() => true, "true"],
	"a symbol": [() => Symbol("a"), "Symbol(a)"],
	"a big number": [() => 5n, "5n"],
	"a text": [() => "abc", '"abc"'],
	"a text as an object": [() => new String("abc"), "neither a list of texts"],
	"a number as an object": [() => new Number(5), "neither a list of texts"],
	nothing: [() => undefined, "undefined"],
	null: [() => null, "null"],
	"a list with a number": [() => ["a", 1], "1"],
	"a list with a hole": [() => ["a"].concat(new Array(1)), "empty item"],
	"a list in a list": [() => [["a"]], "neither a list of texts"],
	"a list with an empty list": [() => [[]], "neither a list of texts"],
	"a list to write that is a text": [() => ({ write: "abc" }), "neither a list of texts"],
	"a list to write that is a Set": [() => ({ write: new Set(["a"]) }), "[...write]"],
	"a list to read that is null": [() => ({ read: null }), "null"],
	"a list to read with a number": [() => ({ read: ["a", 1], write: ["b"] }), "1"],
	"another field": [() => ({ writes: ["a"] }), 'perhaps "write" is meant'],
	"another field beside a list": [() => ({ write: ["a"], reads: ["b"] }), 'perhaps "read" is meant'],
	"what is numbered as a list": [() => ({ 0: "a", length: 1 }), "is not known"],
	"an object of a class": [() => new Hidden(), "neither a list of texts"],
	"an object whose class has the list": [() => new Inherited(), "of its own"],
	"an object one of whose lists is its class's": [() => new Half(), "of its own"],
	"an object with another field whose class has the list": [() => new Named(), "is not known"],
	"an object whose list is inherited": [() => Object.create({ write: ["a"] }), "of its own"],
	"an object whose list is hidden": [() => Object.defineProperty({}, "write", { value: ["a"] }), "of its own"],
};

/** Each with how many keys it names. */
export const GOOD_KEYS: Readonly<Record<string, readonly [make: () => LockKeys, count: number]>> = {
	"an empty list": [() => [], 0],
	"one key": [() => ["a"], 1],
	"several keys": [() => ["a", "b", "a"], 2],
	"a frozen list": [() => Object.freeze(["a"]), 1],
	"an object without a list": [() => ({}), 0],
	"lists left empty": [() => ({ read: undefined, write: undefined }) as unknown as LockKeys, 0],
	"a list to write": [() => ({ write: ["a"] }), 1],
	"a list to read": [() => ({ read: ["a"] }), 1],
	"both lists": [() => ({ read: ["a", "b"], write: ["b", "c"] }), 3],
	"lists without a prototype": [() => Object.assign(Object.create(null), { write: ["a"] }), 1],
	"an object of a class with a list of its own": [() => new Own(), 2],
	"a list of another realm": [() => runInNewContext("['a']"), 1],
	"lists of another realm": [() => runInNewContext("({ write: ['a'] })"), 1],
	"no lists of another realm": [() => runInNewContext("({})"), 0],
};

/** Takes the keys of the name and answers the error's code and message, or that it has them. */
export async function lockOdd({ name }: { name: string }, { lock }: ToolContext): Promise<string> {
	const keys = (ODD_KEYS[name] ?? GOOD_KEYS[name])?.[0]();
	try {
		(await lock(keys as LockKeys))();
		return "held";
	} catch (error) {
		return isEngineError(error) ? `${error.code} ${error.message}` : `another error: ${String(error)}`;
	}
}
