// Nested calls
//
// A call that a running call makes: admitted, run and accounted like any other, as a wave of one. What it writes stands
// between its parent's two lines, wherever in time it ran, so that the ledger does not depend on how the children of a
// wave interleave. Its keys are held as its parent's descendant, and it runs with its parent's slot, for its parent waits;
// a parent whose calls wait for keys has none meanwhile, and takes one again before it goes on.
//
// Owns:      the nested wave's options, the lines of each call's children, and what is remembered of them for a parent that
//            asks a person and runs again.
// Does not:  run a wave (wave.ts gives it the way to) or hold keys (locks/).
//
// Invariants:
//   NC1. The lines of a parent's children stand in the order in which the parent made the calls.
//   NC2. Under a parent that only reads, nothing but reads runs.
//   NC3. A child that had ended when its parent asked a person does not run again with it.

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { readOnlyFace } from "../admission/read-only-face.js";
import { argumentsKey, type ToolCall } from "../core/call.js";
import { type CallMemory, type NestedRecord, newMemory, outcomeOf } from "../core/call-record.js";
import { invariant } from "../core/invariant.js";
import type { JsonValue } from "../core/json-value.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { CallPaused } from "../core/pause.js";
import { ToolCallError } from "../core/tool-call-error.js";
import type { ToolValue } from "../core/tool-context.js";
import { nobodyToAsk } from "../core/unanswered.js";
import type { CallContext, CallServices } from "../execution/call-context.js";
import { type CallIdentity, placeOf } from "../execution/call-identity.js";
import { LentSlots } from "../execution/call-slot.js";
import { emitWaiting, watchedGrant } from "../execution/key-events.js";
import { childLedger } from "../ledger/child-ledger.js";
import type { EntryDraft } from "../ledger/entry.js";
import type { LockGrant } from "../locks/keyed-lock.js";
import { valueOrThrow } from "./value-or-throw.js";
import type { WaveOptions } from "./wave-options.js";
import type { WaveEnd } from "./wave-result.js";

export interface NestedCallsParts<T> {
	/** A face that a wave of its own can be run with. */
	readonly newFace: () => ConcurrentInvoke<T>;
	readonly options: WaveOptions;
	readonly run: (face: ConcurrentInvoke<T>, calls: readonly ToolCall[], options: WaveOptions) => Promise<WaveEnd>;
}

/** A call that a call has made. */
interface Child {
	readonly name: string;
	readonly args: unknown;
	lines: readonly EntryDraft[];
	/** How it ended in this run of its parent, or what is remembered of it. */
	end: WaveEnd | undefined;
	remembered: NestedRecord | undefined;
}

export class NestedCalls<T> implements CallServices {
	readonly #parts: NestedCallsParts<T>;
	/** The children of each call that has any, in the order in which it made them; of all its attempts, if it ran again. */
	readonly #children = new Map<CallIdentity, Child[]>();
	/** Whether a call has asked a person since this was last set back. */
	hasAsked = false;

	constructor(parts: NestedCallsParts<T>) {
		this.#parts = parts;
	}

	/** The engine, as what it keeps open, for code that must know whose call it is in. */
	get openIn(): WaveOptions["open"] {
		return this.#parts.options.open;
	}

	async lock(context: CallContext, keys: LockKeys): Promise<LockGrant> {
		const { locks, timeouts, hub } = this.#parts.options;
		const { name, index, runId } = context.identity;
		const holder = `${name} (call ${index} of run ${runId})`;
		const { lineage, signal } = context;
		const asked = locks.request(keys, { lineage, signal, holder, lockMs: timeouts.lockMs });
		const watcher = { hub, place: placeOf(context.identity), keys };
		if (asked.kind === "granted") return watchedGrant(watcher, asked);
		emitWaiting(watcher, asked);
		try {
			return watchedGrant(watcher, await asked.granted);
		} finally {
			await context.slot?.whenBack();
		}
	}

	async invokeTool(context: CallContext, name: string, args: unknown): Promise<ToolValue> {
		const children = this.#children.get(context.identity) ?? [];
		this.#children.set(context.identity, children);
		const remembered = recall(context, children.length, { name, args });
		const child: Child = { name, args, lines: NO_LINES, end: undefined, remembered };
		const number = children.push(child) - 1;
		// NC3: it had ended before its parent asked; what it answered then is its answer.
		if (remembered?.call.kind === "accounted") {
			child.lines = remembered.lines as readonly EntryDraft[];
			return valueOrThrow(name, outcomeOf(remembered.call.outcome));
		}
		try {
			child.end = await this.#run(context, child, number);
		} finally {
			await context.slot?.whenBack();
		}
		const { status, results } = child.end.result;
		if (status === "paused") throw this.#pause(context);
		const outcome = results[0]?.outcome;
		invariant(outcome !== undefined, "WV2", `the nested call ${name} ended without an outcome`);
		return valueOrThrow(name, outcome);
	}

	async #run(context: CallContext, child: Child, firstIndex: number): Promise<WaveEnd> {
		const { newFace, options, run } = this.#parts;
		const { name, args, remembered } = child;
		const { how, rules } = options.asking;
		const lines: EntryDraft[] = [];
		child.lines = lines;
		const face = newFace();
		// NC2: whatever the call is by its own registration.
		return run(context.read ? readOnlyFace(face) : face, [{ id: "", name, args }], {
			...options,
			...ALONE,
			slots: context.slot && new LentSlots(context.slot),
			ledger: childLedger(options.ledger, lines),
			signal: context.signal,
			lineage: context.lineage,
			path: context.identity.path,
			firstIndex,
			// Who asks holds nothing, so its question is its parent's, and is asked once all of them have unwound.
			asking: { how: how === "none" ? how : "pause", rules },
			resumed: remembered && {
				calls: [remembered.call],
				steers: [],
				cancelled: false,
				spentMs: 0,
				policyNames: remembered.policyNames,
			},
		});
	}

	async interrupt(context: CallContext, question: JsonValue, number: number): Promise<never> {
		const { name } = context.identity;
		if (this.#parts.options.asking.how === "none") throw new ToolCallError(name, nobodyToAsk(name).error);
		context.memory.questions[number] = question;
		throw this.#pause(context);
	}

	#pause(context: CallContext): CallPaused {
		this.hasAsked = true;
		return context.pause();
	}

	/** What the call keeps for when it runs again, with what its children did; nothing where there is nothing. */
	remember(identity: CallIdentity, memory: CallMemory | undefined): CallMemory | undefined {
		let kept = memory;
		for (const [number, child] of (this.#children.get(identity) ?? []).entries()) {
			const nested = recordOf(child);
			if (nested === undefined) continue;
			kept ??= newMemory();
			kept.nested[number] = nested;
		}
		this.#children.delete(identity);
		return kept;
	}

	/** Takes the lines of a call's children, for the place between its own two. */
	takeLines(identity: CallIdentity): readonly EntryDraft[] {
		const children = this.#children.get(identity);
		if (children === undefined) return NO_LINES;
		this.#children.delete(identity);
		// NC1: a child's lines stand at the place of its call, whenever they were written.
		return children.flatMap(({ lines }) => lines);
	}
}

/** What is remembered of the call's child of this number; nothing where the call makes another one now. */
function recall(context: CallContext, number: number, call: Omit<ToolCall, "id">): NestedRecord | undefined {
	const remembered = context.remembered?.nested[number];
	if (remembered === undefined) return undefined;
	return remembered.name === call.name && remembered.argsKey === argumentsKey(call.args) ? remembered : undefined;
}

function recordOf({ name, args, lines, end, remembered }: Child): NestedRecord | undefined {
	if (end === undefined) return remembered;
	const { calls, policyNames } = end.record();
	const [call] = calls;
	return call && { name, argsKey: argumentsKey(args), call, lines, policyNames };
}

const NO_LINES: readonly EntryDraft[] = [];

/** What a nested call shares nothing of with the wave around it. */
const ALONE = { stillGoing: undefined, early: undefined, prepared: undefined, onError: "continue" } as const;
