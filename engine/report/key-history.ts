// Key history
//
// Who held each key, one holder after another, and who waited for whom: what a person needs to see why calls that looked
// free did not run at once.
//
// Owns:      the history of each key, from events.
// Does not:  hold keys (locks/) or print (cli/).
//
// Invariants:
//   KH1. A key's holds stand in the order in which they were granted, and only what is still held is open.

import type { CallPlace, EngineEvent, KeyBlocker } from "../core/events.js";

/**
 * One call at one key.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface KeyHold {
	/** The call that held it. */
	readonly call: CallPlace;
	/** Whether nobody else could hold it meanwhile. */
	readonly exclusive: boolean;
	/** When it began to wait; undefined where it did not wait. */
	readonly waitedFromMs?: number;
	/** Who was in the way when the wait began. */
	readonly waitedFor?: string;
	/** By the events' clock, in milliseconds. */
	readonly heldFromMs: number;
	/** Undefined while it is held. */
	readonly heldToMs?: number;
}

/**
 * What happened at one key; calls that wait and have not been let through stand in `waiting`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface KeyHistory {
	/** The key. */
	readonly key: string;
	/** Who held it, in order. */
	readonly holds: readonly KeyHold[];
	/** Who still waited for it when the events ended. */
	readonly waiting: readonly { readonly call: CallPlace; readonly fromMs: number; readonly waitedFor: string }[];
}

interface Wait {
	readonly call: CallPlace;
	readonly fromMs: number;
	readonly blockers: readonly KeyBlocker[];
}

/**
 * The history of every key that the events tell of, in the order in which keys were first held or waited for.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function keyHistoryOf(events: Iterable<EngineEvent>): KeyHistory[] {
	const holds = new Map<string, KeyHold[]>();
	const waits = new Map<string, Wait>();
	const holdsAt = (key: string): KeyHold[] => {
		const known = holds.get(key) ?? [];
		holds.set(key, known);
		return known;
	};
	for (const event of events) {
		if (event.kind === "call_waiting") {
			const { blockers = [], atMs } = event;
			waits.set(callKey(event), { call: event, fromMs: atMs, blockers });
			for (const { key } of blockers) holdsAt(key);
		} else if (event.kind === "call_holds_keys") {
			const wait = waits.get(callKey(event));
			waits.delete(callKey(event));
			for (const key of event.write) holdsAt(key).push(holdOf(event, key, { exclusive: true, wait }));
			for (const key of event.read) holdsAt(key).push(holdOf(event, key, { exclusive: false, wait }));
		} else if (event.kind === "call_released_keys") {
			for (const key of [...event.write, ...event.read]) close(holdsAt(key), event);
		} else if (event.kind === "call_settled") {
			// A call that settled while it waited gave up its place.
			waits.delete(callKey(event));
		}
	}
	return [...holds].map(([key, list]) => ({ key, holds: list, waiting: waitingAt(key, waits.values()) }));
}

function holdOf(
	event: CallPlace & { readonly atMs: number },
	key: string,
	{ exclusive, wait }: { readonly exclusive: boolean; readonly wait: Wait | undefined },
): KeyHold {
	const blocker = wait?.blockers.find((one) => one.key === key);
	const waited = wait === undefined ? {} : { waitedFromMs: wait.fromMs };
	const waitedFor = blocker === undefined ? {} : { waitedFor: blocker.holder };
	return { call: event, exclusive, ...waited, ...waitedFor, heldFromMs: event.atMs };
}

// KH1: the grant that is closed is the call's own that is still open; a call may hold one key twice.
function close(list: KeyHold[], event: CallPlace & { readonly atMs: number }): void {
	const at = list.findIndex((hold) => hold.heldToMs === undefined && callKey(hold.call) === callKey(event));
	const hold = list[at];
	if (hold !== undefined) list[at] = { ...hold, heldToMs: event.atMs };
}

function waitingAt(key: string, waits: Iterable<Wait>): KeyHistory["waiting"] {
	return [...waits].flatMap(({ call, fromMs, blockers }) => {
		const blocker = blockers.find((one) => one.key === key);
		return blocker === undefined ? [] : [{ call, fromMs, waitedFor: blocker.holder }];
	});
}

function callKey({ runId, step, index, path }: CallPlace): string {
	return `${runId} ${step} ${(path ?? [index]).join(".")}`;
}
