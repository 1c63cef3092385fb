// What policies remember of a call that makes very many others, some of which go on while hundreds come and go: each is
// judged by the ones that its maker had been answered, and what that takes does not grow with their number.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { NumberRanges } from "../../engine/core/number-ranges.js";
import { answered } from "../../engine/core/outcome.js";
import { type PolicyView, type RunMemory, runMemory, type Seen } from "../../engine/index.js";
import { viewOf } from "./policy-kit.js";

const WELL = answered(1);

interface Act {
	readonly act: "make" | "refused further down" | "ends" | "makes one";
	/** What is done by the call that is so many from the newest, or from the oldest, of those that run. */
	readonly which?: number;
	readonly from?: "newest" | "oldest";
}

const anyOf = (act: "ends" | "makes one") =>
	fc.record({ act: fc.constant(act), which: fc.nat(4), from: fc.constantFrom("newest" as const, "oldest" as const) });
const newest = fc.record({
	act: fc.constant("ends" as const),
	which: fc.nat(2),
	from: fc.constant("newest" as const),
});
const acts: fc.Arbitrary<Act[]> = fc.array(
	fc.oneof(
		{ weight: 60, arbitrary: fc.record({ act: fc.constant("make" as const) }) },
		{ weight: 4, arbitrary: fc.record({ act: fc.constant("refused further down" as const) }) },
		{ weight: 50, arbitrary: newest },
		{ weight: 3, arbitrary: anyOf("ends") },
		{ weight: 10, arbitrary: anyOf("makes one") },
	),
	{ minLength: 60, maxLength: 500, size: "max" },
);

/** A call of the line, and what is to be seen by those that know of it. */
interface Call {
	readonly view: PolicyView;
	readonly unanswered: readonly number[];
	readonly known: readonly string[];
	readonly made: string[];
	ended: readonly string[] | undefined;
}

function newMemory(): RunMemory<string[], string> {
	return runMemory<string[], string>({
		make: () => [],
		absorb: (into, from) => void into.push(...from),
		hold: (state, held) => void state.push(`+${held}`),
		letGo: (state, held) => void state.push(`-${held}`),
	});
}

function seenIn({ state }: Pick<Seen<string[], string>, "state">) {
	const out = new Set(state.filter((one) => one.startsWith("-")).map((one) => one.slice(1)));
	const held = state.filter((one) => one.startsWith("+")).map((one) => one.slice(1));
	return {
		runs: held.filter((one) => !out.has(one)).sort(),
		ended: state.filter((one) => one.startsWith("=")).map((one) => one.slice(1)),
	};
}

/** One call of a run that makes calls, put through its policy by hand. */
class Line {
	readonly memory = newMemory();
	readonly calls: Call[] = [];
	readonly #running: number[] = [];
	readonly #open = new NumberRanges();

	constructor() {
		this.memory.enter(viewOf());
	}

	do(act: Act): void {
		if (act.act === "make" || act.act === "refused further down") {
			const made = this.#make();
			if (act.act === "refused further down") this.#end(made, false);
			return;
		}
		const { which = 0, from } = act;
		const place = from === "newest" ? this.#running.length - 1 - which : which;
		const index = this.#running[place];
		if (index === undefined) return;
		if (act.act === "ends") this.#end(index, true);
		else this.#makesOne(index);
	}

	#make(): number {
		const index = this.calls.length;
		const unanswered = this.#open.snapshot();
		const view = viewOf({ lineage: [0, index], ...(unanswered && { unanswered }) });
		const known = this.calls.flatMap(({ ended = [] }) => ended);
		this.calls.push({ view, unanswered: [...this.#running], known, made: [], ended: undefined });
		const seen = this.memory.enter(view).at(-1) ?? { state: [] };
		expect(seenIn(seen)).toEqual({ runs: this.#running.map(String).sort(), ended: known });
		this.memory.hold(view, String(index));
		this.#open.append(index, index);
		this.#running.push(index);
		return index;
	}

	#end(index: number, isAccounted: boolean): void {
		const call = this.calls[index];
		if (call === undefined) return;
		if (isAccounted) this.memory.accounted(call.view, WELL, (state) => void state.push(`=${index}`));
		call.ended = isAccounted ? [...call.made, String(index)] : [];
		this.#open.remove(index);
		this.#running.splice(this.#running.indexOf(index), 1);
	}

	#makesOne(index: number): void {
		const call = this.calls[index];
		if (call === undefined) return;
		const { known, unanswered, made } = call;
		const view = viewOf({ lineage: [0, index, made.length] });
		const [, above, own] = this.memory.enter(view);
		const beside = unanswered.length + 1;
		expect(above?.maker).toEqual({ held: String(index), beside, sharing: beside, rank: beside - 1 });
		expect(seenIn(above ?? { state: [] })).toEqual({ runs: [...unanswered, index].map(String).sort(), ended: known });
		expect(seenIn(own ?? { state: [] }).ended).toEqual(made);
		const name = `${index}.${made.length}`;
		made.push(name);
		this.memory.accounted(view, WELL, (state) => void state.push(`=${name}`));
	}

	/** All calls end; what the run knows then. */
	close(): readonly string[] {
		while (this.#running.length > 0) this.do({ act: "ends", which: 0, from: "newest" });
		this.memory.accounted(viewOf(), WELL);
		return seenIn(this.memory.enter(viewOf({ step: 1 }))[0] ?? { state: [] }).ended;
	}
}

describe("Law 2: of a call that makes very many calls", () => {
	it("LI1, LI2: each is judged by those that its maker had been answered, however long others go on", () => {
		fc.assert(
			fc.property(acts, (script) => {
				const line = new Line();
				for (const act of script) line.do(act);
				expect(line.close()).toEqual(line.calls.flatMap(({ ended = [] }) => ended));
			}),
			{ numRuns: 300 },
		);
	});

	it("loses nothing of a call of which more comes after others went ahead", () => {
		const memory = newMemory();
		const below = (...path: number[]) => viewOf({ lineage: [0, ...path], unanswered: [[0, 0]] });
		memory.enter(viewOf());
		memory.enter(viewOf({ lineage: [0, 0] }));
		const others = Array.from({ length: 100 }, (_none, at) => at + 1);
		for (const index of others) {
			memory.enter(below(index));
			memory.accounted(below(index), WELL, (state) => void state.push(`=${index}`));
		}
		memory.accounted(below(3, 0), WELL, (state) => void state.push("=late"));
		memory.accounted(viewOf({ lineage: [0, 0] }), WELL, (state) => void state.push("=0"));
		memory.accounted(viewOf(), WELL);
		const [seen] = memory.enter(viewOf({ step: 1 }));
		const ended = seenIn(seen ?? { state: [] }).ended;
		expect(ended).toEqual(["0", "1", "2", "late", ...others.slice(2).map(String)]);
	});

	it.each([
		["one after the other beside one that goes on", 1, 1],
		["in forty chains beside one that goes on", 40, 1],
		["in forty chains, each of whose calls may go on for long", 40, 7],
	])("what it takes does not grow with their number: %s", (_name, chains, spread) => {
		const most = (calls: number): number => changesMade(calls, { chains, spread }) / calls;
		expect(most(4800)).toBeLessThan(2 * most(1200));
	});
});

describe("what a call takes does not grow with the number of those that make calls beside it", () => {
	const each = (calls: number, judge: (view: PolicyView) => void) => {
		// From the last on: what is of the first of them comes when all others are there.
		for (let index = calls - 1; index >= 0; index -= 1) judge(viewOf({ index, lineage: [index, 0] }));
	};
	it.each<[string, (calls: number) => void]>([
		[
			"where nothing is held for them",
			(calls) => {
				const memory = newMemory();
				for (let index = 0; index < calls; index += 1) memory.enter(viewOf({ index, segment: 0 }));
				each(calls, (view) => memory.enter(view));
			},
		],
		[
			"where they were admitted before anything was remembered",
			(calls) => {
				const memory = newMemory();
				each(calls, (view) => memory.accounted(view, WELL, () => undefined));
				memory.enter(viewOf({ step: 1 }));
			},
		],
		["where one that goes on makes as many", (calls) => beside(calls, newMemory())],
		[
			"where one that goes on makes as many, and nothing is held",
			(calls) =>
				beside(calls, runMemory<string[]>({ make: () => [], absorb: (into, from) => void into.push(...from) })),
		],
	])("%s", (_name, act) => {
		const most = (calls: number): number => goneThrough(() => act(calls)) / calls;
		expect(most(400)).toBeLessThanOrEqual(2 * most(100) + 1);
	});
});

/** A call makes others in turn beside one that goes on, and that one makes as many. */
function beside<Held>(calls: number, memory: RunMemory<string[], Held>): void {
	const make = (view: PolicyView): void => {
		memory.enter(view);
		memory.accounted(view, WELL, () => undefined);
	};
	memory.enter(viewOf());
	memory.enter(viewOf({ lineage: [0, 0] }));
	for (let index = 1; index < calls; index += 1) {
		make(viewOf({ lineage: [0, index], unanswered: [[0, 0]] }));
		make(viewOf({ lineage: [0, 0, index] }));
	}
}

/** How many there are, in all, in the lists that are sorted or chosen from. */
function goneThrough(act: () => void): number {
	let count = 0;
	const { filter, sort } = Array.prototype;
	const spies = [
		vi.spyOn(Array.prototype, "filter").mockImplementation(function (this: unknown[], ...given) {
			count += this.length;
			return Reflect.apply(filter, this, given);
		}),
		vi.spyOn(Array.prototype, "sort").mockImplementation(function (this: unknown[], ...given) {
			count += this.length;
			return Reflect.apply(sort, this, given);
		}),
	];
	try {
		act();
	} finally {
		for (const spy of spies) spy.mockRestore();
	}
	return count;
}

/** How often a change is made to a state, where so many calls are made. Which of a chain's calls ends next is mixed. */
function changesMade(calls: number, { chains, spread }: { readonly chains: number; readonly spread: number }): number {
	const memory = newMemory();
	const open = new NumberRanges();
	const running: PolicyView[] = [];
	let changes = 0;
	memory.enter(viewOf());
	for (let index = 0; index < calls; index += 1) {
		const unanswered = open.snapshot();
		const view = viewOf({ lineage: [0, index], ...(unanswered && { unanswered }) });
		memory.enter(view);
		open.append(index, index);
		running.push(view);
		// The first never ends.
		if (running.length <= chains) continue;
		const place = 1 + ((index * 7919) % (1 + ((index * spread) % chains)));
		const [ended] = running.splice(place, 1);
		if (ended === undefined) continue;
		open.remove(ended.lineage?.at(-1) ?? 0);
		memory.accounted(ended, WELL, () => {
			changes += 1;
		});
	}
	return changes;
}
