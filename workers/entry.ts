// Entry
//
// What a worker thread loads first. The pool opens each thread with one Piscina task, which ends at once; from then on
// the thread serves its own port.
//
// Owns:      the name under which Piscina finds the task.
// Does not:  serve (thread-server.ts).

import type { OpenThread } from "./protocol.js";
import { ThreadServer } from "./thread-server.js";

export function open(task: OpenThread): void {
	new ThreadServer(task);
}
