// Policy names
//
// Policies remember what they have seen, and only as long as their process lives. A wave that goes on after a pause must
// know whether the policies it finds are the very ones that saw it begin; their own names cannot tell, because the same
// code makes an equal policy elsewhere. So each object is given a name that is used once in the world.
//
// Owns:      those names.
// Does not:  keep what a policy remembers, or name it to people (its own `name` does).

import { systemClock } from "../core/clock.js";
import type { Policy } from "../policy/policy.js";

const names = new WeakMap<Policy, string>();

export function nameOfPolicy(policy: Policy): string {
	const known = names.get(policy);
	if (known !== undefined) return known;
	const name = systemClock.newId();
	names.set(policy, name);
	return name;
}
