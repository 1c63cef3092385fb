// Executor contract
//
// What every executor promises to the stages, whatever thread its work runs on.
//
// Owns:      the promises X1 to X5 as tests.
// Does not:  know an adapter; each brings its own works.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Executor, Work } from "../../engine/execution/executor.js";
import { startCall } from "../workers/thread-kit.js";

export interface ExecutorUnderTest<W extends Work> {
	/** A new one; with threads, of one thread. */
	make(): Executor<W>;
	/** Answers its arguments. */
	readonly echo: W;
	/** Answers them by a promise. */
	readonly echoLater: W;
	readonly throws: W;
	readonly answersFunction: W;
	/** Reports progress once it has begun, and answers the name of its signal's reason. */
	readonly untilAborted: W;
	/** Whether a call can wait in it. */
	readonly queues: boolean;
}

export function executorContract<W extends Work>(name: string, under: ExecutorUnderTest<W>): void {
	describe(`${name} keeps the promises of an executor`, () => {
		let executor: Executor<W>;
		beforeEach(() => {
			executor = under.make();
		});
		afterEach(async () => {
			await executor.close(0);
		});

		it("X1: an answer, a late answer, a throw and an answer that is no data each settle as an outcome", async () => {
			const args = { text: "a", list: [1, null], nested: { yes: true } };
			expect(await startCall(executor, under.echo, { args }).ended).toEqual({ ok: true, value: args });
			expect(await startCall(executor, under.echoLater, { args }).ended).toEqual({ ok: true, value: args });
			const thrown = await startCall(executor, under.throws).ended;
			expect(thrown).toMatchObject({
				ok: false,
				error: {
					code: "TOOL_FAILED",
					message: "it went wrong",
					cause: { name: "OwnError", code: "E_OWN", cause: { name: "RangeError", message: "because of this" } },
				},
			});
			const refused = await startCall(executor, under.answersFunction).ended;
			expect(refused).toMatchObject({
				ok: false,
				error: { code: "NOT_CLONEABLE", details: { path: "$.rows[0].parent" } },
			});
		});

		it("X2: work begins once, before it ends, and work that is refused never begins", async () => {
			const call = startCall(executor, under.echo);
			await call.ended;
			expect(call.begins()).toBe(1);
			await executor.close(0);
			const late = startCall(executor, under.echo);
			expect(await late.ended).toMatchObject({ ok: false, error: { code: "ABORTED_BEFORE_DISPATCH" } });
			expect(late.begins()).toBe(0);
		});

		it("X3: a stopped call ends with what its work made of the stop", async () => {
			const host = new AbortController();
			let onProgress: () => void = () => undefined;
			const reported = new Promise<void>((resolve) => {
				onProgress = resolve;
			});
			const context = { signal: host.signal, progress: () => onProgress() };
			const call = startCall(executor, under.untilAborted, { context });
			await reported;
			host.abort(new DOMException("enough", "AbortError"));
			call.stop(60_000);
			expect(await call.ended).toEqual({ ok: true, value: "AbortError" });
		});

		it("closes once, whoever asks how often", async () => {
			await startCall(executor, under.echo).ended;
			expect(await Promise.all([executor.close(0), executor.close(0)])).toEqual([{ abandoned: 0 }, { abandoned: 0 }]);
		});

		if (under.queues) queueing(() => executor, under);
	});
}

function queueing<W extends Work>(current: () => Executor<W>, under: ExecutorUnderTest<W>): void {
	it("X4: a call that is stopped while it waits never begins", async () => {
		const host = new AbortController();
		const first = startCall(current(), under.untilAborted, { context: { signal: host.signal } });
		await first.began;
		const waiting = startCall(current(), under.echo);
		waiting.stop(60_000);
		expect(await waiting.ended).toMatchObject({ ok: false, error: { code: "ABORTED_BEFORE_DISPATCH" } });
		first.stop(60_000);
		expect(await first.ended).toEqual({ ok: true, value: "AbortError" });
		expect(waiting.begins()).toBe(0);
	});

	it("X5: admitted calls begin in the order they were given, before any that is ahead", async () => {
		const began: string[] = [];
		const start = (name: string, ahead: boolean): Promise<unknown> => {
			const call = startCall(current(), under.echo, { ahead, args: { name } });
			void call.began.then(() => began.push(name));
			return call.ended;
		};
		const given = [start("early 1", true), start("early 2", true), start("a", false), start("b", false)];
		await Promise.all([...given, start("c", false)]);
		expect(began).toEqual(["a", "b", "c", "early 1", "early 2"]);
	});
}
