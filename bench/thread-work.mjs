// Thread work
//
// What the thread subjects run, with and without the engine: nothing, and arithmetic for a given time. Plain JavaScript,
// so that every Node version loads it on a thread.

export function nothing() {
	return null;
}

// Arithmetic and no clock in the inner loop: a thread that only reads the clock would measure the clock.
export function burn({ ms }) {
	const endMs = performance.now() + ms;
	let sum = 0;
	while (performance.now() < endMs) {
		for (let step = 0; step < 20_000; step += 1) sum = (sum * 31 + step) % 1_000_003;
	}
	return sum;
}
