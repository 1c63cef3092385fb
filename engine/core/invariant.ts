// Invariant
//
// The one way a programmer's mistake is thrown. What a user, a tool or a provider can cause is an Outcome or an
// EngineError; what only a fault in this package can cause ends here, naming the invariant that was broken.

import { InvariantError } from "./errors.js";

/** Throws when `condition` is false. `law` names the law or the numbered invariant of the calling file. */
export function invariant(condition: boolean, law: string, detail: string): asserts condition {
	if (!condition) throw new InvariantError(law, detail);
}
