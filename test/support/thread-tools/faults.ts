// Fault thread tools
//
// Exports that end their thread, fail, or leave something behind that does.
//
// Owns:      those exports.
// Does not:  behave.

import { setImmediate as nextTurn } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import type { ToolContext } from "../../../engine/core/tool-context.js";

class OwnError extends Error {
	override readonly name = "OwnError";
	readonly code = "E_OWN";
}

export function exitNow({ code }: { code: number }): never {
	process.exit(code);
}

export async function exitLater({ code }: { code: number }): Promise<never> {
	await nextTurn();
	process.exit(code);
}

/** When what a call left behind acts: soon, most likely on an idle thread, or once another call runs. */
interface Later {
	readonly code?: number;
	readonly whileBusy: boolean;
}

/** Those that wait for another call, without a turn of the event loop: many may wait, and for long. */
let onBusy: (() => void)[] = [];

async function comes({ whileBusy }: Later): Promise<void> {
	if (whileBusy) await new Promise<void>((resolve) => onBusy.push(resolve));
	await nextTurn();
}

/** Behaves for a while, so that what others left behind acts while it runs. */
export async function behave(): Promise<string> {
	for (const act of onBusy) act();
	onBusy = [];
	for (let turn = 0; turn < 20; turn += 1) await nextTurn();
	return "behaved";
}

/** Answers, and exits later. */
export function exitAfterAnswer(later: Later): string {
	void comes(later).then(() => process.exit(later.code));
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

/** Answers, and throws later where nothing catches it. */
export function uncaughtAfterAnswer(later: Later): string {
	void comes(later).then(() => {
		setImmediate(() => {
			throw new OwnError("left behind");
		});
	});
	return "answered";
}

export function rejectAfterAnswer(later: Later): string {
	void comes(later).then(() => {
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

/** An error as data, causes and all. */
export interface ErrorAsData {
	readonly name: string;
	readonly message: string;
	readonly code: string | number | null;
	readonly cause: ErrorAsData | null;
}

export function throwDescribed(described: ErrorAsData): never {
	throw errorOf(described);
}

function errorOf({ name, message, code, cause }: ErrorAsData): Error {
	const error = new Error(message, cause === null ? {} : { cause: errorOf(cause) });
	return Object.assign(error, { name }, code === null ? {} : { code });
}

/** Throws whatever it is given, an error or not. */
export function throwGiven(given: unknown): never {
	throw given;
}

/** Says which thread it is on and waits for whoever reads it to end that thread. */
export function untilTerminated(_args: unknown, { progress }: ToolContext): Promise<never> {
	progress({ terminate: threadId });
	return new Promise(() => undefined);
}

/** Exits with a key in hand that others of its kind wait for. */
export async function exitWithKey({ code }: { code: number }, { lock }: ToolContext): Promise<never> {
	await lock(["a key that is never let go"]);
	process.exit(code);
}

/** Leaves through the door below `process.exit`, without a word. */
export function exitUnsaid({ code }: { code: number }): never {
	(process as unknown as { reallyExit(code: number): never }).reallyExit(code);
	for (;;);
}

export const answerFunction = (): unknown => ({ rows: [{ parent: () => 1 }] });

export function answerCycle(): unknown {
	const cycle: Record<string, unknown> = {};
	cycle.self = cycle;
	return cycle;
}

export const answerHuge = (): string => "x".repeat(40 * 1024 * 1024);

export function reportAndExit(_args: unknown, { progress }: ToolContext): never {
	progress("last words");
	process.exit(1);
}

export function reportFunction(_args: unknown, { progress }: ToolContext): void {
	progress({ bad: () => 1 } as never);
}

export function reportAfterAnswer(later: Later, { progress }: ToolContext): string {
	void comes(later).then(() => progress("too late"));
	return "answered";
}

export function lockAfterAnswer(later: Later, { lock }: ToolContext): string {
	void comes(later).then(() => lock(["late"]));
	return "answered";
}
