// Thread options
//
// What a host may say of the worker threads. It stands here because both sides read it: the engine's options name it,
// the pool makes threads by it.
//
// Owns:      the shape.
// Does not:  check it (settle-options.ts) or fill in defaults (workers/pool.ts).

/**
 * Where tools made with `onThread` run.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ThreadOptions {
	/**
	 * Threads that are started with the engine, load the tools' modules at once, and are kept. Default `0`: the first is
	 * started by the first call that needs one; minimum `0`.
	 */
	readonly min?: number;
	/**
	 * Most threads that run calls at once, and most for one tool. A thread whose call merely waits is not counted, so
	 * that calls of other tools need not wait for it. Default: one fewer than the machine's cores, and not below `min`;
	 * minimum `1`.
	 */
	readonly max?: number;
	/**
	 * Bounds of a thread's heap and stack, in megabytes. Buffers are not counted in them. Default: 512 for the old
	 * generation, 4 for the stack, Node's own for the rest.
	 */
	readonly resourceLimits?: {
		readonly maxOldGenerationSizeMb?: number;
		readonly maxYoungGenerationSizeMb?: number;
		readonly stackSizeMb?: number;
	};
	/** Node's own arguments for threads, such as a loader. Default: those of the process. */
	readonly execArgv?: readonly string[];
	/** How long a thread above `min` is kept, from when it has nothing to do. Default `30_000`; minimum `0`. */
	readonly idleMs?: number;
	/** The threads' environment. Default: a copy of the process's. */
	readonly env?: Readonly<Record<string, string>>;
}
