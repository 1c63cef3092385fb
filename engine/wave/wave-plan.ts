// Wave plan
//
// What is decided about a wave before its first stage, from the calls alone: the call behind each call, its
// registration, which calls need no tool, which repeat an earlier one, and the segments. Because nothing here depends
// on a schedule or on what calls answer, admission sees the same segments under every schedule. A person may have declined
// a call by the time the segments are cut; it is then one of those that need no tool.
//
// Owns:      those decisions.
// Does not:  admit, run or account.

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { isPreparing } from "../admission/preparing-face.js";
import { argumentsKey, PlacedCall, type ToolCall } from "../core/call.js";
import { causeOf, failed, type Outcome } from "../core/outcome.js";
import type { HostTurns } from "../execution/host-turns.js";
import { beforeDispatch } from "../execution/interrupted.js";
import { type Segment, segmentsOf } from "../execution/schedule.js";
import { CallState } from "./call-state.js";
import type { WaveOptions } from "./wave-options.js";

export interface WavePlan<T> {
	/** The calls as they were asked for. */
	readonly given: readonly ToolCall[];
	readonly states: readonly CallState<T>[];
	/** How many calls from the start only read. */
	readonly leadingReads: number;
}

export async function planWave<T>(
	face: ConcurrentInvoke<T>,
	calls: readonly ToolCall[],
	{
		turns,
		options,
	}: { readonly turns: HostTurns; readonly options: Pick<WaveOptions, "signal" | "path" | "firstIndex" | "resumed"> },
): Promise<WavePlan<T>> {
	// A wave that goes on must know its calls, aborted or not: some of them have ended already.
	const signal = options.resumed === undefined ? options.signal : undefined;
	const given: ToolCall[] = [];
	const states: CallState<T>[] = [];
	const repeats = new Repeats();
	for (const [index, call] of calls.entries()) {
		if (turns.due) await turns.take();
		const own = new PlacedCall(call, index);
		given.push(own);
		const resolved = resolve(face, own, index);
		const preparing = isPreparing(face) && !signal?.aborted ? face.prepare(resolved.call, index) : undefined;
		if (preparing !== undefined) await settledOrAborted(preparing, signal);
		// A call that nothing is known of because of an abort is planned as one that was aborted.
		const place = { index, path: [...options.path, options.firstIndex + index] };
		if (signal?.aborted) states.push(unplanned(place, resolved.call));
		else states.push(planCall(face, { ...place, ...resolved, replayOf: repeats.of(index, resolved.call) }));
	}
	const firstOther = states.findIndex((state) => !state.read);
	return { given, states, leadingReads: firstOther < 0 ? states.length : firstOther };
}

/** The segments of the wave by the barriers rule, whatever the schedule. Asked once it is known which calls need no tool. */
export function segmentsOfWave<T>({ states }: WavePlan<T>): readonly Segment[] {
	return segmentsOf(states.length, (index) => states[index]?.safe === true);
}

/** Resolves once either has happened, with one listener meanwhile. */
function settledOrAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	if (signal === undefined) return promise;
	return new Promise((resolve, reject) => {
		const aborted = (): void => resolve();
		signal.addEventListener("abort", aborted, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
	});
}

interface Place {
	readonly index: number;
	readonly path: readonly number[];
}

function unplanned<T>(place: Place, call: ToolCall): CallState<T> {
	return new CallState({ ...place, call, meta: undefined, known: beforeDispatch(), replayOf: undefined });
}

interface Resolved {
	readonly call: ToolCall;
	readonly fault?: Outcome;
}

// The resolved call keeps the place and the given id; what a face resolves is the tool and its arguments.
function resolve<T>(face: ConcurrentInvoke<T>, own: ToolCall, index: number): Resolved {
	if (face.resolveCall === undefined) return { call: own };
	try {
		const { name, args } = face.resolveCall(own);
		return { call: new PlacedCall({ id: own.id, name, args }, index) };
	} catch (error) {
		return { call: own, fault: faceFailed("resolveCall", error) };
	}
}

function planCall<T>(
	face: ConcurrentInvoke<T>,
	{ index, path, call, fault, replayOf }: Resolved & Place & { replayOf: number | undefined },
): CallState<T> {
	try {
		const meta = face.metaOf(call);
		const known = fault ?? (isPreparing(face) ? face.answeredWithout(call) : undefined);
		return new CallState({ index, path, call, meta, known, replayOf });
	} catch (error) {
		return new CallState({ index, path, call, meta: undefined, known: fault ?? faceFailed("metaOf", error), replayOf });
	}
}

/** The outcome of a call on which the face itself failed. */
export function faceFailed(member: string, error: unknown): Outcome {
	const cause = causeOf(error);
	return failed("POLICY_FAILED", { message: `The face's ${member} failed: ${cause.message}`, cause });
}

// Providers repeat a call within a reply: the same id, the same tool, the same arguments. An id alone says nothing,
// some providers give every call the same; so the arguments are compared, and only where an id comes twice.
class Repeats {
	readonly #firstById = new Map<string, { readonly index: number; readonly call: ToolCall }>();
	/** For ids that came twice, the index of each distinct call. */
	readonly #distinctById = new Map<string, Map<string, number>>();

	of(index: number, call: ToolCall): number | undefined {
		if (call.id === "") return undefined;
		const first = this.#firstById.get(call.id);
		if (first === undefined) {
			this.#firstById.set(call.id, { index, call });
			return undefined;
		}
		let distinct = this.#distinctById.get(call.id);
		if (distinct === undefined) {
			distinct = new Map([[callKey(first.call), first.index]]);
			this.#distinctById.set(call.id, distinct);
		}
		const key = callKey(call);
		const same = distinct.get(key);
		if (same === undefined) distinct.set(key, index);
		return same;
	}
}

function callKey(call: ToolCall): string {
	return `${JSON.stringify(call.name)} ${argumentsKey(call.args)}`;
}
