// Nesting sabotages
//
// The faults that break a law for calls that calls make: that they come to an end, and that nothing of them is lost.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const laws = (name: string, title: string) => ({ file: `test/laws/${name}.test.ts`, title });

export const NESTING_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 1: calls that nobody waits for have their outcome and their lines",
		file: "engine/execution/running-call.ts",
		find: "if (quiet === undefined) this.#endQuiet(outcome);",
		replace: "if (quiet !== null) this.#endQuiet(outcome);",
		test: { file: "test/wave/nested-ends.test.ts", title: "C3: run to their end before it settles" },
	},
	{
		law: "Law 1: also those of a call that was cut short",
		file: "engine/wave/start-call.ts",
		find: "return quiet === undefined ? settle(starting, running) : quiet.then(() => settle(starting, running));",
		replace: "return settle(starting, running);",
		test: { file: "test/wave/nested-ends.test.ts", title: "are stopped by an abort, and have their lines" },
	},
	{
		law: "Law 1: also those of a call whose middleware did not wait for it",
		file: "engine/wave/wrapping.ts",
		find: "if (quiet === undefined) this.#leave(outcome, resolve);",
		replace: "if (quiet !== null) this.#leave(outcome, resolve);",
		test: { file: "test/wave/nested-ends.test.ts", title: "are stopped where its middleware answers before it" },
	},
	{
		law: "Law 10: waiting for keys while it runs is not running",
		file: "engine/execution/call-context.ts",
		find: "onAway: (isAway) => this.running?.away(isAway),",
		replace: "onAway: () => undefined,",
		test: laws("writes-and-time", "a wait for keys that it takes while it runs"),
	},
	{
		law: "Law 15: who waits for keys has no slot, however deep below it the wait is",
		file: "engine/execution/call-slot.ts",
		find: 'if (this.#phase === "held" && !this.#isWanted) this.#giveBack();',
		replace: 'if (this.#phase === "gone" && !this.#isWanted) this.#giveBack();',
		test: laws("no-deadlock", "when the call that has the only slot waits for a key through a nested call"),
	},
	{
		law: "Law 15: as a property, over calls that make calls",
		file: "engine/execution/call-context.ts",
		find: "if (this.#slots !== undefined) queueMicrotask(",
		replace: "if (this.#slots === undefined) queueMicrotask(",
		test: laws("no-deadlock", "whatever calls take, make, wait for or do not"),
	},
	{
		law: "a call has a slot again before it goes on",
		file: "engine/execution/call-slot.ts",
		find: "if (!this.#mayGoOn) await",
		replace: "if (this.#borrowers < 0) await",
		test: laws("no-deadlock", "and the call has a slot again before it goes on from keys"),
	},
	{
		law: "a nested call runs with its parent's slot",
		file: "engine/wave/nested-calls.ts",
		find: "slots: context.slot && new LentSlots(context.slot, options.maxParallelToolCalls),",
		replace: "slots: undefined,",
		test: laws("no-deadlock", "and the call has a slot again before it goes on from a nested call"),
	},
];
