// Thread sabotages
//
// Faults of what calls hold, keys as well as threads, and of what is told of a thread's end, each of which must turn its own test red.
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
	{
		law: "a failure on a thread is told to a call or as a stray error",
		file: "workers/host-thread.ts",
		find: "returned.length === had) this.#parts.watch.stray",
		replace: "had === 0) this.#parts.watch.stray",
		test: { file: "test/workers/left-behind.test.ts", title: "a failure that fell on no call is told" },
	},
	{
		law: "Law 14: a thread that cannot be made leaves no port",
		file: "workers/host-thread.ts",
		find: "			this.#port.close();\n			throw error;",
		replace: "			throw error;",
		test: { file: "test/workers/dispatcher.test.ts", title: "leave no port open" },
	},
	{
		law: "Law 15: a nested call goes before nobody but who waits for its lineage, its own branches least of all",
		file: "engine/locks/lock-table.ts",
		find: "if (before !== undefined && place.exclusive) meeting.bringForward",
		replace: "if (before === place) meeting.bringForward",
		test: { file: "test/locks/lineage.test.ts", title: "goes before those who wait for the call" },
	},
	{
		law: "an aborted wait is granted nothing",
		file: "engine/locks/lock-table.ts",
		find: " || hold.wait?.isAborted === true",
		replace: "",
		test: { file: "test/locks/keyed-lock.test.ts", title: "lets none of those through that wait on one signal" },
	},
	{
		law: "J7: the fewest threads are there again, also where one never served",
		file: "workers/dispatcher.ts",
		find: " || this.#threads.length < this.#parts.threadsMin)",
		replace: ")",
		test: { file: "test/workers/dispatcher.test.ts", title: "J7: of the fewest are replaced" },
	},
	{
		law: "HE1: a host's executor that rejects costs its one call",
		file: "engine/execution/host-executor.ts",
		find: "Promise.resolve(ended).then(checked, lost).then(end)",
		replace: "Promise.resolve(ended).then(checked).then(end)",
		test: { file: "test/execution/host-executor.test.ts", title: "HE1: loses the one call where it rejects" },
	},
	{
		law: "HE2: a value comes only of work that has begun",
		file: "engine/execution/host-executor.ts",
		find: "if (outcome.ok) onBegan();",
		replace: "",
		test: { file: "test/execution/host-executor.test.ts", title: "HE2: takes a value for a beginning" },
	},
];
