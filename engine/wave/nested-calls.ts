// Nested calls
//
// A call that a running call makes: admitted, run and accounted like any other, as a wave of one. What it writes stands
// between its parent's two lines, wherever in time it ran, so that the ledger does not depend on how the children of a
// wave interleave. Its keys are held as its parent's descendant, and it needs no slot: its parent has one and waits.
//
// Owns:      the nested wave's options, and the lines of each call's children.
// Does not:  run a wave (wave.ts gives it the way to) or hold keys (locks/).
//
// Invariants:
//   NC1. The lines of a parent's children stand in the order in which the parent made the calls.
//   NC2. Under a parent that only reads, nothing but reads runs.

import type { ConcurrentInvoke } from "../admission/concurrent-invoke.js";
import { readOnlyFace } from "../admission/read-only-face.js";
import type { ToolCall } from "../core/call.js";
import { invariant } from "../core/invariant.js";
import type { LockKeys } from "../core/lock-keys.js";
import type { ToolValue } from "../core/tool-context.js";
import { type CallContext, type CallIdentity, type CallServices, placeOf } from "../execution/call-context.js";
import { emitWaiting, watchedGrant } from "../execution/key-events.js";
import { childLedger } from "../ledger/child-ledger.js";
import type { EntryDraft } from "../ledger/entry.js";
import type { LockGrant } from "../locks/keyed-lock.js";
import { valueOrThrow } from "./value-or-throw.js";
import type { WaveOptions } from "./wave-options.js";
import type { WaveResult } from "./wave-result.js";

export interface NestedCallsParts<T> {
	/** A face that a wave of its own can be run with. */
	readonly newFace: () => ConcurrentInvoke<T>;
	readonly options: WaveOptions;
	readonly run: (face: ConcurrentInvoke<T>, calls: readonly ToolCall[], options: WaveOptions) => Promise<WaveResult>;
}

export class NestedCalls<T> implements CallServices {
	readonly #parts: NestedCallsParts<T>;
	/** The lines of the children of each call that has any, a block a child; of all its attempts, if it ran again. */
	readonly #blocks = new Map<CallIdentity, EntryDraft[][]>();

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
		return watchedGrant(watcher, await asked.granted);
	}

	async invokeTool(context: CallContext, name: string, args: unknown): Promise<ToolValue> {
		const { newFace, options, run } = this.#parts;
		const blocks = this.#blocks.get(context.identity) ?? [];
		this.#blocks.set(context.identity, blocks);
		const lines: EntryDraft[] = [];
		const firstIndex = blocks.push(lines) - 1;
		const face = newFace();
		const { results } = await run(context.read ? readOnlyFace(face) : face, [{ id: "", name, args }], {
			...options,
			...ALONE,
			ledger: childLedger(options.ledger, lines),
			signal: context.signal,
			lineage: context.lineage,
			path: context.identity.path,
			firstIndex,
		});
		const outcome = results[0]?.outcome;
		invariant(outcome !== undefined, "NC2", `the nested call ${name} ended without an outcome`);
		return valueOrThrow(name, outcome);
	}

	/** Takes the lines of a call's children, for the place between its own two. */
	takeLines(identity: CallIdentity): readonly EntryDraft[] {
		const blocks = this.#blocks.get(identity);
		if (blocks === undefined) return NO_LINES;
		this.#blocks.delete(identity);
		// NC1: a block stands at the index of its call, whenever it was filled.
		return blocks.flat();
	}
}

const NO_LINES: readonly EntryDraft[] = [];

/** What a nested call shares nothing of with the wave around it. */
const ALONE = { stillGoing: undefined, early: undefined, onError: "continue" } as const;
