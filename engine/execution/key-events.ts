// Key events
//
// What whoever watches is told of a call's keys: that it waits and for whom, that it holds them, that it has let go. One
// place, because a call gets keys in two ways: those its tool names beforehand, and those its code takes while it runs.
//
// Owns:      those three events.
// Does not:  hold or wait for keys (locks/).

import type { CallPlace, EventHub } from "../core/events.js";
import { keyLists, type LockKeys } from "../core/lock-keys.js";
import type { LockGrant, LockWaiting } from "../locks/keyed-lock.js";

export interface KeyWatcher {
	readonly hub: EventHub;
	readonly place: CallPlace;
	readonly keys: LockKeys;
}

export function emitWaiting({ hub, place }: KeyWatcher, waiting: LockWaiting): void {
	if (hub.watched) hub.emit({ ...place, kind: "call_waiting", for: "keys", blockers: waiting.blockers() });
}

/** Tells that the keys are held; the grant that comes back tells when they are let go, once. */
export function watchedGrant(watcher: KeyWatcher, grant: LockGrant): LockGrant {
	const { hub, place, keys } = watcher;
	if (!hub.watched) return grant;
	const { write, read } = keyLists(keys);
	hub.emit({ ...place, kind: "call_holds_keys", write, read });
	let held = true;
	return {
		kind: "granted",
		release: () => {
			grant.release();
			if (held) hub.emit({ ...place, kind: "call_released_keys", write, read });
			held = false;
		},
	};
}
