// Known fields
//
// A field that nobody reads is an option that a host believes it has set: a limit that is not kept, a policy that does
// not judge. So whatever takes an object of options refuses fields it does not know.
//
// Owns:      the check, and its words.
// Does not:  check values, or throw: every caller has an error of its own.

import { NearNames } from "./near-names.js";

/** The fields of an options type; the type asks for every one, so that a field that joins it cannot be forgotten here. */
export type KnownFields<Options> = Readonly<Record<keyof Options & string, true>>;

/**
 * What is wrong with the first field that is not known, `undefined` if all are. `place` names an object inside the
 * options: `"timeouts"` for the fields `timeouts.x`.
 */
export function strayField(given: object, known: KnownFields<object>, place?: string): string | undefined {
	const stray = Object.keys(given).find((field) => !Object.hasOwn(known, field));
	if (stray === undefined) return undefined;
	const names = Object.keys(known);
	const near = new NearNames(names).to(stray).map((name) => JSON.stringify(name));
	const hint = near.length > 0 ? `perhaps ${near.join(" or ")} is meant` : `there are ${names.join(", ")}`;
	return `${JSON.stringify(place === undefined ? stray : `${place}.${stray}`)} is not known; ${hint}`;
}
