// Call events
//
// What a running call tells whoever watches. Its own file, because a call may run for a wave or ahead of one, and both
// tell the same.
//
// Owns:      the events of a call that runs.
// Does not:  tell of its admission, its keys (key-events.ts) or its end (wave/wave-events.ts).

import type { EventHub } from "../core/events.js";
import type { JsonValue } from "../core/json-value.js";
import type { Outcome } from "../core/outcome.js";
import { type CallIdentity, placeOf } from "./call-identity.js";
import type { Overrun } from "./overrun.js";
import type { CallWatch } from "./running-call.js";

export class CallEvents implements CallWatch {
	readonly #hub: EventHub;
	readonly #ahead: boolean;

	constructor(hub: EventHub, ahead: boolean) {
		this.#hub = hub;
		this.#ahead = ahead;
	}

	began(identity: CallIdentity, thread: number | undefined): void {
		if (!this.#hub.watched) return;
		const on = thread === undefined ? {} : { thread };
		this.#hub.emit({ kind: "call_began", ...placeOf(identity), ahead: this.#ahead, ...on });
	}

	progressed(identity: CallIdentity, update: JsonValue): void {
		if (this.#hub.watched) this.#hub.emit({ kind: "call_progress", ...placeOf(identity), update });
	}

	overran(identity: CallIdentity, overrun: Overrun): void {
		if (this.#hub.watched) this.#hub.emit({ kind: "call_overran", ...placeOf(identity), ...overrun });
	}

	endedLate(identity: CallIdentity, outcome: Outcome): void {
		if (this.#hub.watched) this.#hub.emit({ kind: "call_ended_late", ...placeOf(identity), outcome });
	}
}
