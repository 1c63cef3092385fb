// Wave plan
//
// What is decided about a wave before its first stage, from the calls alone: the call behind each call, its
// registration, which calls need no tool, which repeat an earlier one, and the segments. Because nothing here depends
// on a schedule or on what calls answer, admission sees the same segments under every schedule. A person may have declined
// a call by the time the segments are cut; it is then one of those that need no tool.
//
// Owns:      those decisions.
// Does not:  admit, run or account.

import type { ConcurrentInvoke, ToolMeta } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/preparing-face.js";
import { argumentsKey, PlacedCall, type ToolCall } from "../core/call.js";
import { isEffect } from "../core/effect.js";
import { causeOf, failed, type Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { hearOut } from "../core/thenable.js";
import type { HostTurns } from "../execution/host-turns.js";
import { beforeDispatch } from "../execution/interrupted.js";
import { type Segment, segmentsOf } from "../execution/schedule.js";
import { CallState, type PlannedCall } from "./call-state.js";
import { CallTimes } from "./call-times.js";
import type { WaveOptions } from "./wave-options.js";

export interface WavePlan<T> {
	/** The calls as they were asked for. */
	readonly given: readonly ToolCall[];
	readonly states: readonly CallState<T>[];
	/** How many calls from the start only read. */
	readonly leadingReads: number;
}

export interface PlanParts {
	readonly turns: HostTurns;
	readonly options: Pick<WaveOptions, "path" | "firstIndex" | "resumed">;
	readonly signal: AbortSignal;
}

export async function planWave<T>(
	face: ConcurrentInvoke<T>,
	calls: readonly ToolCall[],
	{ turns, options, signal: aborted }: PlanParts,
): Promise<WavePlan<T>> {
	// A wave that goes on must know its calls, aborted or not: some of them have ended already.
	const signal = options.resumed === undefined ? aborted : undefined;
	// What the host does to its own list while this waits changes nothing of the wave.
	const asked = [...calls];
	const given = new Array<PlacedCall>(asked.length);
	const states = new Array<CallState<T>>(asked.length);
	const times = new CallTimes(asked.length);
	const repeats = new Repeats();
	let index = 0;
	for (const call of asked) {
		if (turns.due) await turns.take();
		const own = new PlacedCall(call, index);
		given[index] = own;
		const { resolved, fault } = resolve(face, own);
		const preparing = isPreparing(face) && !signal?.aborted ? face.prepare(resolved, index) : undefined;
		if (preparing !== undefined) await settledOrAborted(preparing, signal);
		// `concat` makes a list of just this length; a spread would keep room for sixteen more in every call of a long wave.
		const path = options.path.concat(options.firstIndex + index);
		// A call that nothing is known of because of an abort is planned as one that was aborted.
		const known = signal?.aborted ? beforeDispatch() : fault;
		const replayOf = signal?.aborted ? undefined : repeats.of(resolved);
		states[index] = new CallState<T>(planned(face, { index, path, call: resolved, known, replayOf }), times);
		index += 1;
	}
	const firstOther = states.findIndex((state) => !state.read);
	return { given, states, leadingReads: firstOther < 0 ? states.length : firstOther };
}

/** The segments of the wave by the barriers rule, whatever the schedule. Asked once it is known which calls need no tool. */
export function segmentsOfWave<T>({ states }: WavePlan<T>): readonly Segment[] {
	return segmentsOf(states.length, (index) => states[index]?.safe === true);
}

/** Resolves once either has happened, with one listener meanwhile. */
export function settledOrAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		const aborted = (): void => resolve();
		if (signal?.aborted) aborted();
		signal?.addEventListener("abort", aborted, { once: true });
		promise.then(aborted, reject).finally(() => signal?.removeEventListener("abort", aborted));
	});
}

interface Resolved {
	readonly resolved: PlacedCall;
	readonly fault: Outcome | undefined;
}

// The resolved call keeps the place and the given id; what a face resolves is the tool and its arguments.
function resolve<T>(face: ConcurrentInvoke<T>, own: PlacedCall): Resolved {
	if (face.resolveCall === undefined) return { resolved: own, fault: undefined };
	try {
		const { name, args } = face.resolveCall(own);
		return { resolved: new PlacedCall({ id: own.id, name, args }, own.place), fault: undefined };
	} catch (error) {
		return { resolved: own, fault: faceFailed("resolveCall", error) };
	}
}

function planned<T>(face: ConcurrentInvoke<T>, parts: Omit<PlannedCall, "meta">): PlannedCall {
	const { index, path, call, replayOf } = parts;
	let { known } = parts;
	let meta: ToolMeta | undefined;
	try {
		// What is known of an aborted call is that; its tool may not even have been looked up.
		if (known?.ok !== false || known.error.code !== "ABORTED_BEFORE_DISPATCH") meta = registrationOf(face, call);
		if (isPreparing(face)) known ??= face.answeredWithout(call);
	} catch (error) {
		known ??= faceFailed("metaOf", error);
	}
	return { index, path, call, meta, known, replayOf };
}

// Every stage and the ledger read the registration; one that is none must fail its own call here, and not the wave there.
function registrationOf<T>(face: ConcurrentInvoke<T>, call: ToolCall): ToolMeta | undefined {
	const meta = face.metaOf(call);
	if (meta === undefined || isPreparing(face)) return meta;
	if (typeof meta === "object" && meta !== null) {
		const own = copied(meta);
		if (isEffect(own.effect) && MEMBERS.every((member) => isOf(KINDS[member], own[member]))) return own;
	}
	hearOut(meta);
	throw new TypeError(`it gave ${showValue(meta)}, which is no registration`);
}

type Kind = "effect" | "string" | "boolean" | "number" | "object" | "function";

const KINDS: Readonly<Record<keyof ToolMeta, Kind>> = {
	name: "string",
	effect: "effect",
	isConcurrencySafe: "boolean",
	render: "string",
	idempotent: "boolean",
	timeoutMs: "number",
	title: "function",
	approval: "object",
	lockKeys: "function",
	observed: "function",
};
const MEMBERS = Object.keys(KINDS) as (keyof ToolMeta)[];

function isOf(kind: Kind, value: unknown): boolean {
	return kind === "effect" || value === undefined || typeof value === kind;
}

// Read once, here: a getter that throws costs its own call, and what it gives later reaches nobody.
function copied(meta: ToolMeta): ToolMeta {
	const own: Partial<Record<keyof ToolMeta, unknown>> = {};
	for (const member of MEMBERS) {
		const value: unknown = meta[member];
		if (value !== undefined) own[member] = typeof value === "function" ? value.bind(meta) : value;
	}
	// The cast holds for what the caller has looked at.
	return own as ToolMeta;
}

/** The outcome of a call on which the face itself failed. */
export function faceFailed(member: string, error: unknown): Outcome {
	const cause = causeOf(error);
	return failed("POLICY_FAILED", { message: `The face's ${member} failed: ${cause.message}`, cause });
}

// Providers repeat a call within a reply: the same id, the same tool, the same arguments. An id alone says nothing,
// some providers give every call the same; so the arguments are compared, and only where an id comes twice.
class Repeats {
	readonly #firstById = new Map<string, PlacedCall>();
	/** For ids that came twice, the index of each distinct call. */
	readonly #distinctById = new Map<string, Map<string, number>>();

	of(call: PlacedCall): number | undefined {
		if (call.id === "") return undefined;
		const first = this.#firstById.get(call.id);
		if (first === undefined) {
			this.#firstById.set(call.id, call);
			return undefined;
		}
		let distinct = this.#distinctById.get(call.id);
		if (distinct === undefined) {
			distinct = new Map([[callKey(first), first.place]]);
			this.#distinctById.set(call.id, distinct);
		}
		const key = callKey(call);
		const same = distinct.get(key);
		if (same === undefined) distinct.set(key, call.place);
		return same;
	}
}

function callKey(call: ToolCall): string {
	return `${JSON.stringify(call.name)} ${argumentsKey(call.args)}`;
}
