// Lock table
//
// Who holds which keys and who waits, without promises, timers and signals: every change is one synchronous move, so
// nothing that was read before it is stale after it.
//
// Owns:      asking, granting, letting go and giving up, over all keys at once.
// Does not:  tell anyone but a hold's own `Wait` (lock-wait.ts) or limit how long it waits (lock-wait.ts).
//
// Order, and where it bends:
//   1. A hold takes its place in the queues of all its keys in one move. Two holds therefore stand in the same order
//      wherever they meet, and holds that do not nest never wait in a circle.
//   2. A nested call may ask for a key that an outsider already waits for, while that outsider waits for the nested
//      call's own lineage. Behind it, both would wait for ever; so the nested call goes before it, and only before such:
//      a reader behind that outsider that waits for nothing of the lineage keeps its turn. It may be another branch of the
//      same call, which would else wait for good behind the outsider that waits for the call.
//   3. What is a circle even so fails: at the asking, or when a grant closes it (branches of one call that ask apart).
//
// Invariants:
//   LT1. A key has an entry exactly while something stands at it.
//   LT2. The hold that an ask or a release could grant is granted before it returns.

import { invariant } from "../core/invariant.js";
import { type Asker, FurtherPlace, Hold, type Keeper, type Meeting, type Place } from "./hold.js";
import { KeyQueue } from "./key-queue.js";
import { KeyTable } from "./key-table.js";
import type { KeyWatches } from "./key-watches.js";
import { holdsAnything, isWithin, type Lineage, startWaiting, stopWaiting, waitingOf } from "./lineage.js";
import { circleOf, waitsFor } from "./lock-cycle.js";

export class LockTable implements Keeper {
	readonly #keys = new KeyTable<Place | KeyQueue>();
	readonly #watches: KeyWatches;
	/** Grants of holds that had waited, whose lineage waits for something else. */
	readonly #tangled: Hold[] = [];

	constructor(watches: KeyWatches) {
		this.#watches = watches;
	}

	get size(): number {
		return this.#keys.size;
	}

	/**
	 * A hold of the keys, granted or waiting; a key in both lists is exclusive. Throws LockCycleError when its wait would
	 * close a circle. Without a key there is nothing to hold.
	 */
	ask(asker: Asker, write: readonly string[], read: readonly string[]): Hold | undefined {
		const exclusive = write.length > 0;
		const first = exclusive ? write[0] : read[0];
		if (first === undefined) return undefined;
		const hold = new Hold(asker, first, exclusive);
		this.#stand(hold);
		for (const key of write) if (key !== first) this.#standAtAnother(hold, key, true);
		for (const key of read) if (key !== first) this.#standAtAnother(hold, key, false);
		this.#settle(hold);
		return hold;
	}

	/** The same for one exclusive key. */
	askOne(asker: Asker, key: string): Hold {
		const hold = new Hold(asker, key, true);
		const found = this.#keys.getOrAdd(hold);
		if (found === hold) {
			this.#granted(hold);
		} else {
			this.#meet(hold, found);
			this.#settle(hold);
		}
		return hold;
	}

	letGo(hold: Hold): void {
		invariant(hold.phase === "granted", "H1", "a hold is let go that was not granted");
		if (hold.asker.lineage !== undefined) hold.asker.lineage.held -= 1;
		this.#end(hold);
		if (this.#tangled.length > 0) this.#untangle();
	}

	/** A waiting hold gives up its places. Does nothing when it was granted or given up already. */
	giveUp(hold: Hold, reason: unknown): void {
		if (hold.phase !== "waiting") return;
		stopWaiting(hold.lineage, hold);
		this.#end(hold);
		hold.wait?.failed(reason);
		this.#untangle();
	}

	/** Whether one that asks now would have the key at once; for a nested call a cautious answer. */
	isFree(key: string, exclusive: boolean, lineage: Lineage | undefined): boolean {
		const found = this.#keys.get(key);
		if (found === undefined) return true;
		if (found instanceof KeyQueue) return found.isFreeFor(exclusive, lineage);
		if (!exclusive && !found.exclusive) return true;
		return found.hold.phase === "granted" && isWithin(lineage, found.hold.lineage);
	}

	#standAtAnother(hold: Hold, key: string, exclusive: boolean): void {
		const place = new FurtherPlace(hold, key, exclusive);
		if (!this.#stand(place)) return;
		place.sibling = hold.sibling;
		hold.sibling = place;
	}

	/** Whether the hold did not stand at the key already. */
	#stand(place: Place): boolean {
		const found = this.#keys.getOrAdd(place);
		return found === place || this.#meet(place, found);
	}

	#meet(place: Place, found: Place | KeyQueue): boolean {
		if (found instanceof KeyQueue ? found.hasJoined(place.hold) : place.hold === found.hold) return false;
		const queue = found instanceof KeyQueue ? found : new KeyQueue(found);
		if (queue !== found) this.#keys.replace(queue);
		join(place, queue, placeToTake(place, queue));
		// Clears this place, or those that stepped behind it. Each of those has a blocked place elsewhere: none is granted.
		for (let cleared = queue.clearNext(); cleared !== undefined; cleared = queue.clearNext()) {
			const { blocked, wait, name } = cleared.hold;
			const isMissed = cleared !== place && blocked === 0 && wait?.isAborted !== true;
			invariant(!isMissed, "H2", `${name} has nothing in its way and is not granted`);
		}
		return true;
	}

	#settle(hold: Hold): void {
		if (hold.blocked === 0) this.#grant(hold);
		else this.#startWaiting(hold);
	}

	#startWaiting(hold: Hold): void {
		// Nobody waits for a hold whose lineage holds nothing, so its wait closes no circle.
		const circle = holdsAnything(hold.lineage) ? circleOf(hold) : undefined;
		if (circle !== undefined) {
			this.#end(hold);
			throw circle;
		}
		startWaiting(hold.lineage, hold);
	}

	#grant(hold: Hold): void {
		for (let place: Place | undefined = hold; place !== undefined; place = place.sibling) place.meeting?.grant(place);
		this.#granted(hold);
	}

	#granted(hold: Hold): void {
		invariant(hold.phase === "waiting", "H1", "a hold is granted twice");
		hold.phase = "granted";
		this.#watches.onGrant(hold);
		if (hold.asker.lineage !== undefined) hold.asker.lineage.held += 1;
	}

	#end(hold: Hold): void {
		hold.phase = "over";
		// Alone at its one key, as most holds are to their end, it leaves nobody behind.
		if (hold.meeting === undefined && hold.sibling === undefined) this.#keys.delete(hold);
		else this.#leaveAll(hold);
	}

	#leaveAll(hold: Hold): void {
		let met = false;
		for (let place: Place | undefined = hold; place !== undefined; place = place.sibling) {
			if (place.meeting === undefined) {
				this.#keys.delete(place);
			} else {
				place.meeting.leave(place);
				met = true;
			}
		}
		if (met) this.#wakeBehind(hold);
		// A release function that someone keeps must not keep the queues.
		hold.meeting = undefined;
		hold.sibling = undefined;
	}

	// LT1: the last to leave takes the entry along.
	#wakeBehind(left: Hold): void {
		for (let place: Place | undefined = left; place !== undefined; place = place.sibling) {
			if (place.meeting === undefined) continue;
			if (place.meeting.isEmpty) this.#keys.delete(place);
			else this.#wake(place.meeting);
		}
	}

	// LT2: clears until something is in the way, whichever holds that grants.
	#wake(meeting: Meeting): void {
		for (let cleared = meeting.clearNext(); cleared !== undefined; cleared = meeting.clearNext()) {
			const { hold } = cleared;
			// Of several that wait on one signal, the first to give up must not let the next one through.
			if (hold.blocked > 0 || hold.wait?.isAborted === true) continue;
			stopWaiting(hold.lineage, hold);
			this.#grant(hold);
			// One granted at its asking has nobody behind it but who waited for its lineage before.
			if (hold.lineage?.waiting !== undefined) this.#tangled.push(hold);
			hold.wait?.granted();
		}
	}

	// What the lineage of a grant still waits for elsewhere may now wait, behind others, for that very grant.
	#untangle(): void {
		for (let granted = this.#tangled.pop(); granted !== undefined; granted = this.#tangled.pop()) {
			let waitedFor = false;
			for (let place: Place | undefined = granted; place !== undefined; place = place.sibling) {
				waitedFor ||= place.meeting?.isWaitedAt === true;
			}
			// The cast holds because the locks are the only ones that say so, and they name holds.
			const waiting = waitedFor ? (waitingOf(granted.lineage) as readonly Hold[]) : [];
			for (const hold of waiting) {
				if (hold.keeper === this) this.#moveUp(hold);
				const circle = hold.phase === "waiting" ? circleOf(hold) : undefined;
				if (circle !== undefined) hold.keeper.giveUp(hold, circle);
			}
		}
	}

	#moveUp(hold: Hold): void {
		for (let place: Place | undefined = hold; place !== undefined; place = place.sibling) {
			const { meeting } = place;
			if (place.state !== "blocked" || meeting === undefined) continue;
			const before = placeToTake(place, meeting);
			if (before !== undefined) {
				meeting.leave(place);
				join(place, meeting, before);
			}
			this.#wake(meeting);
		}
	}
}

/** The place that a new or blocked one goes before: the first whose hold waits for the lineage of its own. */
function placeToTake(place: Place, meeting: Meeting): Place | undefined {
	const { hold } = place;
	return holdsAnything(hold.lineage) ? meeting.firstBefore(place, (ahead) => waitsFor(ahead, hold)) : undefined;
}

function join(place: Place, meeting: Meeting, before: Place | undefined): void {
	if (before !== undefined && place.exclusive) meeting.bringForward(before, (behind) => waitsFor(behind, place.hold));
	meeting.join(place, before);
}
