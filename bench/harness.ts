// Harness
//
// The machine is noisy, so a figure alone says little: each subject measures itself and a baseline in the same run, the
// two taking turns, and reports the medians and their ratio. Wall time never fails a test; a ratio past its target is
// marked in the report and makes the bench exit with 1.
//
// Owns:      rounds, medians, the row's shape, the host's event-loop delay.
// Does not:  know any subject.

import { monitorEventLoopDelay, performance } from "node:perf_hooks";

export interface Row {
	readonly what: string;
	readonly ours: number;
	readonly baseline: number;
	/** What both figures count: "µs a call", "ms". */
	readonly unit: string;
	/** What the baseline is. */
	readonly against: string;
	/** `ours / baseline`, or the other way round where more is better. */
	readonly ratio: number;
	readonly target: { readonly atMost: number } | { readonly atLeast: number };
}

export interface Subject {
	readonly name: string;
	/** What the subject does not measure. */
	readonly notMeasured: string;
	run(): Promise<readonly Row[]>;
}

export function met({ ratio, target }: Row): boolean {
	return "atMost" in target ? ratio <= target.atMost : ratio >= target.atLeast;
}

/** A piece of work that is timed as a whole. */
export type Work = () => Promise<unknown>;

/**
 * Median milliseconds of each work, taken in turns so that drift of the machine meets all alike, and every other time the
 * other way round: what one leaves to the garbage collector is not counted against the same one every time.
 */
export async function inTurns<Name extends string>(
	works: Readonly<Record<Name, Work>>,
	rounds: { readonly warmUp: number; readonly measured: number },
): Promise<Record<Name, number>> {
	const names = Object.keys(works) as Name[];
	const samples = new Map<Name, number[]>(names.map((name) => [name, []]));
	for (let round = -rounds.warmUp; round < rounds.measured; round += 1) {
		for (const name of round % 2 === 0 ? names : [...names].reverse()) {
			const elapsedMs = await timed(works[name]);
			if (round >= 0) samples.get(name)?.push(elapsedMs);
		}
	}
	const medians = names.map((name) => [name, median(samples.get(name) ?? [])] as const);
	return Object.fromEntries(medians) as Record<Name, number>;
}

export async function timed(work: Work): Promise<number> {
	const startMs = performance.now();
	await work();
	return performance.now() - startMs;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((left, right) => left - right);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The 99th percentile of the event loop's delay while the work runs, in milliseconds. */
export async function loopDelayMs(work: Work): Promise<number> {
	const delay = monitorEventLoopDelay({ resolution: 1 });
	delay.enable();
	await work();
	delay.disable();
	return delay.percentile(99) / 1e6;
}
