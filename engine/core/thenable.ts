// Thenable
//
// Code of the host may answer at once or by a promise. Asking which keeps the cheap case free of promises: a wave of ten
// thousand calls would otherwise pay several turns of the microtask queue a call.
//
// Owns:      telling a promise from a value, a bound on waiting for one, and hearing out one that nobody takes.
// Does not:  read a foreign promise by its own `then`, which may throw, call back twice or never; `Promise.resolve` does.

import type { Clock } from "./clock.js";

export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
	return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Hears what becomes of a promise that came where none is taken: nobody else will, and a rejection that nobody hears ends
 * the process. Never throws.
 */
export function hearOut(value: unknown): void {
	try {
		if (isThenable(value)) void Promise.resolve(value).then(undefined, () => undefined);
	} catch {
		// It was no promise.
	}
}

/** A promise that gave no sign for longer than its bound. */
export class NeverSettled extends Error {
	constructor(what: string, limitMs: number) {
		super(`${what} did not settle within ${limitMs} ms`);
		this.name = "NeverSettled";
	}
}

export interface Bound {
	/** What is waited for, as the subject of a sentence. */
	readonly what: string;
	readonly limitMs: number;
	readonly clock: Clock;
}

/** The promise's value, or a rejection once the bound is reached. A later settlement is not reported anywhere. */
export function bounded<Value>(promise: PromiseLike<Value>, bound: Bound): Promise<Value> {
	return new Promise((resolve, reject) => {
		const expire = (): void => reject(new NeverSettled(bound.what, bound.limitMs));
		const cancel = bound.clock.setTimer(expire, bound.limitMs);
		// Through a promise of our own: a foreign one may throw here, settle twice, or settle with another.
		Promise.resolve(promise).then(
			(value) => {
				cancel();
				resolve(value);
			},
			(error: unknown) => {
				cancel();
				reject(error);
			},
		);
	});
}

/** Asks so that whoever does not wait for the answer is not told of its failure, and does not end the process by it. */
export function heard<Asked extends unknown[], Value>(
	ask: (...asked: Asked) => Promise<Value>,
): (...asked: Asked) => Promise<Value> {
	return (...asked) => {
		const answer = ask(...asked);
		hearOut(answer);
		return answer;
	};
}
