// Planned as
//
// What whoever watches is told of a call before it runs: its effect, and the words a person is shown for it. Its own
// file, because a call is planned by its wave or, before that, by its early start, and both tell the same.
//
// Owns:      those two, read from what is known of the call.
// Does not:  send an event, or show anything.

import type { Effect } from "../core/effect.js";
import type { ToolMeta } from "./concurrent-invoke.js";

export function plannedAs(meta: ToolMeta | undefined): { readonly effect?: Effect; readonly title?: string } {
	if (meta === undefined) return {};
	const title = titleOf(meta);
	return { effect: meta.effect, ...(title !== undefined && { title }) };
}

// A face of the host's own may break its word not to throw; a missing title is no reason to lose the call.
export function titleOf(meta: ToolMeta | undefined): string | undefined {
	try {
		return meta?.title?.();
	} catch {
		return undefined;
	}
}
