// Waiting look
//
// Whether the call a thread is on merely waits. The host cannot see what a tool does, but it can see how busy the
// thread's event loop was: a loop that was idle nearly all the time since the last look waits for the world outside.
// Asking tools to declare that they wait was the alternative; a declaration is wrong the day the tool changes.
//
// Owns:      the comparison of two looks at one call.
// Does not:  choose when to look (dispatcher.ts).

import { BUSY_SHARE_WAITING_MAX } from "../engine/core/limits.js";

interface Look {
	readonly call: object;
	readonly atMs: number;
	readonly busyMs: number;
}

export class WaitingLook {
	#last: Look | undefined;
	#waits: object | undefined;

	/** Whether the call was found to wait at the last look. */
	waits(call: object): boolean {
		return this.#waits === call;
	}

	/** Looks at the call that runs. The first look at a call finds nothing out; it is what the second compares with. */
	look(now: Look): void {
		const last = this.#last;
		this.#last = now;
		this.#waits = undefined;
		if (last?.call !== now.call) return;
		const isIdle = now.busyMs - last.busyMs <= (now.atMs - last.atMs) * BUSY_SHARE_WAITING_MAX;
		if (isIdle && now.atMs > last.atMs) this.#waits = now.call;
	}
}
