// What policies that go by what others did say of calls that calls make: the same in whatever order those run that are made
// at once, and by nothing else than what a call may know.
//
// A failure prints its seed and path. `{ seed, path }` passed to `fc.assert` shows it again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answered } from "../../engine/core/outcome.js";
import {
	budget,
	memo,
	type Policy,
	type PolicyView,
	type RunMemory,
	runMemory,
	type Seen,
	taint,
} from "../../engine/index.js";
import { goThrough, type Tree, trees, treesOfWaves, unansweredBefore, type Wave } from "../support/policy-trees.js";
import { viewOf } from "./policy-kit.js";

const RUNS = 600;

/** What a call is judged by in one line: who runs there, what has ended, and the maker's place among those that run. */
interface Layer {
	readonly runs: readonly string[];
	readonly ended: readonly string[];
	readonly maker?: object | undefined;
}

const WELL = answered(1);
const placeOf = (step: number, path: readonly number[]): string => `${step}:${path.join(".")}`;
const placeIn = ({ step, index, lineage = [index] }: PolicyView): string => placeOf(step, lineage);

function newMemory(): RunMemory<string[], string> {
	return runMemory<string[], string>({
		make: () => [],
		absorb: (into, from) => void into.push(...from),
		hold: (state, held) => void state.push(`+${held}`),
		letGo: (state, held) => void state.push(`-${held}`),
	});
}

function layerOf({ state, maker }: Seen<string[], string>): Layer {
	const runs = state.filter((one) => one.startsWith("+") && !state.includes(`-${one.slice(1)}`));
	const ended = state.filter((one) => one.startsWith("="));
	return { runs: runs.map((one) => one.slice(1)), ended: ended.map((one) => one.slice(1)), ...(maker && { maker }) };
}

/** Clears every call, and keeps what each was to be judged by. */
function witness() {
	const saw = new Map<string, readonly Layer[]>();
	const memory = newMemory();
	const policy: Policy = {
		name: "witness",
		admit(_call, view) {
			saw.set(placeIn(view), memory.enter(view).map(layerOf));
			memory.hold(view, placeIn(view));
			return "clear";
		},
		account(_call, outcome, view) {
			memory.accounted(view, outcome, outcome.ok ? (state) => void state.push(`=${placeIn(view)}`) : undefined);
		},
	};
	return { policy, saw };
}

/** The same by the words of law 2, from the tree alone. */
class Expected {
	readonly saw = new Map<string, readonly Layer[]>();

	constructor(tree: Tree) {
		let ended: readonly string[] = [];
		for (const [step, waves] of tree.entries()) ended = this.#line(waves, { step, path: [], above: [], ended });
	}

	/** All that has ended in the line. */
	#line(waves: readonly Wave[], line: Line): readonly string[] {
		let { ended } = line;
		let first = 0;
		for (const wave of waves) {
			ended = [...ended, ...this.#wave(wave, { ...line, ended }, first)];
			first += wave.nodes.length;
		}
		return ended;
	}

	#wave(wave: Wave, line: Line, first: number): readonly string[] {
		const { step, path, above, ended } = line;
		const { as, nodes } = wave;
		const places = nodes.map((_node, at) => placeOf(step, [...path, first + at]));
		const brought: (readonly string[])[] = [];
		for (const [at, node] of nodes.entries()) {
			const open = as === "segment" ? [...nodes.keys()].slice(0, at) : unansweredBefore(wave, at);
			const known = [...ended, ...brought.filter((_one, before) => !open.includes(before)).flat()];
			const runs = open.map((before) => places[before] ?? "");
			const own = [...path, first + at];
			const held = placeOf(step, own);
			this.saw.set(held, [...above, { runs, ended: known }]);
			const beside = as === "segment" ? places : [...runs, held];
			const maker = { held, beside: beside.length, sharing: beside.length, rank: beside.indexOf(held) };
			const below = { step, path: own, above: [...above, { runs: beside, ended: known, maker }], ended: [] };
			const isRun = !node.isLost && node.ends !== "before its tool" && node.ends !== "stopped";
			const made = isRun ? this.#line(node.waves, below) : [];
			brought.push(isRun && node.ends === "well" ? [...made, held] : made);
		}
		return brought.flat();
	}
}

interface Line {
	readonly step: number;
	readonly path: readonly number[];
	readonly above: readonly Layer[];
	/** What has ended before. */
	readonly ended: readonly string[];
}

describe("Law 2: a call that a call makes", () => {
	it("is judged by the run as its segment found it, and by what its makers had brought when it was made", async () => {
		const same = fc.asyncProperty(trees, fc.scheduler(), async (tree, scheduler) => {
			const { policy, saw } = witness();
			await scheduler.waitFor(goThrough(policy, tree, scheduler));
			const expected = new Expected(tree).saw;
			// Calls that a stopped one had made are of no run that nobody stopped.
			expect(new Map([...saw].filter(([place]) => expected.has(place)))).toEqual(expected);
		});
		await fc.assert(same, { numRuns: RUNS });
	});
});

const most = fc.integer({ min: 0, max: 16 });
const policies: readonly (readonly [string, (calls: number) => Policy])[] = [
	["budget of a run", (calls) => budget({ run: { calls } })],
	[
		"budget of each step",
		(calls) => budget({ step: { calls, bytes: calls * 9 }, run: { cost: calls }, costOf: () => 1 }),
	],
	["memo", () => memo()],
	["taint", () => taint()],
	["taint by a table", () => taint({ closes: { egress: ["read"], "open-world": ["write"] } })],
];

describe("Law 4: calls that calls make are answered alike in whatever order those run that are made at once", () => {
	it.each(policies)("by a %s", async (_name, policyOf) => {
		const same = fc.asyncProperty(trees, most, fc.scheduler(), async (tree, calls, scheduler) => {
			const serial = await goThrough(policyOf(calls), tree);
			const atOnce = await scheduler.waitFor(goThrough(policyOf(calls), tree, scheduler));
			expect(atOnce.verdicts).toEqual(serial.verdicts);
		});
		await fc.assert(same, { numRuns: RUNS });
	});
});

describe("a budget of calls", () => {
	it("is not overrun by what the calls of one segment make, whatever the order", async () => {
		let ran = 0;
		const kept = fc.asyncProperty(treesOfWaves, most, fc.scheduler(), async (tree, calls, scheduler) => {
			const heard = await scheduler.waitFor(goThrough(budget({ run: { calls } }), tree, scheduler));
			expect(heard.mostAtOnce).toBeLessThanOrEqual(calls);
			ran = Math.max(ran, heard.ran);
		});
		await fc.assert(kept, { numRuns: RUNS });
		expect(ran).toBeGreaterThan(4);
	});

	it("is not overrun by calls of any kind, where it is said how many each may make", async () => {
		const reserve = ({ args }: { readonly args: unknown }) => ({
			calls: (args as { key: string }).key === "x" ? 4 : 2,
		});
		const kept = fc.asyncProperty(trees, most, fc.scheduler(), async (tree, calls, scheduler) => {
			const heard = await scheduler.waitFor(goThrough(budget({ run: { calls }, reserve }), tree, scheduler));
			expect(heard.mostAtOnce).toBeLessThanOrEqual(calls);
		});
		await fc.assert(kept, { numRuns: RUNS });
	});
});

describe("a run's memory", () => {
	it("LI1: takes what a call brought that was refused further down, and of a wave that was left, before the next one", () => {
		const memory = newMemory();
		const seen = (parts: Partial<PolicyView>): readonly Layer[] => memory.enter(viewOf(parts)).map(layerOf);
		seen({ index: 0, segment: 0 });
		memory.hold(viewOf({ index: 0 }), "refused");
		seen({ index: 0, lineage: [0, 0] });
		memory.accounted(viewOf({ index: 0, lineage: [0, 0] }), WELL, (state) => void state.push("=below"));
		expect(seen({ index: 1, segment: 0 })).toEqual([{ runs: ["refused"], ended: [] }]);
		expect(seen({ index: 2, segment: 2 })).toEqual([{ runs: [], ended: ["below"] }]);
		memory.hold(viewOf({ index: 2 }), "left");
		expect(seen({ index: 2, segment: 2 })).toEqual([{ runs: [], ended: ["below"] }]);
	});

	it("holds one thing for a call, and nothing for another form of it", () => {
		const memory = newMemory();
		memory.enter(viewOf());
		memory.hold(viewOf(), "one");
		expect(() => memory.hold(viewOf(), "another")).toThrow(/held for call 0 already/);
		expect(() => memory.hold(viewOf({ rewritten: true }), "another")).toThrow(TypeError);
	});

	it("shows a form that middleware made what the calls before it brought, those of its segment too", () => {
		const memory = newMemory();
		for (const index of [0, 1, 2]) memory.enter(viewOf({ index, segment: 0 }));
		memory.accounted(viewOf({ index: 0, segment: 0 }), WELL, (state) => void state.push("=first"));
		const again = (index: number) => memory.enter(viewOf({ index, segment: 0, rewritten: true })).map(layerOf);
		expect([again(0), again(1)]).toEqual([[{ runs: [], ended: [] }], [{ runs: [], ended: ["first"] }]]);
	});

	it("keeps nothing of a call that only a policy with nothing to remember saw", () => {
		const memory = newMemory();
		expect(memory.enterKnown(viewOf())).toEqual([]);
		memory.accounted(viewOf(), WELL);
		expect(memory.enterKnown(viewOf({ index: 1 }))).toEqual([]);
		memory.accounted(viewOf({ index: 1, lineage: [1, 0] }), WELL, (state) => void state.push("=below"));
		// The call that made it knew of nothing; the next one does.
		expect(memory.enterKnown(viewOf({ index: 1, lineage: [1, 1, 0] })).map(layerOf)).toEqual([
			{ runs: [], ended: [], maker: { held: undefined, beside: 1, sharing: 1, rank: 0 } },
			{ runs: [], ended: [], maker: { held: undefined, beside: 1, sharing: 1, rank: 0 } },
		]);
		memory.accounted(viewOf({ index: 1 }), WELL);
		expect(memory.enterKnown(viewOf({ index: 2 })).map(layerOf)).toEqual([{ runs: [], ended: ["below"] }]);
	});

	it("loses nothing of calls that were accounted and had not entered, wave after wave", () => {
		const memory = newMemory();
		for (const step of [0, 1, 2]) {
			for (const lineage of [[0, 0], [0, 1], [0], [1]]) {
				const view = viewOf({ step, index: lineage.at(-1) ?? 0, ...(lineage.length > 1 && { lineage }) });
				memory.accounted(view, WELL, (state) => void state.push(`=${placeIn(view)}`));
			}
		}
		const [seen] = memory.enter(viewOf({ step: 3 })).map(layerOf);
		expect([...(seen?.ended ?? [])].sort()).toEqual(
			["0", "1", "2"].flatMap((step) => ["0", "0.0", "0.1", "1"].map((place) => `${step}:${place}`)),
		);
	});

	it("loses nothing and breaks nothing where two waves of one run go on beside each other, their calls in any order", () => {
		const place = fc.record({ step: fc.nat(1), index: fc.nat(3), child: fc.option(fc.nat(1), { nil: undefined }) });
		const acts = fc.array(fc.tuple(fc.constantFrom("enter", "end"), place), { maxLength: 30 });
		fc.assert(
			fc.property(acts, (script) => {
				const memory = newMemory();
				const ended = new Set<string>();
				for (const [at, [act, { step, index, child }]] of script.entries()) {
					const view = viewOf({ step, index, segment: 0, ...(child !== undefined && { lineage: [index, child] }) });
					if (act === "enter") {
						memory.enter(view);
						continue;
					}
					memory.accounted(view, WELL, (state) => void state.push(`=${at}`));
					if (child === undefined) ended.add(String(at));
				}
				const seen = layerOf(memory.enter(viewOf({ step: 9 }))[0] ?? { state: [] });
				expect(new Set(seen.ended)).toEqual(new Set([...seen.ended, ...ended]));
				expect(new Set(seen.ended).size).toBe(seen.ended.length);
			}),
		);
	});

	it("is of each run by itself", () => {
		const memory = newMemory();
		memory.enter(viewOf());
		memory.accounted(viewOf(), WELL, (state) => void state.push("=one"));
		expect(memory.enter(viewOf({ runId: "other" })).map(layerOf)).toEqual([{ runs: [], ended: [] }]);
	});
});
