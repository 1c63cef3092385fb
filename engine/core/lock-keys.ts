// Lock keys
//
// What a call names to be kept apart from others: texts, compared as they are.

/**
 * Keys a call holds while it runs; a plain list is exclusive. A key in both lists is exclusive.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type LockKeys = readonly string[] | { readonly read?: readonly string[]; readonly write?: readonly string[] };
