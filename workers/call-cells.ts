// Call cells
//
// The memory that the host and one thread share: one cell for each call in the thread's hands, with the call's phase and
// its cancel flag. A phase moves by compare-and-exchange only, so that the host, which takes a call back, and the thread,
// which begins it, can never both have it.
//
//   free ──host──▶ handed ──thread──▶ loading ──thread──▶ begun ──host, on the answer──▶ free
//                    ├──────────────thread────────────────▲
//                    ├──────host──▶ withdrawn ◀──host── loading ──thread──▶ refused ──host, on the answer──▶ free
//                                       └──thread, on meeting it──▶ free
//
// Owns:      the layout, and who may move a phase where.
// Does not:  carry a call; its arguments travel as a message (protocol.ts).
//
// Invariants:
//   U1. A call is begun or withdrawn, never both.
//   U2. A cell is used again only once the side that met it last has freed it.

import { invariant } from "../engine/core/invariant.js";
import { THREAD_CALLS_MAX } from "../engine/core/limits.js";

// A withdrawn call holds its cell until the thread meets it, so there are more cells than calls in hand.
const CELLS = THREAD_CALLS_MAX * 4;
const FIELDS = 2;

const FREE = 0;
const HANDED = 1;
const LOADING = 2;
const BEGUN = 3;
const WITHDRAWN = 4;
const REFUSED = 5;

export type CellPhase = "free" | "handed" | "loading" | "begun" | "withdrawn" | "refused";

const PHASES: readonly CellPhase[] = ["free", "handed", "loading", "begun", "withdrawn", "refused"];

export class CallCells {
	readonly memory: SharedArrayBuffer;
	readonly #fields: Int32Array;

	constructor(memory = new SharedArrayBuffer(CELLS * FIELDS * Int32Array.BYTES_PER_ELEMENT)) {
		this.memory = memory;
		this.#fields = new Int32Array(memory);
	}

	/** For the host: a free cell, now handed and not cancelled; `undefined` when the thread has yet to meet them all. */
	hand(): number | undefined {
		for (let cell = 0; cell < CELLS; cell += 1) {
			if (Atomics.load(this.#fields, cell * FIELDS) !== FREE) continue;
			Atomics.store(this.#fields, cell * FIELDS + 1, 0);
			Atomics.store(this.#fields, cell * FIELDS, HANDED);
			return cell;
		}
		return undefined;
	}

	/** For the host: takes a call back, also while its module loads. `false`: it has begun. */
	withdraw(cell: number): boolean {
		return this.withdrawUnclaimed(cell) || this.#move(cell, LOADING, WITHDRAWN);
	}

	/** For the host: takes a call back that the thread has not looked at. `false`: it has. */
	withdrawUnclaimed(cell: number): boolean {
		return this.#move(cell, HANDED, WITHDRAWN);
	}

	/** For the host: asks the call to stop. */
	cancel(cell: number): void {
		Atomics.store(this.#fields, cell * FIELDS + 1, 1);
	}

	/** For the thread: claims a call whose module must be loaded first. `false`: it was withdrawn. */
	load(cell: number): boolean {
		return this.#move(cell, HANDED, LOADING);
	}

	/** For the thread: claims a call for running. `false`: it was withdrawn. */
	begin(cell: number): boolean {
		return this.#move(cell, HANDED, BEGUN) || this.#move(cell, LOADING, BEGUN);
	}

	/** For the thread: the module did not load, so the call is answered without beginning. `false`: it was withdrawn. */
	refuse(cell: number): boolean {
		return this.#move(cell, LOADING, REFUSED);
	}

	isCancelled(cell: number): boolean {
		return Atomics.load(this.#fields, cell * FIELDS + 1) === 1;
	}

	/** For the host after an answer, for the thread after a withdrawn call. */
	free(cell: number): void {
		const before = Atomics.exchange(this.#fields, cell * FIELDS, FREE);
		invariant(before !== HANDED && before !== FREE, "U2", `cell ${cell} was freed while ${PHASES[before]}`);
	}

	phase(cell: number): CellPhase {
		return PHASES[Atomics.load(this.#fields, cell * FIELDS)] ?? "free";
	}

	// U1: of two sides that move the same phase, the exchange lets one through.
	#move(cell: number, from: number, to: number): boolean {
		return Atomics.compareExchange(this.#fields, cell * FIELDS, from, to) === from;
	}
}
