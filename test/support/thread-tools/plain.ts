// Plain thread tools
//
// Exports that tests run on threads: what a well-behaved tool does, each in its smallest form.
//
// Owns:      those exports.
// Does not:  fail on purpose (faults.ts).

import { threadId } from "node:worker_threads";
import { isEngineError } from "../../../engine/core/errors.js";
import type { JsonValue } from "../../../engine/core/json-value.js";
import { PROGRESS_MS_MIN } from "../../../engine/core/limits.js";
import type { ToolContext } from "../../../engine/core/tool-context.js";

export const nothing = (): undefined => undefined;

export const echo = (args: unknown): unknown => args;

export const echoLater = async (args: unknown): Promise<unknown> => args;

export const whichThread = (): number => threadId;

export function spin({ turns }: { turns: number }): number {
	let sum = 0;
	for (let turn = 0; turn < turns; turn += 1) sum = (sum + Math.imul(turn, 31)) | 0;
	return sum;
}

export function describeContext(_args: unknown, context: ToolContext): JsonValue {
	const { callId, runId, index, idempotencyKey } = context;
	return { callId, runId, index, idempotencyKey, cancelled: context.cancelled(), aborted: context.signal.aborted };
}

/** Reports what it is given, one update after another, and answers how many there were. */
export function report({ updates }: { updates: JsonValue[] }, { progress }: ToolContext): number {
	for (const update of updates) progress(update);
	return updates.length;
}

/** Says that it has begun, and answers once its signal aborts. */
export function untilAborted(_args: unknown, { signal, progress }: ToolContext): Promise<string> {
	progress("began");
	return new Promise((resolve) => {
		const answer = (): void => resolve(String(signal.reason.name));
		if (signal.aborted) answer();
		else signal.addEventListener("abort", answer, { once: true });
	});
}

/** Says that it has begun, and loops without yielding until it is told to stop. */
export function untilCancelled(_args: unknown, { cancelled, progress }: ToolContext): string {
	progress("began");
	while (!cancelled());
	return "stopped";
}

/** Waits until a cell of shared memory is set, without yielding. */
export function untilSet({ memory }: { memory: SharedArrayBuffer }): string {
	Atomics.wait(new Int32Array(memory), 0, 0);
	return "set";
}

/** Notes its name in shared memory: the next free place gets it. */
export function noteBegan({ memory, name }: { memory: SharedArrayBuffer; name: number }): number {
	const cells = new Int32Array(memory);
	const place = Atomics.add(cells, 0, 1) + 1;
	Atomics.store(cells, place, name);
	return name;
}

export const bytes = ({ length }: { length: number }): Uint8Array => new Uint8Array(length).fill(7);

export const text = ({ length, of }: { length: number; of: string }): string => of.repeat(length);

const kept = new Uint8Array(1 << 20).fill(3);

export const keptBytes = (): Uint8Array => kept;

export const pooledBytes = (): Uint8Array => Buffer.from("a pooled buffer");

/** The memory of a WebAssembly module, which cannot be moved; the types of this project do not know it. */
export function wasmBytes(): Uint8Array {
	const { WebAssembly: wasm } = globalThis as unknown as {
		WebAssembly: { Memory: new (size: { initial: number }) => { buffer: ArrayBuffer } };
	};
	return new Uint8Array(new wasm.Memory({ initial: 1 }).buffer);
}

/** Reports, and answers once its signal aborts. */
export function reportAndWait({ updates }: { updates: JsonValue[] }, context: ToolContext): Promise<string> {
	for (const update of updates) context.progress(update);
	return untilAborted({}, { ...context, signal: context.signal, progress: () => undefined });
}

/** Reports often enough to be heard, without yielding. */
export function reportInLoop({ count }: { count: number }, { progress }: ToolContext): number {
	const pause = new Int32Array(new SharedArrayBuffer(4));
	for (let turn = 1; turn <= count; turn += 1) {
		progress(turn);
		Atomics.wait(pause, 0, 0, PROGRESS_MS_MIN * 2);
	}
	return count;
}

let running = 0;

/** Answers how many of its calls run, itself included, over a few turns. */
export async function countRunning(): Promise<number> {
	running += 1;
	let most = running;
	for (let turn = 0; turn < 3; turn += 1) {
		await null;
		most = Math.max(most, running);
	}
	running -= 1;
	return most;
}

/** Holds keys while it makes a nested call, and answers what that answered. */
export async function lockAndInvoke({ name, args }: { name: string; args: unknown }, context: ToolContext) {
	const release = await context.lock({ write: ["a", "b"] });
	try {
		return await context.invokeTool(name, args);
	} finally {
		release();
		release();
	}
}

/** Makes a nested call that is refused, and answers what it could read of the refusal. */
export async function describeRefusal(_args: unknown, { invokeTool }: ToolContext): Promise<unknown> {
	try {
		return await invokeTool("any", {});
	} catch (error) {
		const { name, message, code, recovery, outcome, circle } = error as Record<string, unknown>;
		return {
			name,
			message,
			code,
			recovery,
			outcome,
			circle,
			known: isEngineError(error),
			isError: error instanceof Error,
		};
	}
}
