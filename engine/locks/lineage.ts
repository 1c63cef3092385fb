// Lineage
//
// The chain of calls that a nested call descends from. A call takes again, without waiting, what its own lineage holds,
// and a circle of calls that wait for each other is found by asking whose lineage holds what.
//
// A lineage is passed by hand where the engine has it at hand, and carried by AsyncLocalStorage into a tool's code, where
// nobody passes anything. A worker thread has neither; it is told the wire form, a list of ids.
//
// Owns:      the chain, its way through asynchronous code and to other threads.
// Does not:  hold keys (keyed-lock.ts); it only counts what the locks say.
//
// Invariants:
//   LG1. On one thread, one lineage is one object: a wire form that comes home gives back the very object it was made of.
//   LG2. The shape below is shared by every copy of the package on the thread, so it is data without a class.

import { AsyncLocalStorage } from "node:async_hooks";
import { threadId } from "node:worker_threads";
import { invariant } from "../core/invariant.js";
import { processWide } from "./process-wide.js";

/**
 * A call's place in the tree of calls. Opaque to a host: the fields belong to the locks.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Lineage {
	readonly parent: Lineage | undefined;
	/** How many grants it holds itself, in every lock of the thread. */
	held: number;
	/** What waits of it and everything below it. Mostly that is one thing, and a set for it would show in every wait. */
	waiting: object | Set<object> | undefined;
	/** The call it belongs to, as the engine that runs it knows it. */
	readonly call: unknown;
	/** Its name on other threads, given when it first goes to one. */
	id: string | undefined;
}

const NOTHING: readonly object[] = [];

interface Shared {
	readonly storage: AsyncLocalStorage<Lineage>;
	readonly known: Map<string, WeakRef<Lineage>>;
	readonly forgotten: FinalizationRegistry<string>;
	count: number;
}

const shared = processWide<Shared>("wavetrain.lineage.v1", () => {
	const known = new Map<string, WeakRef<Lineage>>();
	const forgotten = new FinalizationRegistry<string>((id) => {
		// The id may have come over the wire again since and stand for a new object.
		if (known.get(id)?.deref() === undefined) known.delete(id);
	});
	return { storage: new AsyncLocalStorage(), known, forgotten, count: 0 };
});

/** A call of its own, or one run by `parent`. LG2: plain data, so every copy reads what any copy made. */
export function newLineage(parent?: Lineage, call?: unknown): Lineage {
	return { parent, call, held: 0, waiting: undefined, id: undefined };
}

/** The lineage of the code that asks; `undefined` outside every call. */
export function currentLineage(): Lineage | undefined {
	return shared.storage.getStore();
}

/** Runs `code`, and everything it starts, as a part of the lineage. */
export function runInLineage<Result>(lineage: Lineage, code: () => Result): Result {
	return shared.storage.run(lineage, code);
}

/** Whether `inner` is `outer` or descends from it. No lineage is within none. */
export function isWithin(inner: Lineage | undefined, outer: Lineage | undefined): boolean {
	if (outer === undefined) return false;
	for (let at = inner; at !== undefined; at = at.parent) if (at === outer) return true;
	return false;
}

/** Whether the lineage or one above it holds anything, in any lock. */
export function holdsAnything(lineage: Lineage | undefined): boolean {
	for (let at = lineage; at !== undefined; at = at.parent) if (at.held > 0) return true;
	return false;
}

/** Says that something of the lineage waits; everything above it then waits as well. */
export function startWaiting(lineage: Lineage | undefined, what: object): void {
	for (let at = lineage; at !== undefined; at = at.parent) {
		if (at.waiting === undefined) at.waiting = what;
		else if (at.waiting instanceof Set) at.waiting.add(what);
		else at.waiting = new Set([at.waiting, what]);
	}
}

export function stopWaiting(lineage: Lineage | undefined, what: object): void {
	for (let at = lineage; at !== undefined; at = at.parent) {
		if (at.waiting === what) at.waiting = undefined;
		else if (at.waiting instanceof Set) at.waiting.delete(what);
	}
}

/** What waits of the lineage and everything below it. */
export function waitingOf(lineage: Lineage | undefined): readonly object[] {
	if (lineage?.waiting === undefined) return NOTHING;
	return lineage.waiting instanceof Set ? [...lineage.waiting] : [lineage.waiting];
}

/** The ids of the chain, outermost first, for a message to another thread. */
export function lineageToWire(lineage: Lineage): readonly string[] {
	const ids: string[] = [];
	for (let at: Lineage | undefined = lineage; at !== undefined; at = at.parent) ids.push(idOf(at));
	return ids.reverse();
}

/** The lineage that a message names; the ids are those of {@link lineageToWire}. */
export function lineageFromWire(ids: readonly string[]): Lineage {
	let at: Lineage | undefined;
	for (const id of ids) at = shared.known.get(id)?.deref() ?? remembered(newLineage(at), id);
	invariant(at !== undefined, "LG1", "a lineage came over the wire without an id");
	return at;
}

// The thread's number keeps apart what two threads have numbered: ids of both meet where a thread asks its host.
function idOf(lineage: Lineage): string {
	if (lineage.id !== undefined) return lineage.id;
	shared.count += 1;
	remembered(lineage, `${threadId}.${shared.count}`);
	return idOf(lineage);
}

function remembered(lineage: Lineage, id: string): Lineage {
	lineage.id = id;
	shared.known.set(id, new WeakRef(lineage));
	shared.forgotten.register(lineage, id);
	return lineage;
}
