// Limits
//
// Every bound of the engine in one place, with its unit in its name. A wait or a store without a line here is a fault.

/** How many calls of a wave run at once unless the host says otherwise. */
export const DEFAULT_MAX_PARALLEL_TOOL_CALLS = 10;

/** Longest a call may run, unless the tool or the host says otherwise. */
export const TOOL_MS_DEFAULT = 30_000;

/** Longest between two signs of life of a call; no limit unless the host sets one. */
export const IDLE_MS_DEFAULT = Number.POSITIVE_INFINITY;

/** Longest a whole wave may take; no limit unless the host sets one. */
export const TOTAL_MS_DEFAULT = Number.POSITIVE_INFINITY;

/** How long a thread may go on after it was asked to stop, before it is ended. */
export const GRACE_MS_DEFAULT = 1_000;

/** Longest a call waits for its keys, working them out included. */
export const LOCK_MS_DEFAULT = 600_000;

/** Longest a policy, a face of the host or a stillGoing may take for one call. */
export const POLICY_MS_MAX = 600_000;

/** Longest a close waits for what still runs, beyond the grace, before it says what it left. */
export const CLOSE_MS_MAX = 5_000;

/** Node's timers hold 31 bits; a longer delay fires at once, so delays are cut to this. */
export const TIMER_MS_MAX = 2_147_483_647;

/** Deepest nesting of an answer or of arguments. */
export const JSON_DEPTH_MAX = 512;

/** Most bytes of one call's argument text. */
export const ARGUMENTS_BYTES_MAX = 16 * 1024 * 1024;

/** Most bytes one call may answer. */
export const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Values over this many bytes of text are kept beside a file ledger and named in the entry. */
export const INLINE_BYTES_MAX = 64 * 1024;

/** Most calls of one wave. */
export const WAVE_CALLS_MAX = 1_000_000;

/** Longest the engine works on the host's thread without letting the event loop turn. */
export const HOST_TURN_MS_MAX = 8;

/** How many near names an unknown tool's error offers. */
export const NEAR_NAMES_MAX = 3;

/** Longest message that is copied out of a thrown value. */
export const MESSAGE_CHARS_MAX = 8_192;

/** Longest chain of causes that is kept of a thrown value. */
export const CAUSE_DEPTH_MAX = 8;
