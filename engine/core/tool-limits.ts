// Tool limits
//
// Every bound of the tools that come with this package: how much they read, write, list and wait for in one call.
//
// Owns:      those bounds, each with its unit in its name.
// Does not:  bound the calls they run in (limits.ts).

/** Most files one call of a workspace tool visits, and the deepest folder it enters. */
export const WORKSPACE_FILES_MAX = 20_000;
export const WORKSPACE_DEPTH_MAX = 64;

/** Most bytes one call of a workspace tool reads over all its files. */
export const WORKSPACE_BYTES_MAX = 128 * 1024 * 1024;

/** Largest file that is read whole; of a larger one read_file sees the beginning, and grep leaves it out. */
export const WORKSPACE_FILE_BYTES_MAX = 8 * 1024 * 1024;

/** Largest file that hash_file reads; it holds one piece of it at a time. */
export const HASH_FILE_BYTES_MAX = 4 * 1024 * 1024 * 1024;

/** Folders that hold what tools made, not what people wrote. A walk may begin in one; it does not enter one. */
export const WORKSPACE_FOLDERS_PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Most files and folders that one stamp of a folder covers; what reads more does not start early. */
export const STAMPED_ENTRIES_MAX = 2_000;

/** How many files of a stamp are looked at at once. */
export const STAMPED_AT_ONCE_MAX = 32;

/** The coarsest step of a local file system's clock: of two changes within it, the second may leave no trace. */
export const CHANGE_TIME_STEP_MS = 20;

/** Largest file whose content is looked at because its times cannot tell, and how many of those are remembered. */
export const FRESH_FILE_BYTES_MAX = 256 * 1024;
export const FRESH_FILES_MAX = 1_000;

/** How long a workspace tool works before it answers with what it has. */
export const WORKSPACE_WORK_MS_MAX = 10_000;

/** When a workspace tool that does not look up (one line, one pattern) is ended. */
export const WORKSPACE_TOOL_MS_MAX = 20_000;

/** Shortest time between two reports of a workspace tool's progress. */
export const WORKSPACE_PROGRESS_MS_MIN = 200;

/** Most files and folders that one call of a workspace tool passes, and most of them that one folder is read to. */
export const WORKSPACE_ENTRIES_MAX = 200_000;
export const FOLDER_ENTRIES_MAX = 50_000;

/** Most text that one read_file answers, and one write_file takes. */
export const READ_TEXT_CHARS_MAX = 256 * 1024;
export const WRITE_TEXT_CHARS_MAX = 8 * 1024 * 1024;

/** Most places that one edit_file replaces. */
export const EDIT_PLACES_MAX = 10_000;

/** How often a write starts over because its path leads elsewhere once its keys are held. */
export const FILE_LOCK_TRIES_MAX = 8;

/** Most names that one list_files, glob or file_list answers. */
export const LIST_ENTRIES_MAX = 1_000;

/** Longest glob pattern, and most patterns that its braces may stand for. */
export const GLOB_CHARS_MAX = 1_000;
export const GLOB_BRACES_MAX = 256;

/** Most matches that one grep answers, and how much of each line. */
export const GREP_MATCHES_MAX = 200;
export const GREP_LINE_CHARS_MAX = 240;

/** Longest pattern of a grep. */
export const GREP_PATTERN_CHARS_MAX = 1_000;

/** How long a command may run unless the call says otherwise, and the most that a call may say. */
export const COMMAND_MS_DEFAULT = 120_000;
export const COMMAND_MS_MAX = 600_000;

/** How long a command may go on after it was asked to end, before it and all it started is killed. */
export const COMMAND_GRACE_MS = 1_000;

/** Longest wait for the end of a command's output once its process is gone, or for its process once it was killed. */
export const COMMAND_DRAIN_MS = 1_000;

/** Turns of the event loop in which output that has arrived is read before the rest is given up. */
export const COMMAND_DRAIN_TURNS = 4;

/** How much of each output of a command is kept, from its beginning and from its end. */
export const COMMAND_HEAD_BYTES = 32 * 1024;
export const COMMAND_TAIL_BYTES = 32 * 1024;

/** Longest line or argument of a command, and most arguments. */
export const COMMAND_CHARS_MAX = 64 * 1024;
export const COMMAND_ARGUMENTS_MAX = 1_000;

/** How long fetch_page may take, and most bytes it reads of a page. */
export const FETCH_MS_MAX = 30_000;
export const FETCH_BYTES_MAX = 1024 * 1024;
