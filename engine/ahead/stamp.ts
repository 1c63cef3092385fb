// Stamp
//
// What a tool says of what it reads, as one text that is equal only if nothing was seen to move. A read that started
// early is used only if the stamp from before its start equals the one at its admission.
//
// Owns:      asking the tool, and what counts as no stamp.
// Does not:  know what is stamped (a tool's `observed`).

import type { Clock } from "../core/clock.js";
import { canonicalJson, copyJson, type JsonValue } from "../core/json-value.js";
import { OBSERVED_MS_MAX } from "../core/limits.js";
import { bounded, isThenable } from "../core/thenable.js";

/** No stamp: the tool threw, took too long, or answered nothing or what is not data. */
export type Stamp = string | undefined;

/** Never throws or rejects; a promise only where the tool answers by one. */
export function stampOf(observed: () => unknown, clock: Clock): Stamp | Promise<Stamp> {
	try {
		const seen = observed();
		if (!isThenable(seen)) return asStamp(seen);
		return bounded(seen, { what: "observed", limitMs: OBSERVED_MS_MAX, clock }).then(asStamp, () => undefined);
	} catch {
		return undefined;
	}
}

function asStamp(seen: unknown): Stamp {
	const copied = copyJson(seen);
	return copied.ok && copied.value !== undefined ? canonicalJson(copied.value as JsonValue) : undefined;
}
