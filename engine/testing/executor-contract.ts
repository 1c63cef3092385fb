// Executor contract
//
// What every executor promises to the stages, whatever thread its work runs on. Works are the adapter's own, because a
// function is work on one thread and the name of a module is work on another.
//
// Owns:      the promises X1 to X5 of the port as cases.
// Does not:  know an adapter.

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Executor, Work } from "../execution/executor.js";
import type { JsonValue, Outcome, ToolContext } from "../index.js";
import { type ContractCase, type Promised, promised } from "./contract-case.js";

/**
 * How an executor is made for {@link executorContract}, and the works it is asked to run.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ExecutorUnderTest<W extends Work = Work> {
	/** A new one; where it has threads, of one thread. */
	make(): Executor<W>;
	/** Answers its arguments. */
	readonly echo: W;
	/** Answers them by a promise. */
	readonly echoLater: W;
	/** Throws an error named `OwnError` with the code `E_OWN` and the message `it went wrong`. */
	readonly throws: W;
	/** Answers `{ rows: [{ parent }] }` with a function for the parent. */
	readonly answersFunction: W;
	/** Reports progress once it has begun, and answers the name of its signal's reason. */
	readonly untilAborted: W;
	/** Whether a call can wait in it. */
	readonly queues: boolean;
}

/**
 * The promises of the `Executor` port as cases.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function executorContract<W extends Work>(under: ExecutorUnderTest<W>): readonly ContractCase[] {
	return [...OF_ALL, ...(under.queues ? OF_QUEUES : [])].map(({ name, keep }) => ({
		name,
		async run(): Promise<void> {
			const executor = under.make();
			try {
				await keep({ executor, start: (work, options) => startCall(executor, under[work], options) });
			} finally {
				await executor.close(0);
			}
		},
	}));
}

/** What a case is given: it names works, because those of every adapter are the same to it. */
interface Given {
	readonly executor: Pick<Executor, "close">;
	start(work: WorkName, options?: CallOptions): StartedCall;
}

type WorkName = Exclude<keyof ExecutorUnderTest, "make" | "queues">;

const OF_ALL: readonly Promised<Given>[] = [
	promised("X1: an answer, a late answer, a throw and an answer that is no data each settle as an outcome", settles),
	promised("X2: work begins once, before it ends, and work that is refused never begins", beginsOnce),
	promised("X3: a stopped call ends with what its work made of the stop", stops),
	promised("closes once, whoever asks how often", closesOnce),
];

const OF_QUEUES: readonly Promised<Given>[] = [
	promised("X4: a call that is stopped while it waits never begins", neverBegins),
	promised("X5: admitted calls begin in the order they were given, before any that is ahead", beginsInOrder),
];

interface CallOptions {
	readonly args?: unknown;
	readonly ahead?: boolean;
	readonly context?: Partial<ToolContext>;
}

interface StartedCall {
	readonly began: Promise<void>;
	/** How often it was said to have begun, so far. */
	begins(): number;
	readonly ended: Promise<Outcome>;
	stop(graceMs: number): void;
}

function startCall<W extends Work>(executor: Executor<W>, work: W, options: CallOptions = {}): StartedCall {
	const { args = {}, ahead = false, context } = options;
	let begins = 0;
	let onBegan: () => void = () => undefined;
	const began = new Promise<void>((resolve) => {
		onBegan = () => {
			begins += 1;
			resolve();
		};
	});
	const job = { work, args, ahead, context: { ...QUIET, ...context }, hooks: { onBegan } };
	const execution = executor.start(job);
	return {
		began,
		begins: () => begins,
		ended: Promise.resolve(execution.ended),
		stop: (graceMs) => execution.stop(graceMs),
	};
}

const unasked = (): Promise<never> => Promise.reject(new Error("the contract asks nothing of its host"));

const QUIET: ToolContext = {
	signal: new AbortController().signal,
	cancelled: () => false,
	progress: (_update: JsonValue) => undefined,
	interrupt: unasked,
	invokeTool: unasked,
	lock: unasked,
	callId: "call",
	runId: "run",
	index: 0,
	idempotencyKey: "run/0/0",
};

async function settles({ start }: Given): Promise<void> {
	const args = { text: "a", list: [1, null], nested: { yes: true } };
	deepStrictEqual(await start("echo", { args }).ended, { ok: true, value: args });
	deepStrictEqual(await start("echoLater", { args }).ended, { ok: true, value: args });
	const thrown = await start("throws").ended;
	strictEqual(thrown.ok, false);
	const { code, message, cause } = thrown.error;
	const expected = ["TOOL_FAILED", "it went wrong", "OwnError", "E_OWN"];
	deepStrictEqual([code, message, cause?.name, cause?.code], expected);
	const refused = await start("answersFunction").ended;
	strictEqual(refused.ok, false);
	deepStrictEqual([refused.error.code, refused.error.details?.path], ["NOT_CLONEABLE", "$.rows[0].parent"]);
}

async function beginsOnce({ executor, start }: Given): Promise<void> {
	const call = start("echo");
	await call.ended;
	strictEqual(call.begins(), 1);
	await executor.close(0);
	const late = start("echo");
	expectUnbegun(await late.ended);
	strictEqual(late.begins(), 0);
}

function expectUnbegun(outcome: Outcome): void {
	strictEqual(outcome.ok ? "an answer" : outcome.error.code, "ABORTED_BEFORE_DISPATCH");
}

async function closesOnce({ executor, start }: Given): Promise<void> {
	await start("echo").ended;
	deepStrictEqual(await Promise.all([executor.close(0), executor.close(0)]), [{ abandoned: 0 }, { abandoned: 0 }]);
}

async function stops({ start }: Given): Promise<void> {
	const host = new AbortController();
	let onProgress: () => void = () => undefined;
	const reported = new Promise<void>((resolve) => {
		onProgress = resolve;
	});
	const call = start("untilAborted", { context: { signal: host.signal, progress: () => onProgress() } });
	await reported;
	host.abort(new DOMException("enough", "AbortError"));
	call.stop(60_000);
	deepStrictEqual(await call.ended, { ok: true, value: "AbortError" });
}

async function neverBegins({ start }: Given): Promise<void> {
	const host = new AbortController();
	const first = start("untilAborted", { context: { signal: host.signal } });
	await first.began;
	const waiting = start("echo");
	waiting.stop(60_000);
	expectUnbegun(await waiting.ended);
	first.stop(60_000);
	deepStrictEqual(await first.ended, { ok: true, value: "AbortError" });
	strictEqual(waiting.begins(), 0);
}

async function beginsInOrder({ start }: Given): Promise<void> {
	const began: string[] = [];
	const startNamed = (name: string, ahead: boolean): Promise<unknown> => {
		const call = start("echo", { ahead, args: { name } });
		void call.began.then(() => began.push(name));
		return call.ended;
	};
	const given = [startNamed("early 1", true), startNamed("early 2", true), startNamed("a", false)];
	await Promise.all([...given, startNamed("b", false), startNamed("c", false)]);
	deepStrictEqual(began, ["a", "b", "c", "early 1", "early 2"]);
}
