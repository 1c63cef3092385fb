// Lock keys
//
// What a call names to be kept apart from others: texts, compared as they are.
//
// Owns:      the two forms in which keys are named, and reading either.
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
