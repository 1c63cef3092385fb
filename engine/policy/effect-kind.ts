// Effect kind
//
// The six words that policies' options are written in. An effect may name an area or a connector; a rule about all
// writes, or about all connectors, does not care which.
//
// Owns:      the kinds, and the check of a list of them in a policy's options.
// Does not:  judge a kind (taint.ts, doors.ts).

import type { Effect } from "../core/effect.js";
import { showValue } from "../core/show-value.js";
import { refuse } from "./refusal.js";

/**
 * An effect without its area or connector.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type EffectKind = "read" | "write" | "egress" | "connector" | "spawn" | "govern";

export const EFFECT_KINDS: readonly EffectKind[] = ["read", "write", "egress", "connector", "spawn", "govern"];

export function kindOf(effect: Effect): EffectKind {
	if (typeof effect === "string") return effect;
	return "write" in effect ? "write" : "connector";
}

/** The list as a set; refuses what is no kind, because a misspelled one would close nothing. */
export function kindSet(kinds: unknown, option: string): ReadonlySet<EffectKind> {
	if (!Array.isArray(kinds)) refuse(`${option} is ${showValue(kinds)}, not a list`);
	for (const kind of kinds) {
		if (!EFFECT_KINDS.includes(kind)) refuse(`${option} holds ${showValue(kind)}, none of ${EFFECT_KINDS.join(", ")}`);
	}
	return new Set(kinds);
}
