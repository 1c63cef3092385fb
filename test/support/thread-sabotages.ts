// Thread sabotages
//
// Faults of what a call on a thread holds and of who may have a thread, each of which must turn its own test red.
//
// Owns:      those faults.
// Does not:  apply them (sabotage.ts).

import type { Sabotage } from "./sabotages.js";

export const THREAD_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 9: a call that was answered keeps its slot until its thread is done with it",
		file: "engine/wave/start-call.ts",
		find: "if (!running.takesRoom) return;",
		replace: "if (running.takesRoom || running.answer) return;",
		test: { file: "test/wave/slots-outlive-answers.test.ts", title: "waits for the end of work that a stop ends" },
	},
	{
		law: "J3: a flood of one tool's calls costs another tool's call one turn",
		file: "workers/waiting-line.ts",
		find: "if (this.#turns.length === 1) return;",
		replace: "if (this.#turns.length > 0) return;",
		test: { file: "test/workers/lanes.test.ts", title: "costs another tool's call one turn" },
	},
	{
		law: "a thread whose call waits is lent to other tools alone",
		file: "workers/room-for-calls.ts",
		find: "return (this.#ofLane?.get(lane) ?? 0) < this.#limits.threadsMax;",
		replace: "return lane !== undefined;",
		test: { file: "test/workers/lanes.test.ts", title: "lends nothing to its own tool" },
	},
];
