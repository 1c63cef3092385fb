// Ahead driver
//
// Runs one random reply on a clock that is moved by hand, with or without starting anything early.
//
// Owns:      the moments, and what is read of a run.
// Does not:  compare two runs (ahead-equals.test.ts).

import { createEngine, type EngineEvent, KeyedLock, type Ledger, memoryLedger, type Step } from "../../engine/index.js";
import { canonical, type Entry } from "../../engine/ledger/entry.js";
import type { AheadCase, Outsider } from "./ahead-arbitrary.js";
import { AheadWorld } from "./ahead-world.js";
import { ManualClock, settled } from "./manual-clock.js";

export interface AheadRun {
	/** What the model and the ledger are shown. */
	readonly shown: { readonly status: string; readonly results: readonly unknown[]; readonly lines: readonly string[] };
	/** What was entered that changes something, in order, and whether the reply had ended by then. */
	readonly changes: readonly string[];
	readonly events: readonly EngineEvent[];
	/** Keys that are held or waited for after the engine was closed. */
	readonly keysLeft: number;
	readonly timersLeft: number;
}

const CHANGES: ReadonlySet<string> = new Set(["save", "overwrite"]);

export async function runAhead(one: AheadCase, ahead: "any" | false): Promise<AheadRun> {
	const clock = new ManualClock();
	const locks = new KeyedLock({ clock });
	const ledger = memoryLedger();
	const changes: string[] = [];
	let hasEnded = false;
	const enter = (name: string, n: number): void => {
		if (CHANGES.has(name)) changes.push(`${name} ${n}${hasEnded ? "" : " before the end"}`);
	};
	const world = new AheadWorld({ clock, enter });
	const { maxParallelToolCalls, stopOnError } = one;
	const onError = stopOnError ? "stop" : "continue";
	const engine = createEngine({ tools: world.tools(), ledger, clock, locks, ahead, maxParallelToolCalls, onError });
	const events: EngineEvent[] = [];
	engine.subscribe((event) => events.push(event));
	const step = engine.openStep({ runId: "run" });
	for (const outsider of one.outsiders) goesOutside(outsider, { clock, locks, world });
	await feed(step, one, clock);
	hasEnded = true;
	const { status, results } = await passUntil(step.settle(), clock);
	const outcomes = results.map(({ index, id, name, outcome }) => ({ index, id, name, outcome }));
	await clock.pass(1_000);
	const lines = (await entriesOf(ledger)).map(canonical);
	const timersLeft = clock.timersSet;
	await passUntil(engine.close(), clock);
	return { shown: { status, results: outcomes, lines }, changes, events, keysLeft: locks.size, timersLeft };
}

interface Outside {
	readonly clock: ManualClock;
	readonly locks: KeyedLock;
	readonly world: AheadWorld;
}

function goesOutside({ atMs, cell, kind, heldMs }: Outsider, { clock, locks, world }: Outside): void {
	clock.setTimer(() => {
		if (kind === "stamped") {
			world.change(`stamped ${cell}`, `outside ${atMs}`);
			return;
		}
		// Only one that has the key at once changes the cell: one that waits would change it at a time of its own.
		const key = `key ${cell}`;
		if (!locks.isFree([key])) return;
		void locks.acquire([key]).then((release) => {
			world.change(key, `outside ${atMs}`);
			clock.setTimer(release, heldMs);
		});
	}, atMs);
}

async function feed(step: Step, { items, endedMs }: AheadCase, clock: ManualClock): Promise<void> {
	for (const { atMs, item } of items) {
		await clock.pass(Math.max(0, atMs - clock.monotonicMs()));
		step.feed(item);
	}
	await clock.pass(Math.max(0, endedMs - clock.monotonicMs()));
}

async function entriesOf(ledger: Ledger): Promise<Entry[]> {
	const entries: Entry[] = [];
	for await (const entry of ledger.entries()) entries.push(entry);
	return entries;
}

async function passUntil<Value>(work: Promise<Value>, clock: ManualClock): Promise<Value> {
	let isOver = false;
	const over = work.finally(() => {
		isOver = true;
	});
	await settled();
	for (let passed = 0; !isOver; passed += 1) {
		if (passed > 200) throw new Error("the wave is stuck");
		await clock.pass(50);
	}
	return over;
}
