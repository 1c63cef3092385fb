// What a policy holds between a call's admission and its accounting, and when it lets go of what nobody will account.

import { describe, expect, it } from "vitest";
import { OpenCalls } from "../../engine/policy/open-calls.js";
import { viewOf } from "./policy-kit.js";

function opened(...indexes: number[]) {
	const letGo: string[] = [];
	const calls = new OpenCalls<string>((held) => letGo.push(held));
	for (const index of indexes) {
		calls.enter(viewOf({ index }));
		calls.hold({ index }, `call ${index}`);
	}
	return { calls, letGo };
}

describe("open calls", () => {
	it("are let go when they are accounted, with those before them, each once", () => {
		const { calls, letGo } = opened(0, 1, 3);
		const settle = (index: number) => calls.settle({ index });
		expect([settle(1), settle(1), settle(2)]).toEqual(["call 1", undefined, undefined]);
		expect([letGo, calls.size]).toEqual([["call 0", "call 1"], 1]);
		expect(settle(3)).toBe("call 3");
		expect([letGo, calls.size]).toEqual([["call 0", "call 1", "call 3"], 0]);
	});

	it.each([
		["another step", { step: 1, index: 5 }],
		["a lower index", { index: 0 }],
		["the same index again", { index: 1 }],
	])("are all let go when a wave begins, which %s says", (_what, next) => {
		const { calls, letGo } = opened(0, 1);
		expect(calls.enter(viewOf(next))).toBe(true);
		expect([letGo, calls.size]).toEqual([["call 0", "call 1"], 0]);
		expect(calls.enter(viewOf({ ...next, index: 6 }))).toBe(false);
	});

	it("OC2: of calls that a call made go with it, in whatever order they are accounted, and begin no wave", () => {
		const { calls, letGo } = opened(0, 1);
		const nested = (...lineage: number[]) => viewOf({ index: 0, lineage });
		for (const lineage of [
			[0, 0],
			[0, 1],
			[0, 1, 0],
			[1, 0],
		]) {
			expect(calls.enter(nested(...lineage))).toBe(false);
			calls.hold(nested(...lineage), `call ${lineage}`);
		}
		expect([calls.settle(nested(0, 1)), letGo]).toEqual(["call 0,1", ["call 0,1", "call 0,1,0"]]);
		calls.settle({ index: 0 });
		expect([letGo.slice(2), calls.size]).toEqual([["call 0", "call 0,0"], 2]);
		// The call that makes it has begun anew.
		calls.enter(nested(1, 0));
		expect([letGo.at(-1), calls.size]).toEqual(["call 1,0", 1]);
	});

	it("OC1: come in call order", () => {
		const { calls } = opened(0, 3);
		expect(() => calls.hold({ index: 3 }, "again")).toThrow(/OC1/);
	});
});
