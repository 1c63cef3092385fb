// Waiting for promises that are not of this language's own making: a library's deferred may throw where it is waited
// for, call back twice, or settle with another promise.

import { describe, expect, it } from "vitest";
import { BEGIN, isBeginnable } from "../../engine/core/invocable.js";
import { answered } from "../../engine/core/outcome.js";
import { type Bound, bounded, hearOut } from "../../engine/core/thenable.js";
import { type ConcurrentInvoke, executeConcurrent, type ToolCall } from "../../engine/index.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { ManualClock, settled } from "../support/manual-clock.js";

type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => unknown;

/** A deferred as a library makes it. */
const deferred = (then: Then): PromiseLike<unknown> => ({ then }) as unknown as PromiseLike<unknown>;

const twice = (value: unknown) =>
	deferred((resolve, reject) => {
		resolve(value);
		resolve("again");
		reject(new Error("and again"));
	});
const throws = () =>
	deferred(() => {
		throw new Error("do not wait for me");
	});

function boundOf(): Bound & { readonly clock: ManualClock } {
	return { what: "the library", limitMs: 100, clock: new ManualClock() };
}

describe("a bounded wait", () => {
	it("for a deferred that throws where it is waited for rejects, and leaves no timer", async () => {
		const bound = boundOf();
		await expect(bounded(throws(), bound)).rejects.toThrow("do not wait for me");
		expect(bound.clock.timersSet).toBe(0);
	});

	it("takes the first of what a deferred says, and leaves no timer", async () => {
		const bound = boundOf();
		expect(await bounded(twice(1), bound)).toBe(1);
		expect(bound.clock.timersSet).toBe(0);
	});

	it("holds also for the promise that a deferred settles with", async () => {
		const bound = boundOf();
		const never = deferred((resolve) => resolve(new Promise(() => undefined)));
		const waiting = bounded(never, bound).catch((error: unknown) => String(error));
		await bound.clock.pass(100);
		expect(await waiting).toBe("NeverSettled: the library did not settle within 100 ms");
	});
});

describe("a promise that nobody takes", () => {
	it.each([
		["throws where it is waited for", () => throws()],
		["calls back twice", () => twice(1)],
		["rejects", () => Promise.reject(new Error("nobody hears"))],
		[
			"rejects late",
			() => deferred((_resolve, reject) => void Promise.resolve().then(() => reject(new Error("late")))),
		],
	])("and that %s ends nothing", async (_what, made) => {
		const unheard: unknown[] = [];
		const onUnhandled = (error: unknown): void => void unheard.push(error);
		process.on("unhandledRejection", onUnhandled);
		hearOut(made());
		await settled();
		process.off("unhandledRejection", onUnhandled);
		expect(unheard).toEqual([]);
	});
});

describe("an invocable of a host", () => {
	it("may have a begin of its own, which the engine never calls", async () => {
		const began: unknown[] = [];
		const transaction = { invoke: () => answered("ran"), begin: () => void began.push("a transaction") };
		const face: ConcurrentInvoke<ToolCall> = {
			metaOf: ({ name }) => ({ name, effect: "read" }),
			admit: (call) => ({ cleared: call }),
			tool: () => transaction,
			account: (_call, _ticket, outcome) => outcome,
		};
		expect(shorts(await executeConcurrent(face, callsOf("a", "b")))).toEqual(['"ran"', '"ran"']);
		expect(began).toEqual([]);
	});

	it("that is nothing, a text or an object that cannot be read is not the engine's", () => {
		const { proxy, revoke } = Proxy.revocable({}, {});
		revoke();
		const given = [undefined, null, "begin", { [Symbol("begin")]: 1 }, proxy, { [BEGIN]: () => undefined }];
		expect(given.map(isBeginnable)).toEqual([false, false, false, false, false, true]);
	});
});

describe("code of a host that answers by a deferred which calls back twice", () => {
	it("as the keys of an early start starts the call once", async () => {
		const scan = toolOf("scan", () => void entered.push("scan"), { lockKeys: () => twice(["a"]) as Promise<string[]> });
		const { engine, entered } = benchOf({ tools: [scan] });
		const step = engine.openStep();
		for (const call of callsOf("scan 0")) step.offer(call);
		await settled();
		expect(entered).toEqual(["scan"]);
		expect(shorts(await step.settle())).toEqual(["nothing"]);
	});

	it("as a middleware answers the call once, with what it said first", async () => {
		const wrapToolCall = () => twice(answered("first")) as never;
		const { engine } = benchOf({ middleware: [{ name: "library", wrapToolCall }] });
		expect(shorts(await engine.executeWave(callsOf("read 0")))).toEqual(['"first"']);
	});

	it("as an input hook that throws where it is waited for is told as one failure", async () => {
		const hooked = toolOf("hooked", () => 1, { onInputStart: throws });
		const { engine, events } = benchOf({ tools: [hooked] });
		const step = engine.openStep();
		step.feed({ kind: "call-started", index: 0, id: "a", name: "hooked" });
		await settled();
		expect(events.filter(({ kind }) => kind === "stray_error")).toMatchObject([
			{ message: "onInputStart of hooked failed: do not wait for me" },
		]);
		await step.discard("failed");
	});
});
