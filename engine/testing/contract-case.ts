// Contract case
//
// One promise as a test that any runner can run: a name that is a sentence, and a function that rejects when the promise
// is not kept. No runner is named here, because a host's is not ours to choose.
//
// Owns:      that shape, and what the suites share.
// Does not:  run cases.

import { isEngineError } from "../index.js";

/**
 * One promise of a port, as a test. `run` rejects with an `AssertionError` when it is not kept.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ContractCase {
	/** The promise, as a sentence: a title for the test. */
	readonly name: string;
	/** Resolves if it is kept. */
	run(): Promise<void>;
}

/** A promise and how it is looked at. Named by this call, so that the tidy test finds which promises have a case. */
export interface Promised<Subject> {
	readonly name: string;
	readonly keep: (subject: Subject) => Promise<void>;
}

export function promised<Subject>(name: string, keep: (subject: Subject) => Promise<void>): Promised<Subject> {
	return { name, keep };
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
	const all: Item[] = [];
	for await (const item of items) all.push(item);
	return all;
}

/** The code of the package's error that an action ends with, or a sentence that says what happened instead. */
export async function codeOf(action: () => unknown): Promise<string> {
	try {
		await action();
	} catch (error) {
		return isEngineError(error) ? error.code : `not an EngineError: ${String(error)}`;
	}
	return "nothing was thrown";
}
