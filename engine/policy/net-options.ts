// Net options
//
// What a host says to a checkpoint net and hears from it; the policy and the net behind it both need to know.
//
// Owns:      those types.
// Does not:  check them (net.ts).

import type { ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import type { PolicyView } from "./policy.js";

/**
 * What else a call could discard: paths (from the root, absolute, `file:` URLs or lock keys of files) beside those that the
 * net finds itself; `true` for everything in the root, git's own files too; `false` for nothing at all; nothing to say for what the net finds.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Suspected = readonly string[] | boolean | undefined;

/**
 * What `checkpointNet` keeps, and where.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface CheckpointNetOptions {
	/** The workspace. Calls name their paths from here, and its git repository keeps what they could discard. */
	readonly root: string;
	/** Where copies are kept if git cannot keep them: no git, no repository, or git's own files may be at stake. Best outside of `root`. */
	readonly folder: string;
	/** Asked of every call at admission, reads too, and of all others again when they begin. A throw is `POLICY_FAILED` for that call. Default: the net finds what it can. */
	readonly suspect?: (call: ToolCall, view: PolicyView) => Suspected | Promise<Suspected>;
	/** Names of folders whose content is not kept. Default `['node_modules']`, which a package manager makes again. */
	readonly leaveOut?: readonly string[];
	/** Most bytes that are kept for one call; a call that could discard more is refused. Default 64 MiB; above 0. */
	readonly bytesMax?: number;
	/**
	 * Longest that keeping may take for one call, in milliseconds. The clock starts when what the call could discard is known;
	 * at the limit the call is refused. Default `60_000`; above 0.
	 */
	readonly limitMs?: number;
	/** What `limitMs` is counted by. Default: the system's. */
	readonly clock?: Clock;
}

/**
 * What `restore` did.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RestoreReport {
	/** Every path that is now as it was kept. */
	readonly restored: readonly string[];
	/** Where those places' content from before the restore is kept; left out where nothing stood there. */
	readonly before?: string;
}
