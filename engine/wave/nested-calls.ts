// Nested calls
//
// A call that a running call makes: admitted, run and accounted like any other, as a wave of one. What it writes stands
// between its parent's two lines, wherever in time it ran, so that the ledger does not depend on how the children of a
// wave interleave. Its keys are held as its parent's descendant, and it runs with its parent's slot, for its parent waits;
// a parent whose calls wait for keys has none meanwhile, and takes one again before it goes on.
//
// A call that is an agent makes the calls of each of its model's replies, as a wave of several, and writes lines of its
// own between them (nested-run.ts).
//
// Owns:      the nested wave's options, the lines of each call's children, and what is remembered of them for a parent that
//            asks a person and runs again.
// Does not:  run a wave (wave.ts gives it the way to) or hold keys (locks/).
//
// Invariants:
//   NC1. The lines of a parent's children stand in the order in which the parent made the calls.
//   NC2. Under a parent that only reads, nothing but reads runs.
//   NC3. A child that had ended when its parent asked a person does not run again with it.

import { isPreparing } from "../admission/preparing-face.js";
import { readOnlyFace } from "../admission/read-only-face.js";
import { type CallMemory, type MadeRecord, newMemory } from "../core/call-record.js";
import { denied } from "../core/denied.js";
import { invariant } from "../core/invariant.js";
import type { InvokedCall, InvokedOnThread } from "../core/invoked-on-thread.js";
import type { JsonValue } from "../core/json-value.js";
import { NESTED_DEPTH_MAX } from "../core/limits.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { NumberRange } from "../core/number-ranges.js";
import type { CallPaused } from "../core/pause.js";
import { ToolCallError } from "../core/tool-call-error.js";
import type { ToolValue } from "../core/tool-context.js";
import type { ToolSet } from "../core/tool-set.js";
import { nobodyToAsk } from "../core/unanswered.js";
import type { CallContext, CallServices } from "../execution/call-context.js";
import { type CallIdentity, placeOf } from "../execution/call-identity.js";
import { emitWaiting, watchedGrant } from "../execution/key-events.js";
import { LentSlots } from "../execution/lent-slots.js";
import { childLedger } from "../ledger/child-ledger.js";
import type { EntryDraft } from "../ledger/entry.js";
import type { LockGrant } from "../locks/keyed-lock.js";
import { type AdmissionTurn, AdmissionTurns } from "./admission-turns.js";
import { incomplete } from "./incomplete-face.js";
import { type Child, type MadeCall, madeOf, nestedRecordOf, recall, resultOf, turnAt } from "./made-calls.js";
import { MadeInOrder } from "./made-in-order.js";
import { isAnyNew, type MadeBy, type NestedCallsParts, tellMade } from "./tell-made.js";
import { valueOrThrow } from "./value-or-throw.js";
import type { WaveOptions } from "./wave-options.js";
import type { WaveEnd, WaveResult } from "./wave-result.js";

/** How calls are made that an agent's model asked for. */
export interface AskedForBy {
	readonly offered: ToolSet;
	/** Why their reply ended badly, so that none of them runs. */
	readonly cut?: "length" | "filtered" | undefined;
}

/** How a call made others: because its model asked for them, or on a thread. */
export interface HowMade {
	readonly by?: AskedForBy | undefined;
	readonly onThread?: InvokedOnThread | undefined;
}

interface Below {
	readonly first: number;
	readonly unanswered: readonly NumberRange[] | undefined;
	readonly by: AskedForBy | undefined;
	readonly admissionTurn: AdmissionTurn | undefined;
}

/** What a call leaves of the calls that it made. */
export interface LeftByMade {
	/** For the place between its own two. */
	readonly lines: readonly EntryDraft[];
	/** For policies that are not there; left out where there are none. */
	readonly made?: readonly MadeRecord[];
}

export class NestedCalls<T> implements CallServices {
	readonly #parts: NestedCallsParts<T>;
	readonly #turns = new AdmissionTurns();
	readonly #made = new Map<CallIdentity, MadeInOrder>();
	/** Whether a call has asked a person since this was last set back. */
	hasAsked = false;

	constructor(parts: NestedCallsParts<T>) {
		this.#parts = parts;
	}

	get options(): WaveOptions {
		return this.#parts.options;
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

	async invokeTool(context: CallContext, { name, args, onThread }: InvokedCall): Promise<ToolValue> {
		const [result] = await this.invokeWave(context, [{ name, args }], { onThread });
		invariant(result !== undefined, "WV2", `the nested call ${name} ended without an outcome`);
		return valueOrThrow(name, result.outcome);
	}

	/** Runs calls as one wave; rejects with a pause where one of them asked. */
	async invokeWave(
		context: CallContext,
		calls: readonly MadeCall[],
		{ by, onThread }: HowMade = {},
	): Promise<WaveResult["results"]> {
		demandDepth(context, calls);
		const made = this.#madeBy(context);
		const first = made.calls;
		const unanswered = made.unanswered({ context, onThread });
		const recalled = calls.map((call, place) => recall(context.remembered, first + place, call));
		// Calls that were made together are remembered together.
		const isKnown = recalled.every((record) => record !== undefined);
		const children = calls.map((call, place): Child => {
			const remembered = isKnown ? recalled[place] : undefined;
			const turn = turnAt(context.remembered, first + place, isKnown);
			return { kind: "call", call, place, lines: NO_LINES, end: undefined, remembered, turn };
		});
		const answered = made.add(children, { context, onThread });
		const [leading] = children;
		if (leading === undefined) return [];
		// They are entries: a record keeps what the child's wave wrote, only their kind is typed as any text.
		leading.lines = (leading.remembered?.lines ?? NO_LINES) as readonly EntryDraft[];
		// NC3: they had ended before their parent asked; what they answered then is their answer.
		const ended = children.flatMap((child) => resultOf(child) ?? []);
		if (ended.length === calls.length) {
			answered();
			return ended;
		}
		let end: WaveEnd;
		const admissionTurn = this.#parts.hasPolicies() ? this.#turns.take(context.identity) : undefined;
		try {
			end = await this.#run(context, children, { first, unanswered, by, admissionTurn });
		} finally {
			admissionTurn?.done();
			await context.slot?.whenBack();
			answered();
		}
		for (const child of children) child.end = end;
		if (end.result.status === "paused") throw this.#pause(context);
		return end.result.results;
	}

	/** Puts lines of the call's own after what it has made so far. */
	write(context: CallContext, lines: readonly EntryDraft[]): void {
		this.#madeBy(context).write({ kind: "lines", lines });
	}

	#madeBy({ identity }: CallContext): MadeInOrder {
		const made = this.#made.get(identity) ?? new MadeInOrder();
		this.#made.set(identity, made);
		return made;
	}

	#run(
		context: CallContext,
		children: readonly Child[],
		{ first, unanswered, by, admissionTurn }: Below,
	): Promise<WaveEnd> {
		const { newFace, options, run } = this.#parts;
		const { how, rules } = options.asking;
		const [leading] = children;
		const lines: EntryDraft[] = [...(leading?.lines ?? NO_LINES)];
		if (leading !== undefined) leading.lines = lines;
		const { path } = context.identity;
		const below = { path, firstIndex: first, ...(unanswered && { unanswered }) };
		const own = newFace(below, by?.offered);
		const face = by?.cut === undefined || !isPreparing(own) ? own : incomplete(own, by.cut);
		const calls = children.map(({ call: { id = "", name, args } }) => ({ id, name, args }));
		const records = children.flatMap(({ remembered }) => remembered?.call ?? []);
		// NC2: whatever the call is by its own registration.
		return run(context.read ? readOnlyFace(face) : face, calls, {
			...options,
			...ALONE,
			slots: context.slot && new LentSlots(context.slot, options.maxParallelToolCalls),
			ledger: childLedger(options.ledger, lines),
			signal: context.signal,
			lineage: context.lineage,
			path,
			firstIndex: first,
			admissionTurn,
			// Who asks holds nothing, so its question is its parent's, and is asked once all of them have unwound.
			asking: { how: how === "none" ? how : "pause", rules },
			resumed:
				leading?.remembered === undefined
					? undefined
					: {
							calls: records,
							steers: [],
							cancelled: false,
							spentMs: 0,
							// Whoever was not there has been told of it (tell-made.ts).
							policyNames: isPreparing(own) ? own.policyNames() : [],
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
		const made = this.#made.get(identity)?.all ?? [];
		const children = made.flatMap((one) => (one.kind === "call" ? [one] : []));
		for (const [number, child] of children.entries()) {
			const nested = nestedRecordOf(child);
			if (nested === undefined) continue;
			kept ??= newMemory();
			kept.nested[number] = nested;
		}
		this.#made.delete(identity);
		return kept;
	}

	/** Takes what is left of a call's children. */
	take(identity: CallIdentity): LeftByMade {
		const made = this.#made.get(identity)?.all;
		if (made === undefined) return NOTHING_MADE;
		this.#made.delete(identity);
		// NC1: a child's lines stand at the place of its call, whenever they were written.
		const lines = made.flatMap((one) => one.lines);
		return this.#parts.hasPolicies() ? { lines, made: madeOf(made) } : { lines };
	}

	/** Policies that were not there hear of what a call had made by a pause or a crash. */
	async tellMade(made: readonly MadeRecord[], by: MadeBy): Promise<void> {
		if (made.length > 0 && isAnyNew(this.#parts, by)) await tellMade(this.#parts, made, by);
	}
}

// A tool that invokes itself without end would take the host's memory long before anything else stopped it.
function demandDepth({ identity }: CallContext, [call]: readonly MadeCall[]): void {
	if (call === undefined || identity.path.length < NESTED_DEPTH_MAX) return;
	const refused = denied({
		rule: "nesting-depth",
		violation: `${call.name} would be nested more than ${NESTED_DEPTH_MAX} calls deep.`,
		alternative: "Go on without it; the host must see to it that tools do not invoke themselves without end.",
	});
	throw new ToolCallError(call.name, refused.error);
}

const NO_LINES: readonly EntryDraft[] = [];
export const NOTHING_MADE: LeftByMade = { lines: NO_LINES };

/** What a nested call shares nothing of with the wave around it. */
const ALONE = {
	said: undefined,
	opened: undefined,
	stillGoing: undefined,
	early: undefined,
	prepared: undefined,
	onError: "continue",
} as const;
