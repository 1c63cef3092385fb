// Thread work
//
// What the thread subjects run, with and without the engine: nothing, arithmetic for a given time, progress, bytes. Plain
// JavaScript, so that every Node version loads it on a thread.

import { move } from "piscina";

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

// A tool answers its bytes as they are; a bare task has to say that they are to be moved.
export function bytes({ length }) {
	return new Uint8Array(length);
}

export function movedBytes({ length }) {
	return move(new Uint8Array(length));
}

export function report({ times }, { progress }) {
	for (let time = 1; time <= times; time += 1) progress(time);
	return times;
}
