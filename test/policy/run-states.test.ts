// What a policy remembers of its runs is bounded, and the run that is in use is not the one forgotten.

import { describe, expect, it } from "vitest";
import { RunStates } from "../../engine/policy/run-states.js";

describe("the states of runs", () => {
	it("RS1: are of no more runs than were asked for, and the one touched least recently is forgotten", () => {
		let made = 0;
		const states = new RunStates(() => ({ number: made++ }), 3);
		for (const run of ["a", "b", "c"]) states.of(run);
		expect(states.known("a")).toEqual({ number: 0 });
		states.of("d");
		expect(["a", "b", "c", "d"].map((run) => states.known(run)?.number)).toEqual([0, undefined, 2, 3]);
	});

	it("are made for a run that is to have one, and not for one that is only asked about", () => {
		const states = new RunStates(() => ({}));
		expect(states.known("a")).toBeUndefined();
		expect(states.of("a")).toBe(states.of("a"));
		expect(states.known("a")).toBe(states.of("a"));
	});
});
