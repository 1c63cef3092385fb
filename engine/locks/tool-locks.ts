// Tool locks
//
// The one lock that the calls of every engine on this thread go through, whichever copy of the package an engine came
// with. A worker thread has one of its own, which its tools do not see: they ask through their context.
//
// Owns:      the lock.
// Does not:  keep processes or machines apart: two files of one name there are none of its business.

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
