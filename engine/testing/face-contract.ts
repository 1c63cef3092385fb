// Face contract
//
// What a face of a host's own must do so that the laws hold for its waves: the stages can drive any face, but only the face
// knows whether it says the same thing twice. The host brings sample calls whose tools answer alike every time.
//
// Owns:      the promises of a `ConcurrentInvoke` as cases.
// Does not:  know what the face's calls mean.

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
	type ConcurrentInvoke,
	type ConcurrentOptions,
	canonical,
	executeConcurrent,
	memoryLedger,
	type Outcome,
	type Schedule,
	systemClock,
	type ToolCall,
	type WaveResult,
} from "../index.js";
import { type ContractCase, collect, type Promised, promised } from "./contract-case.js";

/**
 * How a face is made for {@link faceContract}, and what it is asked.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface FaceUnderTest<T = unknown> {
	/** A new face that remembers nothing of another. */
	make(): ConcurrentInvoke<T>;
	/**
	 * Calls of one reply, whose tools answer the same every time: reads beside each other, something that is no read, a call
	 * that admission answers, a call of a tool that the face does not know. The more kinds, the more is found.
	 */
	readonly calls: readonly ToolCall[];
}

/**
 * The promises of a `ConcurrentInvoke` as cases, for a face of the host's own.
 *
 * @example
 * ```ts
 * for (const { name, run } of faceContract({ make: () => new MyFace(), calls })) it(name, run);
 * ```
 * @remarks Since 0.1.0.
 * @public
 */
export function faceContract<T>(under: FaceUnderTest<T>): readonly ContractCase[] {
	const cases: readonly Promised<FaceUnderTest<T>>[] = [
		promised("says the same of a call as often as it is asked, and throws for none", knowsAgain),
		promised("accounts each call that it cleared once, in call order, and no other", accountsOnce),
		promised("gives each call one outcome that says what to do next, in call order", givesOutcomes),
		promised("writes the same lines under every schedule", writesTheSame),
		promised("writes the same lines whatever finishes first", writesTheSameAtOnce),
		promised("accounts what it cleared when the wave is aborted, too", accountsAborted),
		promised("starts nothing early but what reads", startsReads),
	];
	if (under.calls.length === 0)
		throw new TypeError("faceContract needs sample calls: without any, nothing would be tried");
	return cases.map(({ name, keep }) => ({ name, run: () => keep(under) }));
}

async function knowsAgain<T>({ make, calls }: FaceUnderTest<T>): Promise<void> {
	const face = make();
	const unknown: ToolCall = { id: "", name: "a tool that no face has \u0000", args: "{" };
	for (const call of [...calls, unknown]) {
		const resolved = face.resolveCall?.(call) ?? call;
		deepStrictEqual(face.resolveCall?.(call) ?? call, resolved);
		const [once, twice] = [face.metaOf(resolved), face.metaOf(resolved)];
		deepStrictEqual(
			[once?.name, once?.effect, once?.isConcurrencySafe],
			[twice?.name, twice?.effect, twice?.isConcurrencySafe],
		);
	}
}

async function accountsOnce<T>(under: FaceUnderTest<T>): Promise<void> {
	const watched = new WatchedFace(under.make());
	await waveOf(watched, under.calls);
	deepStrictEqual(watched.accounted, watched.cleared);
}

async function accountsAborted<T>(under: FaceUnderTest<T>): Promise<void> {
	for (let after = 0; after < under.calls.length; after += 1) {
		const controller = new AbortController();
		// While a call starts: by then all of its segment has been admitted.
		const watched = new WatchedFace(under.make(), (started) => {
			if (started === after) controller.abort(new Error("the contract aborts"));
		});
		const { results } = await waveOf(watched, under.calls, { signal: controller.signal });
		strictEqual(results.length, under.calls.length);
		deepStrictEqual(watched.accounted, watched.cleared);
	}
}

async function givesOutcomes<T>({ make, calls }: FaceUnderTest<T>): Promise<void> {
	const { status, results } = await waveOf(make(), calls);
	strictEqual(status, "done");
	deepStrictEqual(
		results.map(({ index, id }) => [index, id]),
		calls.map(({ id }, index) => [index, id]),
	);
	for (const { name, outcome } of results) {
		if (outcome.ok) continue;
		ok(outcome.error.recovery !== "", `${name} ended with an error that has no recovery`);
		// The code is the stages' word for a member that threw or answered what it must not.
		ok(outcome.error.code !== "POLICY_FAILED", `${name} ended as POLICY_FAILED: ${outcome.error.message}`);
	}
}

const SCHEDULES: readonly Schedule[] = ["serial", "leading-reads", "barriers"];

async function writesTheSame<T>(under: FaceUnderTest<T>): Promise<void> {
	const serial = await linesOf(under, { schedule: "serial" });
	for (const schedule of SCHEDULES) deepStrictEqual(await linesOf(under, { schedule }), serial);
}

/** Those that were started first are held until later ones have ended. */
async function writesTheSameAtOnce<T>(under: FaceUnderTest<T>): Promise<void> {
	const serial = await linesOf(under, { schedule: "serial" });
	const turned = await linesOf({ ...under, make: () => new LateFace(under.make(), under.calls.length) });
	deepStrictEqual(turned, serial);
}

async function startsReads<T>({ make, calls }: FaceUnderTest<T>): Promise<void> {
	const face = make();
	for (const given of calls) {
		const call = face.resolveCall?.(given) ?? given;
		if (face.ahead?.(call) !== undefined) strictEqual(face.metaOf(call)?.effect, "read");
	}
}

async function linesOf<T>({ make, calls }: FaceUnderTest<T>, options?: ConcurrentOptions): Promise<string[]> {
	const ledger = memoryLedger();
	await waveOf(make(), calls, { ...options, ledger });
	return (await collect(ledger.entries())).map(canonical);
}

function waveOf<T>(
	face: ConcurrentInvoke<T>,
	calls: readonly ToolCall[],
	options: ConcurrentOptions = {},
): Promise<WaveResult> {
	return executeConcurrent(face, calls, { runId: "contract", maxParallelToolCalls: calls.length + 1, ...options });
}

/** A face that hands everything on. */
class BehindFace<T> implements ConcurrentInvoke<T> {
	readonly behind: ConcurrentInvoke<T>;

	constructor(behind: ConcurrentInvoke<T>) {
		this.behind = behind;
	}

	metaOf(call: ToolCall): ReturnType<ConcurrentInvoke<T>["metaOf"]> {
		return this.behind.metaOf(call);
	}

	admit(call: ToolCall, at: number): ReturnType<ConcurrentInvoke<T>["admit"]> {
		return this.behind.admit(call, at);
	}

	tool(ticket: T): ReturnType<ConcurrentInvoke<T>["tool"]> {
		return this.behind.tool(ticket);
	}

	account(call: ToolCall, ticket: T, answered: Outcome): Outcome | Promise<Outcome> {
		return this.behind.account(call, ticket, answered);
	}

	resolveCall(call: ToolCall): ToolCall {
		return this.behind.resolveCall?.(call) ?? call;
	}
}

/** Numbers the calls as they come to admission, and remembers what became of each. */
class WatchedFace<T> extends BehindFace<T> {
	readonly cleared: number[] = [];
	readonly accounted: number[] = [];
	readonly #indexes = new Map<ToolCall, number>();
	readonly #onStart: (started: number) => void;
	#started = 0;

	constructor(behind: ConcurrentInvoke<T>, onStart: (started: number) => void = () => undefined) {
		super(behind);
		this.#onStart = onStart;
	}

	override tool(ticket: T): ReturnType<ConcurrentInvoke<T>["tool"]> {
		const invocable = super.tool(ticket);
		this.#onStart(this.#started);
		this.#started += 1;
		return invocable;
	}

	override async admit(call: ToolCall, at: number): Promise<Awaited<ReturnType<ConcurrentInvoke<T>["admit"]>>> {
		const index = this.#indexes.size;
		this.#indexes.set(call, index);
		const admitted = await super.admit(call, at);
		if ("cleared" in admitted) this.cleared.push(index);
		return admitted;
	}

	override account(call: ToolCall, ticket: T, answered: Outcome): Outcome | Promise<Outcome> {
		this.accounted.push(this.#indexes.get(call) ?? -1);
		return super.account(call, ticket, answered);
	}
}

/** Each call ends some turns of the event loop after it was answered: the fewer, the later it was started. */
class LateFace<T> extends BehindFace<T> {
	#turns: number;

	constructor(behind: ConcurrentInvoke<T>, calls: number) {
		super(behind);
		this.#turns = calls;
	}

	override tool(ticket: T): ReturnType<ConcurrentInvoke<T>["tool"]> {
		const invocable = super.tool(ticket);
		const turns = this.#turns;
		this.#turns -= 1;
		return {
			invoke: async (call, context) => {
				const outcome = await invocable.invoke(call, context);
				for (let turn = 0; turn < turns; turn += 1) await systemClock.nextTurn();
				return outcome;
			},
		};
	}
}
