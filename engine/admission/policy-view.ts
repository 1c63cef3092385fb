// Policy view
//
// What policies are told of a call beside the call itself, put together from where the call stands: in a wave of the
// model's, or among the calls that another one made.
//
// Owns:      that view's making.
// Does not:  keep views (policy-face.ts) or add what is known later: the keys that a call took, how it begins.

import type { PolicyView } from "../policy/policy.js";
import type { Ready } from "./prepare-call.js";
import type { CallsBelow } from "./preparing-face.js";

/** Where a call stands. */
export interface PolicyPlace {
	readonly runId: string;
	readonly step: number;
	/** Whose calls it is among; left out: nobody's. */
	readonly below?: CallsBelow | undefined;
	/** Its own index and that of the first call of its segment, in its wave. */
	readonly index: number;
	readonly segment: number;
	/** The stamp of its admission. */
	readonly at: number;
}

export function policyView({ tool, args, meta }: Ready, place: PolicyPlace): PolicyView {
	const { runId, step, below, index, segment, at } = place;
	const own = { runId, step, index, segment, at, args, effect: meta.effect };
	const view = below === undefined ? own : { ...own, ...placeBelow(below, place) };
	return tool.annotations === undefined ? view : { ...view, annotations: tool.annotations };
}

// Among all that its maker made, and not among those that it made at once.
function placeBelow({ path, firstIndex, unanswered }: CallsBelow, { index, segment }: PolicyPlace) {
	const place = { lineage: [...path, firstIndex + index], segment: firstIndex + segment };
	return unanswered === undefined ? place : { ...place, unanswered };
}
