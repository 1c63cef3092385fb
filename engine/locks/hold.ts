// Hold
//
// One request for keys, from its asking to its end, and its place at each of its keys.
//
// Owns:      the shapes that the queue, the circle search and the table share.
// Does not:  decide when a hold may have its keys (key-queue.ts, lock-table.ts) or who is told (lock-wait.ts).
//
// Invariants:
//   H1. A hold is granted at most once, and over is the end.
//   H2. A hold is granted at the moment none of its places is blocked.

import type { Lineage } from "./lineage.js";

/** What a hold gives itself back to. */
export interface Keeper {
	letGo(hold: Hold): void;
	giveUp(hold: Hold, reason: unknown): void;
}

/** Who is told how a wait ends; called at most once. */
export interface Wait {
	/** Its signal has fired, and it is about to give up: a grant would come too late. */
	readonly isAborted: boolean;
	granted(): void;
	failed(reason: unknown): void;
}

/** Where the places of one key meet, as far as a place knows it; key-queue.ts is the one there is. */
export interface Meeting {
	readonly isEmpty: boolean;
	readonly isWaitedAt: boolean;
	grant(place: Place): void;
	leave(place: Place): void;
	clearNext(): Place | undefined;
	firstBefore(place: Place, matches: (ahead: Hold) => boolean): Place | undefined;
	bringForward(before: Place, stays: (behind: Hold) => boolean): void;
	join(place: Place, before: Place | undefined): void;
	inTheWay(place: Place): Iterable<Hold>;
}

/** A hold at one of its keys. */
export interface Place {
	readonly hold: Hold;
	readonly key: string;
	slot: number;
	readonly exclusive: boolean;
	/** `clear`: nothing at this key is in the way, but something at another one is. A place alone at its key is `held`. */
	state: "blocked" | "clear" | "held";
	/** Left out as long as the place is alone at its key. */
	meeting: Meeting | undefined;
	/** The neighbours in the list of the meeting that the place stands in. */
	previous: Place | undefined;
	next: Place | undefined;
	/** The hold's next place. */
	sibling: Place | undefined;
}

/** Who asks: how others know it, whose keys it takes again, and where. */
export interface Asker {
	readonly keeper: Keeper;
	readonly lineage: Lineage | undefined;
	readonly holder: string | undefined;
}

/**
 * A request for keys. It is itself its place at its first key, and the others hang on it as siblings: most holds have
 * one key, and a second object for it was a tenth of what an uncontended acquire costs.
 */
export class Hold implements Place {
	// Declared and then assigned: a field that is first defined as undefined costs as much again at every grant.
	declare readonly key: string;
	declare slot: number;
	declare readonly exclusive: boolean;
	declare state: Place["state"];
	declare meeting: Meeting | undefined;
	declare previous: Place | undefined;
	declare next: Place | undefined;
	declare sibling: Place | undefined;
	declare readonly asker: Asker;
	declare phase: "waiting" | "granted" | "over";
	/** How many of its places are blocked. */
	declare blocked: number;
	declare wait: Wait | undefined;

	constructor(asker: Asker, firstKey: string, exclusive: boolean) {
		this.key = firstKey;
		this.slot = 0;
		this.exclusive = exclusive;
		this.state = "held";
		this.meeting = undefined;
		this.previous = undefined;
		this.next = undefined;
		this.sibling = undefined;
		this.asker = asker;
		this.phase = "waiting";
		this.blocked = 0;
		this.wait = undefined;
	}

	get hold(): this {
		return this;
	}

	get lineage(): Lineage | undefined {
		return this.asker.lineage;
	}

	get keeper(): Keeper {
		return this.asker.keeper;
	}

	get name(): string {
		return this.asker.holder ?? "a holder without a name";
	}

	/** Tells a hold from a wait for whoever is handed one; nobody outside this folder is handed a hold before its grant. */
	get kind(): "granted" {
		return "granted";
	}

	/** Lets go of all keys. A second time, or when the hold was never granted, it does nothing. */
	release(): void {
		if (this.phase === "granted") this.asker.keeper.letGo(this);
	}
}

/** A hold at a key other than its first. */
export class FurtherPlace implements Place {
	declare readonly hold: Hold;
	declare readonly key: string;
	declare slot: number;
	declare readonly exclusive: boolean;
	declare state: Place["state"];
	declare meeting: Meeting | undefined;
	declare previous: Place | undefined;
	declare next: Place | undefined;
	declare sibling: Place | undefined;

	constructor(hold: Hold, key: string, exclusive: boolean) {
		this.hold = hold;
		this.key = key;
		this.slot = 0;
		this.exclusive = exclusive;
		this.state = "held";
		this.meeting = undefined;
		this.previous = undefined;
		this.next = undefined;
		this.sibling = undefined;
	}
}
