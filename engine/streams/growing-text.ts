// Growing text
//
// A text that comes in many small pieces. Adding each to the last with `+` makes a node of a few dozen bytes a piece that
// lives as long as the text: a megabyte in pieces of four characters then holds fifteen, and each collection of garbage
// copies them. Here pieces are joined a few hundred at a time, and what is kept is little more than the characters.
//
// Owns:      the text and its length so far.
// Does not:  bound the text; whoever appends does.
//
// Invariants:
//   GT1. However it was cut into pieces, the text is theirs in the order in which they came.

/** Few enough to be gone before garbage is collected, many enough that joining costs next to nothing. */
const PIECES_JOINED = 512;

export class GrowingText {
	#joined = "";
	#recent: string[] = [];
	#length = 0;

	constructor(beginning = "") {
		this.#joined = beginning;
		this.#length = beginning.length;
	}

	get length(): number {
		return this.#length;
	}

	append(piece: string): void {
		this.#length += piece.length;
		if (this.#recent.push(piece) === PIECES_JOINED) this.#join();
	}

	/** The whole text. Asking for it after every piece would make it the sum that this is here to avoid. */
	text(): string {
		this.#join();
		return this.#joined;
	}

	// GT1: what is recent comes after all that was joined.
	#join(): void {
		if (this.#recent.length === 0) return;
		this.#joined += this.#recent.length === 1 ? this.#recent[0] : this.#recent.join("");
		this.#recent = [];
	}
}
