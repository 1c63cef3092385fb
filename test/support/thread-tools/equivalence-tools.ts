// Equivalence thread tools
//
// One export for random waves on real threads: it works for a while and then does what its arguments say. The same
// function runs in the thread and, for the serial reference, in the test itself, so both have the same answers.
//
// Owns:      that export.
// Does not:  end its thread (faults.ts).

export interface ThreadPlay {
	readonly n: number;
	/** How long it works: rounds of arithmetic, so that calls settle out of call order without a clock. */
	readonly rounds: number;
	readonly does:
		| "answers"
		| "answers nothing"
		| "answers bytes"
		| "answers no data"
		| "throws"
		| "throws text"
		| "rejects";
}

class ThreadFault extends TypeError {
	override readonly name = "ThreadFault";
	readonly code = "E_THREAD";
}

export function play({ n, rounds, does }: ThreadPlay): unknown {
	const sum = work(rounds);
	switch (does) {
		case "answers":
			return { n, sum };
		case "answers nothing":
			return undefined;
		case "answers bytes":
			return new Uint8Array([n, rounds % 256, 255]);
		case "answers no data":
			return { rows: [n, { open: () => n }] };
		case "throws":
			throw new ThreadFault(`number ${n}`, { cause: new Error("below") });
		case "throws text":
			throw `number ${n}`;
		case "rejects":
			return Promise.reject(new RangeError(`number ${n}`));
	}
}

function work(rounds: number): number {
	let sum = 0;
	for (let round = 0; round < rounds; round += 1) sum = (sum + Math.imul(round, 31)) | 0;
	return sum;
}
