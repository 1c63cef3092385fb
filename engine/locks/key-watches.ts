// Key watches
//
// A read that started early holds no key, so somebody may change what it reads before the call is admitted. A watch
// says afterwards whether an exclusive grant came in between.
//
// Owns:      who watches which key.
// Does not:  hold or wait for anything: a watch is never in anyone's way.

import type { Hold, Place } from "./hold.js";
import { type Keyed, KeyTable } from "./key-table.js";

/**
 * A watch over keys, from `KeyedLock.watch`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface KeyWatch {
	/** Whether any of the keys was granted exclusively since the watch began. Stays true. */
	readonly changed: boolean;
	/** Ends the watch; `changed` keeps its last answer. */
	stop(): void;
}

interface WatchedKey extends Keyed {
	readonly watches: Set<Watch>;
}

class Watch implements KeyWatch {
	changed = false;
	readonly #end: (watch: Watch) => void;

	constructor(end: (watch: Watch) => void) {
		this.#end = end;
	}

	stop(): void {
		this.#end(this);
	}
}

export class KeyWatches {
	readonly #keys = new KeyTable<WatchedKey>();
	#count = 0;

	watch(keys: readonly string[]): KeyWatch {
		const distinct = new Set(keys);
		const watch = new Watch(() => this.#forget(distinct, watch));
		for (const key of distinct) {
			this.#keys.getOrAdd({ key, slot: 0, watches: new Set() }).watches.add(watch);
		}
		if (distinct.size > 0) this.#count += 1;
		return watch;
	}

	onGrant(hold: Hold): void {
		if (this.#count === 0) return;
		for (let place: Place | undefined = hold; place !== undefined; place = place.sibling) {
			if (!place.exclusive) continue;
			for (const watch of this.#keys.get(place.key)?.watches ?? []) watch.changed = true;
		}
	}

	#forget(keys: Set<string>, watch: Watch): void {
		if (keys.size === 0) return;
		for (const key of keys) {
			const watched = this.#keys.get(key);
			if (watched?.watches.delete(watch) && watched.watches.size === 0) this.#keys.delete(watched);
		}
		keys.clear();
		this.#count -= 1;
	}
}
