// Key table
//
// Finds what stands for a key. A lock sets and deletes the same few keys over and over beside others that stay, and the
// usual tables are bad at just that: a `Map` leaves a tombstone at every delete, all in the one chain of that key, and
// was measured 20 to 400 times slower beside 1,000 to 1,000,000 keys that stay; an object without a prototype keeps its
// pace, but a set and a delete cost more than the rest of an uncontended acquire.
//
// So the keys asked for last stand in a small array of slots, found by a cheap hash of a few characters, and the slot's
// earlier owner moves down into the object. The hash may be as bad as it likes: what shares a slot is only slower.
//
// Owns:      key to value, at a cost that does not depend on how many there are.
// Does not:  keep anything for a key without a value.
//
// Invariants:
//   KS1. A key stands in its slot or in the object, never in both.

const SLOTS = 64;

/** What a table finds by its key. The slot belongs to the table; the value keeps it, so that leaving costs no hash. */
export interface Keyed {
	readonly key: string;
	slot: number;
}

export class KeyTable<Value extends Keyed> {
	readonly #slots: (Value | undefined)[] = new Array<Value | undefined>(SLOTS).fill(undefined);
	readonly #rest: Record<string, Value> = Object.create(null);
	#restCount = 0;

	get(key: string): Value | undefined {
		const near = this.#slots[slotOf(key)];
		if (near !== undefined && near.key === key) return near;
		return this.#restCount === 0 ? undefined : this.#rest[key];
	}

	/** Adds a value if its key has none; the value that the key has. */
	getOrAdd(value: Value): Value {
		const { key } = value;
		const slot = slotOf(key);
		value.slot = slot;
		const near = this.#slots[slot];
		if (near !== undefined) {
			if (near.key === key) return near;
			const found = this.#restCount === 0 ? undefined : this.#rest[key];
			if (found !== undefined) return found;
			this.#rest[near.key] = near;
			this.#restCount += 1;
		} else if (this.#restCount > 0) {
			const found = this.#rest[key];
			if (found !== undefined) return found;
		}
		// KS1: what stood in the slot went to the object, and the key was found in neither.
		this.#slots[slot] = value;
		return value;
	}

	/** Puts another value, with the slot of the first, in the place of the key's own. */
	replace(value: Value): void {
		const { slot } = value;
		if (this.#slots[slot]?.key === value.key) this.#slots[slot] = value;
		else this.#rest[value.key] = value;
	}

	/** Takes out the value of a key that has one, given anything that was looked up or added under that key. */
	delete({ key, slot }: Keyed): void {
		if (this.#slots[slot]?.key === key) {
			this.#slots[slot] = undefined;
			return;
		}
		delete this.#rest[key];
		this.#restCount -= 1;
	}

	get size(): number {
		return this.#slots.filter((value) => value !== undefined).length + this.#restCount;
	}
}

function slotOf(key: string): number {
	const length = key.length;
	const last = key.charCodeAt(length - 1);
	// The code of an empty text is NaN; the mask makes 0 of it.
	if (length < 6) return (length + last * 5 + key.charCodeAt(length >> 1) * 3) & (SLOTS - 1);
	// Keys are mostly paths, and those of one folder differ just before an ending like `.md` or `.json`.
	const before = key.charCodeAt(length - 4) + key.charCodeAt(length - 5) * 3 + key.charCodeAt(length - 6) * 7;
	return (length + last * 5 + before) & (SLOTS - 1);
}
