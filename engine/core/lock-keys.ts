// Lock keys
//
// What a call names to be kept apart from others: texts, compared as they are.
//
// Owns:      the two forms in which keys are named, reading either, and joining what was named twice.
// Does not:  check what a host named (locks/keyed-lock.ts) or hold anything.

/**
 * Keys a call holds while it runs; a plain list is exclusive. A key in both lists is exclusive.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type LockKeys = readonly string[] | { readonly read?: readonly string[]; readonly write?: readonly string[] };

const NONE: readonly string[] = [];

/** The exclusive and the shared keys, whichever form they were named in. */
export function keyLists(keys: LockKeys): { readonly write: readonly string[]; readonly read: readonly string[] } {
	if (Array.isArray(keys)) return { write: keys, read: NONE };
	// `Array.isArray` does not narrow a readonly list away.
	const { write = NONE, read = NONE } = keys as Exclude<LockKeys, readonly string[]>;
	return { write, read };
}

/** Both, where more was taken than was named at first; the first itself where the second adds nothing. */
export function joinedKeys(first: LockKeys, second: LockKeys): LockKeys {
	const [before, more] = [keyLists(first), keyLists(second)];
	const isNew = (kind: "write" | "read") => more[kind].some((key) => !before[kind].includes(key));
	if (!isNew("write") && !isNew("read")) return first;
	return {
		write: [...new Set([...before.write, ...more.write])],
		read: [...new Set([...before.read, ...more.read])],
	};
}
