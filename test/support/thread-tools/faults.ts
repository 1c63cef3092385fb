// Fault thread tools
//
// Exports that end their thread, fail, or leave something behind that does.
//
// Owns:      those exports.
// Does not:  behave.

import { setTimeout as after } from "node:timers/promises";
import type { ToolContext } from "../../../engine/core/tool-context.js";

class OwnError extends Error {
	override readonly name = "OwnError";
	readonly code = "E_OWN";
}

export function exitNow({ code }: { code: number }): never {
	process.exit(code);
}

export async function exitLater({ code }: { code: number }): Promise<never> {
	await after(1);
	process.exit(code);
}

/** Answers, and exits `delayMs` later. */
export function exitAfterAnswer({ code, delayMs }: { code: number; delayMs: number }): string {
	void after(delayMs).then(() => process.exit(code));
	return "answered";
}

/** Throws where nothing catches it, while its own promise stays pending. */
export function uncaught(): Promise<never> {
	setImmediate(() => {
		throw new OwnError("nobody caught this");
	});
	return new Promise(() => undefined);
}

export function rejectUnhandled(): Promise<never> {
	void Promise.reject(new OwnError("nobody handled this"));
	return new Promise(() => undefined);
}

/** Answers, and throws `delayMs` later where nothing catches it. */
export function uncaughtAfterAnswer({ delayMs }: { delayMs: number }): string {
	setTimeout(() => {
		throw new OwnError("left behind");
	}, delayMs);
	return "answered";
}

export function rejectAfterAnswer({ delayMs }: { delayMs: number }): string {
	void after(delayMs).then(() => {
		throw new OwnError("left behind");
	});
	return "answered";
}

export function throwInMicrotask(): string {
	queueMicrotask(() => {
		throw new OwnError("a microtask of an ended call");
	});
	return "answered";
}

export function exhaustHeap(): number {
	const kept: number[][] = [];
	for (;;) kept.push(new Array<number>(100_000).fill(kept.length));
}

export function overflowStack(): number {
	return 1 + overflowStack();
}

export function loopForEver(): never {
	for (;;);
}

export function never(): Promise<never> {
	return new Promise(() => undefined);
}

export function throwOwn(): never {
	throw new OwnError("it went wrong", { cause: new RangeError("because of this") });
}

export const answerFunction = (): unknown => ({ rows: [{ parent: () => 1 }] });

export function answerCycle(): unknown {
	const cycle: Record<string, unknown> = {};
	cycle.self = cycle;
	return cycle;
}

export const answerHuge = (): string => "x".repeat(40 * 1024 * 1024);

/** Behaves, for `delayMs`, while what others left behind does not. */
export async function answerLater({ delayMs }: { delayMs: number }): Promise<string> {
	await after(delayMs);
	return "answered late";
}

export function reportAndExit(_args: unknown, { progress }: ToolContext): never {
	progress("last words");
	process.exit(1);
}

export function reportFunction(_args: unknown, { progress }: ToolContext): void {
	progress({ bad: () => 1 } as never);
}

export function reportAfterAnswer({ delayMs }: { delayMs: number }, { progress }: ToolContext): string {
	void after(delayMs).then(() => progress("too late"));
	return "answered";
}

export function lockAfterAnswer({ delayMs }: { delayMs: number }, { lock }: ToolContext): string {
	void after(delayMs).then(() => lock(["late"]));
	return "answered";
}
