// Tell made
//
// Policies see the calls that a call makes like any other, while it runs. Those of another process have not; so they are
// told of them too, each wave of them in its place: behind the admission of the call that made them, and before its
// accounting. A run whose calls go one after another has told them in just that order.
//
// A wave that had not ended is told as far as it had come. It goes on when its parent runs again, and then all policies
// know of it.
//
// Owns:      that telling, and a wave that is only told.
// Does not:  tell policies of one call (take-up.ts) or know what was made (made-calls.ts).

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { type CallsBelow, isPreparing } from "../admission/preparing-face.js";
import { readOnlyFace } from "../admission/read-only-face.js";
import type { ToolCall } from "../core/call.js";
import type { MadeRecord } from "../core/call-record.js";
import type { Clock } from "../core/clock.js";
import { EventHub } from "../core/events.js";
import { NumberRanges } from "../core/number-ranges.js";
import type { ToolSet } from "../core/tool-set.js";
import { noLedger } from "../ledger/no-ledger.js";
import type { WaveOptions } from "./wave-options.js";
import type { WaveEnd } from "./wave-result.js";

/** What nested waves are run with. */
export interface NestedCallsParts<T> {
	/** A face that a nested wave can be run with; `offered` are the tools that its calls may name, if not all. */
	readonly newFace: (below: CallsBelow, offered?: ToolSet) => ConcurrentInvoke<T>;
	/** Whether policies see what calls make. */
	readonly hasPolicies: () => boolean;
	readonly options: WaveOptions;
	readonly run: (face: ConcurrentInvoke<T>, calls: readonly ToolCall[], options: WaveOptions) => Promise<WaveEnd>;
}

/** For a wave that is gone through again: nothing of it is written, shown, or aborted by an engine that closes. */
export function silently(options: WaveOptions): WaveOptions {
	return {
		...options,
		ledger: noLedger,
		hub: silentHub(options.clock),
		open: undefined,
		said: undefined,
		opened: undefined,
		stillGoing: undefined,
		pausing: undefined,
		earlier: undefined,
		ended: undefined,
		early: undefined,
		prepared: undefined,
	};
}

function silentHub(clock: Clock): EventHub {
	return new EventHub(() => clock.monotonicMs());
}

export interface MadeBy {
	readonly path: readonly number[];
	/** Whether it only reads. */
	readonly read: boolean;
	/** Whether the ledger holds the lines of all of them. */
	readonly isRecorded: boolean;
	/** The policies that were there. */
	readonly policyNames: readonly string[];
}

/** Whether a policy of the wave is none of those that were there. */
export function isAnyNew<T>({ newFace }: NestedCallsParts<T>, { path, policyNames }: MadeBy): boolean {
	const face = newFace({ path, firstIndex: 0 });
	return isPreparing(face) && face.policyNames().some((name) => !policyNames.includes(name));
}

export async function tellMade<T>(parts: NestedCallsParts<T>, made: readonly MadeRecord[], by: MadeBy): Promise<void> {
	const { newFace, options, run } = parts;
	const { path, read, isRecorded, policyNames } = by;
	// What its maker had been answered when it made them, as far as records tell it.
	const unanswered = new NumberRanges();
	for (const { first: firstIndex, calls, records } of made) {
		const open = unanswered.snapshot();
		const face = newFace({ path, firstIndex, ...(open && { unanswered: open }) });
		await run(read ? readOnlyFace(face) : face, calls, {
			...silently(options),
			slots: undefined,
			path,
			firstIndex,
			onError: "continue",
			isOnlyTold: isRecorded ? "recorded" : "unrecorded",
			resumed: { calls: records, steers: [], cancelled: false, spentMs: 0, policyNames },
		});
		for (const [place, { kind }] of records.entries()) {
			if (kind !== "accounted") unanswered.append(firstIndex + place, firstIndex + place);
		}
	}
}
