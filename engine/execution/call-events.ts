// Call events
//
// What a running call tells whoever watches. Its own file, because a call may run for a wave or ahead of one, and both
// tell the same.

import type { EventHub } from "../core/events.js";
import type { JsonValue } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";
import type { CallIdentity } from "./call-context.js";
import type { CallWatch } from "./running-call.js";

export class CallEvents implements CallWatch {
	readonly #hub: EventHub;
	readonly #identity: CallIdentity;
	readonly #ahead: boolean;

	constructor(hub: EventHub, identity: CallIdentity, ahead: boolean) {
		this.#hub = hub;
		this.#identity = identity;
		this.#ahead = ahead;
	}

	began(thread: number | undefined): void {
		if (!this.#hub.watched) return;
		const on = thread === undefined ? {} : { thread };
		this.#hub.emit({ kind: "call_began", ...this.#place(), ahead: this.#ahead, ...on });
	}

	progressed(update: JsonValue): void {
		if (this.#hub.watched) this.#hub.emit({ kind: "call_progress", ...this.#place(), update });
	}

	endedLate(outcome: Outcome): void {
		if (this.#hub.watched) this.#hub.emit({ kind: "call_ended_late", ...this.#place(), outcome });
	}

	#place(): Pick<CallIdentity, "runId" | "step" | "index" | "name"> {
		const { runId, step, index, name } = this.#identity;
		return { runId, step, index, name };
	}
}
