// Lock cycle
//
// Two calls that each hold a key and, through a call they run, wait for the other's would wait for ever. What a hold
// waits for is read from the queues as they stand; nothing is kept beside them, so calls that do not nest pay nothing.
//
// Owns:      the search, and the error of the one that would close a circle.
// Does not:  decide when to search (lock-table.ts).
//
// The edges of the search:
//   1. A waiting hold waits for every hold that conflicts with it at a key and is ahead of it or holds the key, its own
//      lineage's grants excepted.
//   2. A granted hold ends only when its call does, and the call waits for whatever it or a call below it waits for.

import { EngineError } from "../core/errors.js";
import type { Hold, Place } from "./hold.js";
import { isWithin, type Lineage, waitingOf } from "./lineage.js";

/** One step of a circle: who waits, for which key, and who has it or is ahead. */
interface Edge {
	readonly from: Hold;
	readonly key: string;
	readonly to: Hold;
}

/**
 * The key could not be waited for: the holder waits, over some other key, for the one that asks. The others of the
 * circle go on.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export class LockCycleError extends EngineError<"TOOL_LOCK_CYCLE"> {
	/** Who waits for which key of whom, as a sentence. */
	readonly circle: string;

	constructor(circle: string) {
		super("TOOL_LOCK_CYCLE", { action: "wait for the lock keys", problem: `it would never end: ${circle}` });
		this.name = "LockCycleError";
		this.circle = circle;
	}
}

/** Why `hold`, waiting, would wait for itself; `undefined` if it would not. */
export function circleOf(hold: Hold): LockCycleError | undefined {
	const path = search(hold, hold);
	if (path === undefined) return undefined;
	const steps = path.map(({ from, key, to }) => `${from.name} waits for ${JSON.stringify(key)} of ${to.name}`);
	return new LockCycleError(steps.join(", "));
}

/** Whether `waiting` cannot go before what the lineage of `hold` holds is let go. */
export function waitsFor(waiting: Hold, hold: Hold): boolean {
	return search(waiting, hold) !== undefined;
}

// A depth-first walk from `start`; a plain stack, because chains of thousands of waiters are no reason to run out of one.
function search(start: Hold, target: Hold): Edge[] | undefined {
	const cameBy = new Map<Hold, Edge | undefined>([[start, undefined]]);
	const open = [start];
	for (let from = open.pop(); from !== undefined; from = open.pop()) {
		for (const edge of edgesFrom(from)) {
			if (edge.to === target || endsWithin(edge.to, target.lineage)) return pathTo(edge, cameBy);
			for (const next of edge.to.phase === "granted" ? waitsBelow(edge.to.lineage) : [edge.to]) {
				if (cameBy.has(next)) continue;
				cameBy.set(next, edge);
				open.push(next);
			}
		}
	}
	return undefined;
}

function endsWithin(hold: Hold, lineage: Lineage | undefined): boolean {
	return hold.phase === "granted" && isWithin(lineage, hold.lineage);
}

function waitsBelow(lineage: Lineage | undefined): readonly Hold[] {
	// The cast holds because the locks are the only ones that say what waits, and they name holds.
	return waitingOf(lineage) as readonly Hold[];
}

function pathTo(last: Edge, cameBy: ReadonlyMap<Hold, Edge | undefined>): Edge[] {
	const path = [last];
	for (let edge = cameBy.get(last.from); edge !== undefined; edge = cameBy.get(edge.from)) path.push(edge);
	return path.reverse();
}

function* edgesFrom(from: Hold): Generator<Edge> {
	for (let place: Place | undefined = from; place !== undefined; place = place.sibling) {
		if (place.state !== "blocked" || place.meeting === undefined) continue;
		for (const to of place.meeting.inTheWay(place)) yield { from, key: place.key, to };
	}
}
