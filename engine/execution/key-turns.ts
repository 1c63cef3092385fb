// Key turns
//
// Calls of one wave enter the queues of their keys in call order, also when a later one knows its keys first. So every
// call with keys takes a turn when it starts, and asks for its keys only after the turn before it has asked.
//
// Owns:      the order of asking.
// Does not:  work out keys or hold them.
//
// Invariants:
//   KT1. A turn begins only after every earlier one has passed.

/** One call's place in the order of asking. */
export interface KeyTurn {
	/** Resolves when it is this call's turn; nothing where it is already. */
	readonly come: Promise<void> | undefined;
	/** The call has asked, or will not ask. */
	pass(): void;
}

export class KeyTurns {
	#last: Promise<void> | undefined;

	take(): KeyTurn {
		const come = this.#last;
		let pass: () => void = () => undefined;
		const passed = new Promise<void>((resolve) => {
			pass = resolve;
		});
		// KT1: who comes next waits for this call and, through it, for every call before it.
		const last = come === undefined ? passed : come.then(() => passed);
		this.#last = last;
		void last.then(() => {
			if (this.#last === last) this.#last = undefined;
		});
		return { come, pass };
	}
}
