// Admission turns
//
// A call may make several calls without waiting for the ones before. Each is a wave of its own, and a schema or a policy
// that takes its time would let a later one overtake it. So each comes to admission once those that the same call made
// before were admitted.
//
// Owns:      that order.
// Does not:  wait for anything but admissions, which have bounds of their own.

export interface AdmissionTurn {
	/** When the turn comes; nothing where it has. */
	readonly come: Promise<void> | undefined;
	/** The calls were admitted, or will not be. */
	done(): void;
}

export class AdmissionTurns {
	/** The last turn of each maker that is not over. */
	readonly #last = new Map<object, Promise<void>>();

	take(maker: object): AdmissionTurn {
		const before = this.#last.get(maker);
		let isDone = (): void => undefined;
		const own = new Promise<void>((resolve) => {
			isDone = resolve;
		});
		this.#last.set(maker, own);
		return {
			come: before,
			done: () => {
				isDone();
				if (this.#last.get(maker) === own) this.#last.delete(maker);
			},
		};
	}
}
