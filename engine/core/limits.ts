// Limits
//
// Every bound of the engine in one place, with its unit in its name. A wait or a store without a line here is a fault.
//
// Owns:      the bounds of the engine and its threads.
// Does not:  bound what the tools of this package do (tool-limits.ts), or what history holds (ledger-limits.ts).

/**
 * How many calls of a wave run at once unless the host says otherwise.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const DEFAULT_MAX_PARALLEL_TOOL_CALLS = 10;

/** Longest a call may run, unless the tool or the host says otherwise. */
export const TOOL_MS_DEFAULT = 30_000;

/** Longest between two signs of life of a call; no limit unless the host sets one. */
export const IDLE_MS_DEFAULT = Number.POSITIVE_INFINITY;

/** How much later than its time limit a call may be cut short before that is reported; timers are never exact. */
export const LIMIT_LATE_MS_MIN = 50;

/** Longest a whole wave may take; no limit unless the host sets one. */
export const TOTAL_MS_DEFAULT = Number.POSITIVE_INFINITY;

/** How long a thread may go on after it was asked to stop, before it is ended. */
export const GRACE_MS_DEFAULT = 1_000;

/** Longest a call waits for its keys, working them out included. */
export const LOCK_MS_DEFAULT = 600_000;

/** Longest a person is waited for where the host asks them while the wave waits. */
export const ASK_MS_DEFAULT = 600_000;

/** Longest a policy, a face of the host, a stillGoing or a middleware by itself may take for one call. */
export const POLICY_MS_MAX = 600_000;

/** How often one middleware may hand one call on. */
export const MIDDLEWARE_NEXT_MAX = 100;

/** How deep calls may be nested where an agent is one of them; two agents that offer each other go on for ever. */
export const AGENT_DEPTH_MAX = 16;

/** How deep calls that calls make are nested; a tool that invokes itself without end stops there. */
export const NESTED_DEPTH_MAX = 64;

/** How many calls wait, at least, behind one that goes on before what they brought is put together for later ones; even. */
export const LINE_WAITING_MIN = 16;

/** How many runs a policy remembers; of more, the one that was not touched for longest is forgotten. */
export const POLICY_RUNS_MAX = 10_000;

/** How many runs memo keeps answers of, most answers of one run, and most characters of those together. */
export const MEMO_RUNS_MAX = 64;
export const MEMO_ANSWERS_MAX = 1_000;
export const MEMO_CHARS_MAX = 4 * 1024 * 1024;

/** Longest text of arguments that is looked at for being canonical: the matcher remembers each character until it is through. */
export const PLAIN_ARGUMENTS_CHARS_MAX = 16_384;

/** Of how many runs redact knows the last reply's arguments, and how many characters of those. */
export const REDACT_RUNS_MAX = 16;
export const REDACT_CHARS_MAX = 1024 * 1024;

/** Most files that a checkpoint net keeps for one call, most bytes of them, and how long it may take. */
export const NET_FILES_MAX = 10_000;
export const NET_BYTES_MAX_DEFAULT = 64 * 1024 * 1024;
export const NET_MS_DEFAULT = 60_000;

/** Most names of folders that a checkpoint net looks at for one call. */
export const NET_ENTRIES_MAX = 100_000;

/** Most texts of a call's arguments that a checkpoint net takes for paths, before it refuses the call, and the longest. */
export const NET_PATHS_MAX = 10_000;
export const NET_PATH_CHARS_MAX = 4_096;

/** How deep a line for a shell may hold lines for a shell; what is deeper is not looked into and may discard anything. */
export const SHELL_DEPTH_MAX = 4;

/** From how many folders a line's words may be meant, because it changes folders, before it may discard anything. */
export const SHELL_FOLDERS_MAX = 256;

/** Most places (a word, from a folder) that the commands of a line may mean, before a checkpoint net refuses the call. */
export const SHELL_PLACES_MAX = 200_000;

/** Fewest characters, without a space among them, of a secret or of the name before it; shorter pieces are not looked at. */
export const SECRET_CHARS_MIN = 10;

/** Longest head of a JSON web token. */
export const CLAIMS_HEAD_CHARS_MAX = 4_003;

/** How long a thread may go on with an early start that was thrown away: nobody waits for its answer, others for it. */
export const DISCARDED_GRACE_MS_MAX = 50;

/** Longest a tool may take to say what it read; a stamp that takes longer is no cheap one. */
export const OBSERVED_MS_MAX = 2_000;

/** Longest a close waits for what still runs, beyond the grace, before it says what it left. */
export const CLOSE_MS_MAX = 5_000;

/** Longest a worker thread may take to start, before its first call. */
export const THREAD_START_MS_MAX = 30_000;

/** How many threads in a row may end before they began a call, before the waiting calls are answered. */
export const THREAD_STARTS_FRUITLESS_MAX = 3;

/** Longest from ending a thread to its exit, before another takes its place; native code that loops cannot be ended. */
export const THREAD_EXIT_MS_MAX = 5_000;

/** Most threads that are started beside the host's number, because calls on others wait for nested calls or locks. */
export const THREADS_LENT_MAX = 64;

/** How often threads are looked at for calls that only wait, while others wait for a thread. */
export const WAITING_LOOK_MS = 50;

/** Busiest that a thread's event loop may have been between two looks for its call to be one that waits. */
export const BUSY_SHARE_WAITING_MAX = 0.1;

/** How long a thread that was started in place of a lent one is kept without a call, once that one is back. */
export const THREAD_SPARE_MS = 1_000;

/** Longest a thread that has nothing else to do may leave a call untouched, before it is ended for what blocks it. */
export const THREAD_SILENT_MS_MAX = 10_000;

/** How long a thread without a call is kept. */
export const THREAD_IDLE_MS_DEFAULT = 30_000;

/** Heap and stack of a thread. Memory outside the heap (buffers) is not counted by Node and so not bounded. */
export const THREAD_HEAP_MB_DEFAULT = 512;
export const THREAD_STACK_MB_DEFAULT = 4;

/** Longest the module of a tool may take to load on a thread, or its declarations on the host. */
export const MODULE_LOAD_MS_MAX = 30_000;

/** Most calls in one thread's hands: one that runs, and reads that may follow it without a question to the host. */
export const THREAD_CALLS_MAX = 16;

/** Calls that run longer than this gain nothing from being handed over early, and what waits behind one is taken back. */
export const EARLY_HAND_OVER_MS_MAX = 1;

/** Shortest time between two progress reports of one call on a thread; of those between, the last is kept. */
export const PROGRESS_MS_MIN = 50;

/** A binary answer from this size on leaves its thread by being moved; a smaller one is cheaper to copy. */
export const MOVED_BYTES_MIN = 16 * 1024;

/** A text answer from this length on leaves its thread as moved bytes. */
export const MOVED_TEXT_CHARS_MIN = 1024 * 1024;

/** Node's timers hold 31 bits; a longer delay fires at once, so delays are cut to this. */
export const TIMER_MS_MAX = 2_147_483_647;

/** How many folders are remembered by how they fold names; beyond it all are asked again. */
export const FOLDED_FOLDERS_MAX = 4_096;

/** How many names of a folder are looked at for one that tells how the folder folds names. */
export const FOLDER_NAMES_ASKED_MAX = 256;

/** How often a name whose file is replaced meanwhile is looked up, before the folder around answers for its folder. */
export const FOLDER_LOOKS_MAX = 4;

/** Deepest nesting of an answer or of arguments. */
export const JSON_DEPTH_MAX = 512;

/** Most characters of one call's argument text. */
export const ARGUMENTS_CHARS_MAX = 16 * 1024 * 1024;

/** How often a run asks its model unless the host says otherwise. */
export const RUN_STEPS_DEFAULT = 50;

/** Longest a model may be silent, from its request or its last item. */
export const MODEL_SILENCE_MS_MAX = 600_000;

/** How many events of a run are held for a watcher who does not take them. */
export const RUN_EVENTS_MAX = 10_000;

/** Most characters of one event of a model's stream. */
export const STREAM_EVENT_CHARS_MAX = 64 * 1024 * 1024;

/** Longest event of a model's stream that is compared with the one before it; a longer one is cheap for its length. */
export const ALIKE_JSON_CHARS_MAX = 4_096;

/** Longest headers of a binary frame whose texts are kept for the next frame. */
export const FRAME_HEADERS_KEPT_BYTES_MAX = 1_024;

/** How much of a line that has not ended is held as bytes; a longer one is decoded as it comes. */
export const LINE_BYTES_HELD_MAX = 16 * 1024;

/** Longest JSON path of a piece of arguments. */
export const JSON_PATH_CHARS_MAX = 64 * 1024;

/** Most characters of arguments that one streamed reply may hold. */
export const REPLY_ARGUMENTS_CHARS_MAX = 64 * 1024 * 1024;

/** How much of a stream's beginning is looked at to tell its format. */
export const FORMAT_HEAD_CHARS_MAX = 256 * 1024;

/** How much of a stream's beginning is kept until its first event was read, to say what it is if it holds none. */
export const BODY_HEAD_CHARS_MAX = 4 * 1024;

/** How much of that is shown. */
export const BODY_SHOWN_CHARS_MAX = 80;

/** How many pieces of a stream that is read twice one reader may be ahead of the other. */
export const TEE_PIECES_MAX = 16;

/** Most bytes one call may answer. */
export const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Most values that data may hold, each place of a value that stands in several counted; as bytes, eight a value. */
export const DATA_VALUES_MAX = OUTPUT_BYTES_MAX / 8;

/** Most calls of one wave. */
export const WAVE_CALLS_MAX = 1_000_000;

/** Longest the engine works on the host's thread without letting the event loop turn. */
export const HOST_TURN_MS_MAX = 8;

/** How many near names an unknown tool's error offers. */
export const NEAR_NAMES_MAX = 3;

/** Longest unknown name that near names are looked for; longer ones are no slip of a letter. */
export const NEAR_NAME_CHARS_MAX = 256;

/** How much of a text a message shows. */
export const SHOWN_CHARS_MAX = 200;

/** Longest message that is copied out of a thrown value. */
export const MESSAGE_CHARS_MAX = 8_192;

/** Longest chain of causes that is kept of a thrown value. */
export const CAUSE_DEPTH_MAX = 8;

/** Longest path that is followed, twice what the file systems in use allow; each folder of it may cost a look. */
export const PATH_CHARS_MAX = 8 * 1024;

/** Most links one path may lead through; a longer chain is taken for a loop. */
export const LINK_HOPS_MAX = 40;
