// Law kit
//
// The few words the tests of the laws are written in: tools that wait to be released, a ledger read as short lines, and
// an engine whose clock stands still.
//
// Owns:      those helpers.
// Does not:  assert anything.

import { afterEach } from "vitest";
import { z } from "zod";
import type { ToolCall } from "../../engine/core/call.js";
import type { EngineEvent } from "../../engine/core/events.js";
import { CLOSE_MS_MAX } from "../../engine/core/limits.js";
import type { Outcome } from "../../engine/core/outcome.js";
import { type Tool, type ToolDefinition, tool } from "../../engine/core/tool.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { createEngine, type Engine, type EngineOptions, type Ledger, memoryLedger } from "../../engine/index.js";
import { canonical, type Entry } from "../../engine/ledger/entry.js";
import { HeldWork } from "./held-work.js";
import { ManualClock } from "./manual-clock.js";

export const anything = z.object({ n: z.number().optional() }).loose();

type Execute = (args: { n?: number | undefined }, context: ToolContext) => unknown;

/** A tool of the given effect; waits for nothing unless its code does. */
export function toolOf(name: string, execute: Execute, rest: Partial<ToolDefinition> = {}): Tool {
	return tool({ name, parameters: anything, effect: "read", ...rest, execute } as ToolDefinition);
}

export interface Bench {
	readonly engine: Engine;
	readonly clock: ManualClock;
	readonly ledger: Ledger;
	readonly held: HeldWork;
	readonly events: EngineEvent[];
	/** The tools that were entered, in order, as `name n`. */
	readonly entered: string[];
}

const open: { readonly engine: Engine; readonly clock: ManualClock }[] = [];

// A tool that never settles would hold the close for its bound, which only the hand-moved clock reaches.
afterEach(async () => {
	for (const { engine, clock } of open.splice(0)) {
		let closed = false;
		const closing = engine.close().finally(() => {
			closed = true;
		});
		while (!closed) await clock.pass(CLOSE_MS_MAX);
		await closing;
	}
});

/**
 * An engine with three tools that wait to be released as `name n` and then answer `n`: the reads `read` and `fetch`
 * (which reaches outside), the write `write`, and the write `note` that may run beside others.
 */
export function benchOf(options: Partial<EngineOptions> = {}): Bench {
	const held = new HeldWork();
	const clock = new ManualClock();
	const ledger = options.ledger ?? memoryLedger();
	const entered: string[] = [];
	const waits = (name: string): Execute => {
		return async ({ n = 0 }) => {
			entered.push(`${name} ${n}`);
			await held.hold(`${name} ${n}`);
			return n;
		};
	};
	const standard = [
		toolOf("read", waits("read")),
		toolOf("fetch", waits("fetch"), { annotations: { openWorldHint: true } }),
		toolOf("write", waits("write"), { effect: "write" }),
		toolOf("note", waits("note"), { effect: "write", isConcurrencySafe: true }),
	];
	const own = new Set((options.tools ?? []).map(({ name }) => name));
	const tools = [...standard.filter(({ name }) => !own.has(name)), ...(options.tools ?? [])];
	const engine = createEngine({ ...options, tools, ledger, clock });
	open.push({ engine, clock });
	const events: EngineEvent[] = [];
	engine.subscribe((event) => events.push(event));
	return { engine, clock, ledger, held, events, entered };
}

/** Calls written as `name n`, each with an id of its own. */
export function callsOf(...written: string[]): ToolCall[] {
	return written.map((one, index) => {
		const [name = "", n] = one.split(" ");
		return { id: `id-${index}`, name, args: n === undefined ? {} : { n: Number(n) } };
	});
}

/** An outcome in one word: its code, or its value as JSON. */
export function short(outcome: Outcome): string {
	return outcome.ok ? (JSON.stringify(outcome.value) ?? "nothing") : outcome.error.code;
}

export function shorts(wave: { readonly results: readonly { readonly outcome: Outcome }[] }): string[] {
	return wave.results.map(({ outcome }) => short(outcome));
}

export async function entriesOf(ledger: Ledger): Promise<Entry[]> {
	const entries: Entry[] = [];
	for await (const entry of ledger.entries()) entries.push(entry);
	return entries;
}

/** The ledger's entries of calls, each as its kind and its index. */
export async function linesOf(ledger: Ledger): Promise<string[]> {
	const entries = await entriesOf(ledger);
	return entries.map(({ kind, data }) => (data.index === undefined ? kind : `${kind} ${String(data.index)}`));
}

export async function canonicalOf(ledger: Ledger): Promise<string[]> {
	return (await entriesOf(ledger)).map(canonical);
}
