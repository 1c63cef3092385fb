// Held work
//
// A queue of pending promises that a test releases in any order. Tools and policies of a test wait here, so the order
// in which things settle is a choice of the test and not of the machine.
//
// Owns:      what waits, and what ran beside what.
// Does not:  choose the order (wave-driver.ts does).

export type Hold = (label: string) => Promise<void>;

export class HeldWork {
	readonly #waiting: { readonly label: string; readonly release: () => void }[] = [];

	/** Waits until the test releases it. */
	readonly hold: Hold = (label) => {
		return new Promise((release) => void this.#waiting.push({ label, release }));
	};

	get waiting(): readonly string[] {
		return this.#waiting.map(({ label }) => label);
	}

	/** Releases one by its place in the queue, counted round; says which. Nothing waits: `undefined`. */
	releaseAt(place: number): string | undefined {
		if (this.#waiting.length === 0) return undefined;
		const [chosen] = this.#waiting.splice(place % this.#waiting.length, 1);
		chosen?.release();
		return chosen?.label;
	}

	/** Releases by name; a name that nobody waits under is a mistake of the test. */
	release(label: string): void {
		const place = this.#waiting.findIndex((one) => one.label === label);
		if (place === -1) throw new Error(`nothing waits as ${label}; waiting: ${this.waiting.join(", ") || "nothing"}`);
		this.releaseAt(place);
	}

	releaseAll(): void {
		while (this.releaseAt(0) !== undefined);
	}
}
