// Tool locks
//
// The one lock that every tool call of the process goes through, whichever engine runs it and whichever copy of the
// package that engine came with.
//
// Owns:      the lock. Two files of one name on two machines, or in two processes, are none of its business.

import { KeyedLock } from "./keyed-lock.js";
import { processWide } from "./process-wide.js";

/**
 * The lock that the calls of every engine on this thread share. Code of your own can wait in the same queues.
 *
 * Another copy of the package may have made it, so it need not be an instance of this copy's {@link KeyedLock}.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const toolLocks: KeyedLock = processWide("wavetrain.toolLocks.v1", () => new KeyedLock());
