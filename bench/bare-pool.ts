// Bare pool
//
// The baseline of every subject on threads: Piscina as it comes, with the same threads, one task a thread, and as many
// calls in flight as the engine has.
//
// Owns:      the pool, the calls and how many are in flight.
// Does not:  measure.

import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import type { ToolCall } from "wavetrain";

export const THREADS = Math.min(2, availableParallelism());

export const threadWorkUrl = new URL("./thread-work.mjs", import.meta.url);

export interface BarePool {
	run(args: unknown, options: { readonly name: string }): Promise<unknown>;
}

export function barePool(): Piscina {
	return new Piscina({
		filename: threadWorkUrl.href,
		minThreads: THREADS,
		maxThreads: THREADS,
		concurrentTasksPerWorker: 1,
	});
}

export function repeated(count: number, name: string, args: object): ToolCall[] {
	return Array.from({ length: count }, (_, place) => ({ id: `${name}_${place}`, name, args }));
}

/** Keeps the pool's queue at `inFlight` calls, as the engine's own cap does; runs the export that bears a call's name. */
export async function bare(pool: BarePool, calls: readonly ToolCall[], inFlight: number): Promise<void> {
	let next = 0;
	const lane = async (): Promise<void> => {
		for (let call = calls[next]; call !== undefined; call = calls[next]) {
			next += 1;
			await pool.run(call.args, { name: call.name });
		}
	};
	await Promise.all(Array.from({ length: inFlight }, lane));
}
