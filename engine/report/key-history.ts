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
//   KH2. A key that a call takes again while it holds it in the same way is held once, until it has let it go as often.

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
	/** Who held it, in order. A call that took it again while it held it stands here once. */
	readonly holds: readonly KeyHold[];
	/** Who still waited for it when the events ended. */
	readonly waiting: readonly { readonly call: CallPlace; readonly fromMs: number; readonly waitedFor: string }[];
}

interface Wait {
	readonly call: CallPlace;
	readonly fromMs: number;
	readonly blockers: readonly KeyBlocker[];
}

/** A hold, and how often its call has taken it and not let it go. */
interface Taken {
	readonly hold: KeyHold;
	readonly times: number;
}

/**
 * The history of every key that the events tell of, in the order in which keys were first held or waited for.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function keyHistoryOf(events: Iterable<EngineEvent>): KeyHistory[] {
	const holds = new Map<string, Taken[]>();
	const waits = new Map<string, Wait>();
	const holdsAt = (key: string): Taken[] => {
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
			for (const key of event.write) take(holdsAt(key), holdOf(event, key, { exclusive: true, wait }));
			for (const key of event.read) take(holdsAt(key), holdOf(event, key, { exclusive: false, wait }));
		} else if (event.kind === "call_released_keys") {
			for (const key of event.write) letGo(holdsAt(key), { call: event, exclusive: true, atMs: event.atMs });
			for (const key of event.read) letGo(holdsAt(key), { call: event, exclusive: false, atMs: event.atMs });
		} else if (event.kind === "call_settled") {
			// A call that settled while it waited gave up its place.
			waits.delete(callKey(event));
		}
	}
	return [...holds].map(([key, taken]) => {
		return { key, holds: taken.map(({ hold }) => hold), waiting: waitingAt(key, waits.values()) };
	});
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

// KH2: a tool that locks what its call holds already, to be safe whoever calls it, waits for nobody and shuts nobody out anew.
function take(list: Taken[], hold: KeyHold): void {
	const at = placeOf(list, hold);
	const held = list[at];
	if (held === undefined) list.push({ hold, times: 1 });
	else list[at] = { ...held, times: held.times + 1 };
}

// KH1: what is closed is the call's own, and held in the way that it lets go.
function letGo(
	list: Taken[],
	{ atMs, ...held }: Pick<KeyHold, "call" | "exclusive"> & { readonly atMs: number },
): void {
	const at = placeOf(list, held);
	const taken = list[at];
	if (taken === undefined) return;
	const { hold, times } = taken;
	list[at] = times > 1 ? { hold, times: times - 1 } : { hold: { ...hold, heldToMs: atMs }, times: 0 };
}

/** Where the call's open hold of the same kind stands, if it has one. */
function placeOf(list: readonly Taken[], { call, exclusive }: Pick<KeyHold, "call" | "exclusive">): number {
	return list.findLastIndex(
		({ hold, times }) => times > 0 && hold.exclusive === exclusive && callKey(hold.call) === callKey(call),
	);
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
