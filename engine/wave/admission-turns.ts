// Admission turns
//
// A call may make several calls without waiting for the ones before. Each is a wave of its own, and a schema or a policy
// that takes its time would let a later one overtake it. So each comes to admission once those that the same call made
// before were admitted.
//
// Owns:      that order.
// Does not:  wait for anything but admissions, which have bounds of their own.
//
// Invariants:
//   TN1. A turn comes once every earlier one of its maker is over, also where one between them was given up in its wait.

import { broken } from "../core/invariant.js";

export interface AdmissionTurn {
	/** When the turn comes; nothing where it has. */
	readonly come: Promise<void> | undefined;
	/** The calls were admitted, or will not be. */
	done(): void;
}

interface Line {
	taken: number;
	over: number;
	/** When the last turn that was taken is over, with all before it. */
	last: Promise<void> | undefined;
}

export class AdmissionTurns {
	/** Of each maker of which a turn is not over. */
	readonly #lines = new Map<object, Line>();

	take(maker: object): AdmissionTurn {
		const line = this.#lines.get(maker) ?? { taken: 0, over: 0, last: undefined };
		this.#lines.set(maker, line);
		const { last: before, taken: number } = line;
		line.taken += 1;
		let done = (): void => undefined;
		const ended = new Promise<void>((resolve) => {
			done = resolve;
		});
		line.last = Promise.all([before, ended]).then(() => {
			if (line.over !== number) broken("TN1", `turn ${number} was over after ${line.over} others`);
			line.over += 1;
			if (line.over === line.taken) this.#lines.delete(maker);
		});
		return { come: before, done };
	}
}
