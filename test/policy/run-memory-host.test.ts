// What a policy of a host's own remembers runs in, where the host makes a mistake: it is told of it at the call that it is
// made with, and nothing of other calls is lost.

import { describe, expect, it, vi } from "vitest";
import { answered } from "../../engine/core/outcome.js";
import { type PolicyView, type RunMemory, type RunMemoryParts, runMemory } from "../../engine/index.js";
import { viewOf } from "./policy-kit.js";

const WELL = answered(1);
type Memory = RunMemory<string[], string>;

const PARTS: RunMemoryParts<string[], string> = {
	make: () => [],
	absorb: (into, from) => void into.push(...from),
	hold: (state, held) => void state.push(held),
	letGo: (state, held) => void state.splice(state.indexOf(held), 1),
	wave: (state) => void state.push("wave"),
};
const bring = (what: string) => (state: string[]) => state.push(what);
const newMemory = (parts: Partial<RunMemoryParts<string[], string>> = {}): Memory => runMemory({ ...PARTS, ...parts });
const seenBy = (memory: Memory, view: PolicyView): readonly string[][] =>
	memory.enter(view).map(({ state }) => [...state]);

/** What `runMemory` tries of `make` is as it is to be. */
function madeLate(promise: () => never): () => string[] {
	let tries = 2;
	return () => {
		tries -= 1;
		return tries >= 0 ? [] : promise();
	};
}

describe("what `make` gives", () => {
	const shared: string[] = [];
	it.each<[string, () => unknown, string]>([
		["nothing", () => undefined, "make gives undefined"],
		["null", () => null, "make gives null"],
		["a number", () => 0, "make gives 0"],
		["a text", () => "", 'make gives ""'],
		["the same object again", () => shared, "the same object again"],
		["a promise", () => Promise.reject(new Error("late")), "make gives a promise"],
	])("is refused where it is %s", (_name, make, problem) => {
		expect(() => newMemory({ make: make as () => string[] })).toThrow(
			expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(problem) }),
		);
	});
});

describe("a mistake is told of where it is made", () => {
	const view = viewOf();
	// Each is what a host's policy may well do, written without types.
	it.each<[string, (memory: never) => unknown, RegExp]>([
		["the call in the place of the view", (m: Memory) => m.enter({ name: "read", args: {} } as never), /`enter` takes/],
		["nothing in the place of the view", (m: Memory) => m.enter(undefined as never), /`enter` takes/],
		["the same where little is known", (m: Memory) => m.enterKnown({} as never), /`enterKnown` takes/],
		["the same where something is held", (m: Memory) => m.hold("x" as never, "held"), /`hold` takes/],
		["no outcome", (m: Memory) => m.accounted(view, bring("x") as never), /the outcome is \[Function/],
		["no outcome at all", (m: Memory) => m.accounted(view, undefined as never), /the outcome is undefined/],
		["a view that is none", (m: Memory) => m.accounted(null as never, WELL), /`accounted` takes/],
		["a change that is none", (m: Memory) => m.accounted(view, WELL, "x" as never), /The change is "x"/],
		["holding nothing", (m: Memory) => [m.enter(view), m.hold(view, undefined as never)], /undefined/],
		["holding before the call entered", (m: Memory) => m.hold(view, "held"), /has not entered/],
		[
			"holding for a call that most runs have not",
			(m: Memory) => [m.enterKnown(view), m.hold(view, "held")],
			/not entered/,
		],
		[
			"holding for a call that has not entered, though calls that it made have",
			(m: Memory) => [m.enter(viewOf({ lineage: [0, 0] })), m.hold(view, "held")],
			/not entered/,
		],
		[
			"holding twice",
			(m: Memory) => [m.enter(view), m.hold(view, "one"), m.hold(view, "two")],
			/held for call 0 already/,
		],
	])("%s", (_name, mistake, said) => {
		const memory = newMemory();
		expect(() => mistake(memory as never)).toThrow(TypeError);
		expect(() => mistake(newMemory() as never)).toThrow(said);
		// The memory is as good as before.
		memory.enter(viewOf({ step: 1 }));
		memory.hold(viewOf({ step: 1 }), "held");
		memory.accounted(viewOf({ step: 1 }), WELL, bring("brought"));
		expect(seenBy(memory, viewOf({ step: 2 }))[0]).toContain("brought");
	});
});

describe("a call that is accounted twice", () => {
	it("is told of, and what is held for those beside it stays", () => {
		const memory = newMemory();
		const [one, other] = [viewOf({ segment: 0 }), viewOf({ index: 1, segment: 0 })];
		for (const view of [one, other]) {
			memory.enter(view);
			memory.hold(view, `held for ${view.index}`);
		}
		memory.accounted(one, WELL, bring("brought"));
		expect(() => memory.accounted(one, WELL, bring("brought"))).toThrow(/accounted already/);
		expect(seenBy(memory, other)).toEqual([["wave", "held for 0", "held for 1"]]);
		memory.accounted(other, WELL);
		expect(seenBy(memory, viewOf({ step: 1 }))).toEqual([["wave", "brought", "wave"]]);
	});
});

describe("a call that enters again", () => {
	it("says the same again to a call that enters again, in the run and below it", () => {
		const memory = newMemory();
		const first = viewOf();
		expect(seenBy(memory, first)).toEqual([["wave"]]);
		memory.hold(first, "held");
		expect(seenBy(memory, first)).toEqual([["wave", "held"]]);
		expect(memory.enterKnown(first).map(({ state }) => [...state])).toEqual([["wave", "held"]]);
		const below = viewOf({ lineage: [0, 0] });
		memory.enter(below);
		memory.hold(below, "held below");
		expect(seenBy(memory, below)).toEqual([["wave", "held"], ["held below"]]);
		memory.accounted(below, WELL);
		memory.accounted(first, WELL);
		// Another wave at the same place has a view of its own.
		expect(seenBy(memory, viewOf())).toEqual([["wave", "wave"]]);
	});

	it("says that nothing is known any more where the run was forgotten meanwhile", () => {
		const memory = newMemory({ runsMax: 1 });
		const view = viewOf();
		memory.enter(view);
		memory.enter(viewOf({ runId: "another" }));
		expect(memory.enter(view)).toEqual([]);
		expect(() => memory.hold(view, "held")).toThrow(/was forgotten/);
	});
});

describe("a part or a change that throws", () => {
	it("a change that throws says whose it is, is lost, and takes no other with it", () => {
		const memory = newMemory();
		const cause = new Error("out of order");
		const views = [0, 1, 2, 3].map((index) => viewOf({ step: 4, index, segment: 0 }));
		for (const view of views) memory.enter(view);
		// The last is not accounted, and so the others wait for the call that comes next.
		for (const [at, view] of views.slice(0, 3).entries())
			memory.accounted(view, WELL, (state) => {
				if (at === 1) throw cause;
				state.push(String(at));
			});
		const enter = () => memory.enter(viewOf({ step: 5 }));
		expect(enter).toThrow(
			expect.objectContaining({ cause, message: expect.stringMatching(/call 1 of step 4 .*out of order/) }),
		);
		expect(seenBy(memory, viewOf({ step: 5 }))).toEqual([["wave", "0", "2", "wave"]]);
	});

	it("a change that throws fails one call, however many see what was put together without it", () => {
		const memory = newMemory();
		const below = (index: number) =>
			viewOf({ lineage: [0, index], segment: index, ...(index > 0 && { unanswered: [[0, 0]] as const }) });
		memory.enter(viewOf());
		memory.enter(below(0));
		const failed: number[] = [];
		// The first goes on, so what the others bring is put on top of the state for each that comes.
		for (let index = 1; index < 40; index += 1) {
			try {
				memory.enter(below(index));
			} catch {
				failed.push(index);
			}
			memory.accounted(below(index), WELL, () => {
				if (index === 3) throw new Error("out of order");
			});
		}
		memory.accounted(below(0), WELL);
		memory.accounted(viewOf(), WELL);
		expect(failed).toEqual([4]);
	});

	it.each<[string, (late: () => never) => Partial<RunMemoryParts<string[], string>>]>([
		["make", (late) => ({ make: madeLate(late) })],
		["absorb", (absorb) => ({ absorb })],
		["hold", (hold) => ({ hold })],
		["letGo", (letGo) => ({ letGo })],
		["shares", (shares) => ({ shares })],
		["wave", (wave) => ({ wave })],
		["the change", () => ({})],
	])("a promise of %s is told of, and heard out", (name, parts) => {
		const promise = new Promise<never>(() => undefined);
		const hearing = vi.spyOn(promise, "then");
		const late = () => promise as never;
		const memory = newMemory(parts(late));
		const steps = (): void => {
			memory.enter(viewOf());
			memory.hold(viewOf(), "held");
			memory.enter(viewOf({ lineage: [0, 0] }));
			memory.accounted(viewOf({ lineage: [0, 0] }), WELL, bring("below"));
			memory.accounted(viewOf(), WELL, name === "the change" ? late : bring("itself"));
		};
		expect(steps).toThrow(`${name} gave a promise`);
		// A rejection that nobody hears ends the process.
		expect(hearing).toHaveBeenCalledWith(undefined, expect.any(Function));
	});

	it("what a call itself brought is put in though what its calls brought cannot be", () => {
		let isBroken = true;
		const memory = newMemory({
			absorb: (into, from) => {
				if (isBroken) throw new Error("cannot be put in");
				into.push(...from);
			},
		});
		memory.enter(viewOf());
		memory.enter(viewOf({ lineage: [0, 0] }));
		memory.accounted(viewOf({ lineage: [0, 0] }), WELL, bring("below"));
		expect(() => memory.accounted(viewOf(), WELL, bring("itself"))).toThrow("cannot be put in");
		isBroken = false;
		expect(seenBy(memory, viewOf({ step: 1 }))).toEqual([["wave", "itself", "wave"]]);
	});
});
