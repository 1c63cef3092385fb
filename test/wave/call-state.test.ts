// A call's states: only the drawn arrows can be taken.

import { describe, expect, it } from "vitest";
import { CallState, type Phase } from "../../engine/wave/call-state.js";
import { CallTimes } from "../../engine/wave/call-times.js";

const call = { id: "1", name: "read", args: {} };
const fresh = (): CallState<string> =>
	new CallState(
		{ index: 0, path: [0], call, meta: undefined, known: undefined, replayOf: undefined },
		new CallTimes(1),
	);

const PHASES: readonly Phase<string>[] = [
	{ kind: "planned" },
	{ kind: "cleared", ticket: "t" },
	{ kind: "running", ticket: "t", running: undefined as never },
	{ kind: "asking", admitted: { cleared: "t" } },
	{ kind: "settled" },
	{ kind: "accounted", replayOf: undefined },
];
const ARROWS = new Set([
	"planned→cleared",
	"planned→settled",
	"planned→asking",
	"cleared→asking",
	"running→asking",
	"asking→cleared",
	"asking→settled",
	"cleared→running",
	"cleared→settled",
	"running→settled",
	"settled→accounted",
]);
const WAYS: readonly (readonly string[])[] = [
	[],
	["cleared"],
	["cleared", "running"],
	["asking"],
	["settled"],
	["settled", "accounted"],
];

describe("a call's state", () => {
	it.each(WAYS.flatMap((way) => PHASES.map((to) => ({ way, to }))))(
		"K1: after $way the move to $to.kind is taken only along an arrow",
		({ way, to }) => {
			const state = fresh();
			for (const kind of way) state.move(PHASES.find((phase) => phase.kind === kind) ?? { kind: "planned" });
			const arrow = `${way.at(-1) ?? "planned"}→${to.kind}`;
			if (ARROWS.has(arrow)) {
				state.move(to);
				expect(state.phase).toBe(to);
			} else {
				expect(() => state.move(to)).toThrow(/K1/);
			}
		},
	);
});
