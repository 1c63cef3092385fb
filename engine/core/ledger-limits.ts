// Ledger limits
//
// The bounds of history: how large a value may be that stands in a line, how much is read, held or kept open at a time. Apart
// from the other bounds (limits.ts) because they are asked for by the ledger alone.
//
// Owns:      those bounds, each with its unit in its name.
// Does not:  bound calls and threads (limits.ts) or the tools of this package (tool-limits.ts).

/** Values over this many bytes of text are kept beside a file ledger and named in the entry. */
export const INLINE_BYTES_MAX = 64 * 1024;

/** How much of a ledger's file is read at a time. */
export const LEDGER_READ_BYTES = 256 * 1024;

/** Most bytes that a ledger's file is longer than its lines while it is open. */
export const LEDGER_SPARE_BYTES_MAX = 256 * 1024;

/** A ledger's file grows to a whole number of these, the blocks that file systems give out. */
export const LEDGER_BLOCK_BYTES = 4 * 1024;

/** Longest line of a ledger's file; anything longer is not a line of one. */
export const LEDGER_LINE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Longest of a record before its data, which is its run's id: a line holds that and twice the inline limit, and stays far
 * below the longest line.
 */
export const RECORD_HEAD_CHARS_MAX = 64 * 1024;

/** From how many characters on a text of a checkpoint enters its digest by a digest of its own. */
export const LONG_TEXT_CHARS_MIN = 1_000;

/** How many beginnings of lines a reader knows at once: each kind of each run that lines near each other belong to. */
export const LINE_HEADS_MAX = 256;

/** How many rows of a ledger's database are read before the event loop may turn. */
export const LEDGER_ROWS_A_READ = 500;

/** Longest wait for a lock that another client holds in a ledger's database, in milliseconds; then the barrier fails. */
export const LEDGER_DATABASE_WAIT_MS = 5_000;

/** How many lines are hashed before the event loop may turn. */
export const LEDGER_LINES_A_TURN = 1_000;

/** How many characters a file ledger holds before it begins to write without being asked. */
export const LEDGER_HELD_CHARS_MAX = 8 * 1024 * 1024;

/** How often a ledger's lock is tried while its holders come and go. */
export const LEDGER_LOCK_TRIES_MAX = 8;

/** How many characters of a run's id the name of its file shows, where a ledger is rotated by run. */
export const RUN_FILE_NAME_CHARS_MAX = 40;

/** How many files of runs stay open between two barriers. */
export const RUN_FILES_OPEN_MAX = 32;
