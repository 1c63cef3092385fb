// Lineage
//
// The chain of calls that a nested call descends from. A call takes again, without waiting, what its own lineage holds,
// and a circle of calls that wait for each other is found by asking whose lineage holds what.
//
// A lineage is passed by hand where the engine has it at hand, and carried by AsyncLocalStorage into a tool's code, where
// nobody passes anything. A tool on a worker thread asks through its context, which stays on this thread (the link of
// workers/ carries the question, not the lineage), so a lineage never leaves the thread it was made on.
//
// Owns:      the chain and its way through asynchronous code.
// Does not:  hold keys (keyed-lock.ts); it only counts what the locks say.
//
// Invariants:
//   LG1. The shape below is shared by every copy of the package on the thread, so it is data without a class.

import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "./process-wide.js";

/**
 * A call's place in the tree of calls. Opaque to a host: the fields belong to the locks.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Lineage {
	/** What the call was made by; nothing for one that nobody made. */
	readonly parent: Lineage | undefined;
	/** How many grants it holds itself, in every lock of the thread. */
	held: number;
	/** What waits of it and everything below it. Mostly that is one thing, and a set for it would show in every wait. */
	waiting: object | Set<object> | undefined;
	/** The call it belongs to, as the engine that runs it knows it. */
	readonly call: unknown;
}

/** What the locks tell a call. */
export interface LineageCall {
	/** Something of the call has begun to wait, or waits no more. It must not come back to a lock before it returns. */
	onWaiting(): void;
}

const NOTHING: readonly object[] = [];

const storage = processWide<AsyncLocalStorage<Lineage>>("wavetrain.lineage.v1", () => new AsyncLocalStorage());

/** A call of its own, or one run by `parent`. LG1: plain data, so every copy reads what any copy made. */
export function newLineage(parent?: Lineage, call?: LineageCall): Lineage {
	return { parent, call, held: 0, waiting: undefined };
}

/** The lineage of the code that asks; `undefined` outside every call. */
export function currentLineage(): Lineage | undefined {
	return storage.getStore();
}

/** Runs `code`, and everything it starts, as a part of the lineage. */
export function runInLineage<Given extends unknown[], Result>(
	lineage: Lineage,
	code: (...given: Given) => Result,
	...given: Given
): Result {
	return storage.run(lineage, code, ...given);
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
		tell(at);
	}
}

export function stopWaiting(lineage: Lineage | undefined, what: object): void {
	for (let at = lineage; at !== undefined; at = at.parent) {
		if (at.waiting === what) at.waiting = undefined;
		else if (at.waiting instanceof Set) at.waiting.delete(what);
		tell(at);
	}
}

function tell({ call }: Lineage): void {
	// The cast holds because `newLineage` takes nothing else, in every copy.
	(call as LineageCall | undefined)?.onWaiting();
}

/** Whether anything of the lineage or below it waits. */
export function isWaiting(lineage: Lineage | undefined): boolean {
	return waitingOf(lineage).length > 0;
}

/** What waits of the lineage and everything below it. */
export function waitingOf(lineage: Lineage | undefined): readonly object[] {
	if (lineage?.waiting === undefined) return NOTHING;
	return lineage.waiting instanceof Set ? [...lineage.waiting] : [lineage.waiting];
}
