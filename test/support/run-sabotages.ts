// Run sabotages
//
// The faults that break what is promised of runs and of agents, one line each.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const run = (name: string, title: string) => ({ file: `test/run/${name}.test.ts`, title });

export const RUN_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 4: policies elsewhere are told of the calls that calls made",
		file: "engine/wave/take-up.ts",
		find: "if (record !== undefined) await tellMadeBy(wave, state, record);",
		replace: "",
		test: { file: "test/run/resumed-waves.test.ts", title: "know the taint that one of those brought in" },
	},
	{
		law: "Law 4: a recovery reads the calls that calls made",
		file: "engine/run/made-in-lines.ts",
		find: 'if (line?.kind !== "tool_called" || !isAt(line, depth)) continue;',
		replace: "continue;",
		test: { file: "test/run/resumed-nested.test.ts", title: "and after a crash behind any of its records" },
	},
	{
		law: "Law 4: a wave's checkpoint holds the waves before it",
		file: "engine/wave/wave.ts",
		find: "(hasPolicies ? await options.earlier?.() : undefined)",
		replace: "undefined",
		test: { file: "test/run/resumed-waves.test.ts", title: "know the taint of the waves before it" },
	},
	{
		law: "Law 2, OC2: what a call reserved stays while the calls that it makes run",
		file: "engine/policy/open-calls.ts",
		find: "		if (lineage !== undefined) {\n			// The call",
		replace: "		if (lineage === null) {\n			// The call",
		test: { file: "test/run/resumed-waves.test.ts", title: "answer nothing from memory while a call that changes" },
	},
	{
		law: "Law 10: keys that a call waits for while it runs are waiting",
		file: "engine/execution/running-call.ts",
		find: "this.#limits.away(isAway);",
		replace: "",
		test: {
			file: "test/laws/waiting-is-not-running.test.ts",
			title: "toolMs does not run while a call waits for keys",
		},
	},
	{
		law: "Law 13: a segment that a failure stopped was admitted whole, also where a crash came between",
		file: "engine/wave/admit-segment.ts",
		find: "&& !isStoppedWithin(wave, segment)) return",
		replace: ") return",
		test: { file: "test/run/resumed-nested.test.ts", title: "all of a segment that a failure stopped" },
	},
	{
		law: "Runs, RC2: steers are handed on in the order in which they came",
		file: "engine/run/run-control.ts",
		find: "const taken = this.#steers.splice(0, count);",
		replace: "const taken = this.#steers.splice(-count, count);",
		test: run("run-outside", "RC2: is written before the next call that is admitted"),
	},
	{
		law: "Runs, RC1: the first reason to halt stands",
		file: "engine/run/run-control.ts",
		find: "if (this.#halt !== undefined || this.#isOver) return;",
		replace: "if (this.#isOver) return;",
		test: run("run-outside", "RL3: while the model writes ends the run"),
	},
	{
		law: "Runs: a run that was steered goes on",
		file: "engine/run/run-loop.ts",
		find: 'return this.#takeSteers() ? undefined : { status: "done" };',
		replace: 'return { status: "done" };',
		test: run("run-outside", "that comes while the model writes a reply without calls"),
	},
	{
		law: "Runs: the limit of steps is a limit",
		file: "engine/run/run-loop.ts",
		find: "if (this.#steps >= maxSteps && !this.#stands)",
		replace: "if (this.#steps > maxSteps && !this.#stands)",
		test: run("run-ends", "at maxSteps after the whole step"),
	},
	{
		law: "Runs, RL2: calls stand in the conversation with their outcomes",
		file: "engine/run/run-loop.ts",
		find: "...replyMessages(reply, results), ...steers];",
		replace: "...replyMessages(reply, results).reverse(), ...steers];",
		test: run("run-model", "RL2, RL3: is at every rest what a serial model says"),
	},
	{
		law: "Runs: a steer comes after what was said before it",
		file: "engine/run/run-loop.ts",
		find: "this.#messages = [...this.#messages, ...steers.map((text): Message",
		replace: "this.#messages = [...steers.map((text): Message",
		test: run("run-model", "RL2, RL3: is at every rest what a serial model says"),
	},
	{
		law: "Runs, Law 5: a reply that failed is no reply",
		file: "engine/run/read-reply.ts",
		find: "if (good === true) {",
		replace: 'if (good === true || cut === "failed") {',
		test: run("run-ends", "Law 5: a reply that failed runs none of its calls"),
	},
	{
		law: "Runs, RR1: a silent model does not hold a run for ever",
		file: "engine/run/read-reply.ts",
		find: "if (leftMs > 0) this.#watchSilence(leftMs);",
		replace: "if (leftMs > -1) this.#watchSilence(MODEL_SILENCE_MS_MAX);",
		test: run("run-ends", "RR1: as failed where the model is silent"),
	},
	{
		law: "Runs, LE1: a slow watcher costs a bounded buffer",
		file: "engine/run/live-events.ts",
		find: "if (this.#held.length <= RUN_EVENTS_MAX) return;",
		replace: "if (this.#held.length > 0) return;",
		test: run("run-outside", "LE1: that a slow watcher does not take"),
	},
	{
		law: "Runs, LE2: the last watcher takes the subscription with it",
		file: "engine/run/live-events.ts",
		find: "this.#unsubscribe?.();",
		replace: "",
		test: run("run-outside", "LE2: are listened to only while somebody iterates"),
	},
	{
		law: "Runs: the time before a pause counts",
		file: "engine/run/run-control.ts",
		find: "Math.max(0, totalMs - spentMs)",
		replace: "totalMs",
		test: run("run-resume", "keeps how its calls ran, its limits"),
	},
	{
		law: "Runs: a steer that is written nowhere survives a pause",
		file: "engine/run/runs.ts",
		find: "for (const text of steers) control.steer(text);",
		replace: "",
		test: run("run-resume", "keeps a steer that came before the pause"),
	},
	{
		law: "Runs: the conversation is sealed with the wave",
		file: "engine/run/run-checkpoint.ts",
		find: "messages: messages.map(messageRecord),",
		replace: "messages: messages.slice(1).map(messageRecord),",
		test: run("run-resume", "in other processes has the ledger and the result"),
	},
	{
		law: "Aborts of single calls: what gets the slot starts where the run does",
		file: "engine/wave/start-call.ts",
		find: "else wave.place.runInAsyncScope(ended, undefined, ending);",
		replace: "else ended(ending);",
		test: { file: "test/run/abort-call.test.ts", title: "starts what gets its slot where the run was started" },
	},
	{
		law: "Runs, AC1: a call that was aborted by itself does not begin",
		file: "engine/wave/execute-segment.ts",
		find: "if (state.aborted !== undefined) {",
		replace: "if (state.aborted === null) {",
		test: run("abort-call", "AC1: that is not admitted, or waits for its slot"),
	},
	{
		law: "Runs: the abort of a call does not wait for its keys",
		file: "engine/wave/call-keys.ts",
		find: "wave.unlessAborted(workedOut(call, working), index)",
		replace: "wave.unlessAborted(workedOut(call, working))",
		test: run("abort-call", "AC1: that works out its keys is answered at once"),
	},
	{
		law: "Runs: the abort of a call survives a pause",
		file: "engine/wave/take-up.ts",
		find: "if (record.aborted !== undefined) state.aborted =",
		replace: "if (record.aborted === null) state.aborted =",
		test: run("abort-call", "that waits for an approval asks nobody, and is remembered"),
	},
	{
		law: "Agents, AG1: a model is not asked again after a question",
		file: "engine/wave/nested-run.ts",
		find: "if (context.hasAsked) context.memory.replies = replies;",
		replace: "",
		test: run("agent-tool", "AG1: travels up and its answer down"),
	},
	{
		law: "Agents, Law 4: the lines of calls that had ended stand after a question as before it",
		file: "engine/wave/nested-calls.ts",
		find: "leading.lines = (leading.remembered?.lines ?? NO_LINES)",
		replace: "leading.lines = (leading.remembered?.lines.slice(1) ?? NO_LINES)",
		test: run("same-lines", "Law 4: reads the same under every schedule"),
	},
	{
		law: "Agents: a model calls what it is offered and nothing else",
		file: "engine/wave/nested-calls.ts",
		find: "firstIndex: first }, by?.offered);",
		replace: "firstIndex: first });",
		test: run("agent-tool", "is told of the tools it is offered and can call no other"),
	},
	{
		law: "Agents, Law 5: the calls of a reply that was cut do not run",
		file: "engine/wave/nested-calls.ts",
		find: "by?.cut === undefined || !isPreparing(own)",
		replace: "by?.cut !== undefined || !isPreparing(own)",
		test: run("agent-tool", "reads that the calls of a reply that was cut did not run"),
	},
	{
		law: "Tools: a model is told what it may send, not what the tool gets",
		file: "engine/run/describe-tools.ts",
		find: 'io: "input"',
		replace: 'io: "output"',
		test: run("describe-tools", "its name, its description, and the JSON Schema"),
	},
];
