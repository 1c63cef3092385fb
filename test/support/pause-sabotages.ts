// Pause sabotages
//
// The faults that break what is promised of questions, approvals, pauses and checkpoints, one line each.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const pause = (name: string, title: string) => ({ file: `test/pause/${name}.test.ts`, title });

export const PAUSE_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Questions: one that is registered wins over what the tool makes of it",
		file: "engine/execution/running-call.ts",
		find: 'if (this.#parts.context.hasAsked && this.#phase.kind !== "answered") this.#endAsked(outcome);',
		replace: "if (this.#parts.context.hasAsked && !outcome.ok) this.#endAsked(outcome);",
		test: pause("questions", "C5: has asked also where the tool swallows the pause"),
	},
	{
		law: "Questions: a call that has asked does nothing more",
		file: "engine/execution/call-context.ts",
		find: "if (this.#hasAsked) throw new CallPaused();",
		replace: "",
		test: pause("questions", "CC2: may take no keys and call nothing"),
	},
	{
		law: "Questions: a pause is recognised behind a cause",
		file: "engine/core/pause.ts",
		find: "if (cause !== undefined && isPauseWithin(cause, depth - 1)) return true;",
		replace: "",
		test: pause("questions", "C5: has asked also where the tool swallows the pause"),
	},
	{
		law: "Questions: no call starts after one, but those that start beside it",
		file: "engine/wave/execute-segment.ts",
		find: "(wave.nested.hasAsked && next >= stopsAt)",
		replace: "(wave.nested.hasAsked && next < 0)",
		test: pause("questions", "starts what would have started beside the call that asks"),
	},
	{
		law: "Questions: a call runs again only with all its answers",
		file: "engine/wave/pending.ts",
		find: "for (const _number in memory.questions) return true;",
		replace: "for (const _number in memory.questions) return Object.keys(memory.answers).length === 0;",
		test: pause("questions", "that asks several things at once"),
	},
	{
		law: "Law 11: the keys go back while a person is asked",
		file: "engine/execution/running-call.ts",
		find: '		context.end();\n		this.#onEnd?.();\n		this.#onAnswer?.(ASKED, "work");',
		replace: '		context.end();\n		this.#onAnswer?.(ASKED, "work");',
		test: pause("questions", "Law 11, T3: holds no key, no slot"),
	},
	{
		law: "Resume: a call that had settled does not run again",
		file: "engine/wave/take-up.ts",
		find: 'if (record.kind === "settled") {',
		replace: 'if (record.kind === "settled" && state.index < 0) {',
		test: pause("same-as-unbroken", "TU1, PQ1: under every schedule"),
	},
	{
		law: "Resume: policies elsewhere hear what the others knew",
		file: "engine/admission/policy-catch-up.ts",
		find: "policies.filter((policy) => !known.has(nameOfPolicy(policy)))",
		replace: "policies.filter((policy) => known.has(nameOfPolicy(policy)))",
		test: pause("same-as-unbroken", "TU1, PQ1: under every schedule"),
	},
	{
		law: "Approvals: what runs before an undecided call is accounted only when it is decided",
		file: "engine/accounting/account.ts",
		find: "while (!this.#failed && !this.#held) {",
		replace: "while (!this.#failed) {",
		test: pause("same-as-unbroken", "TU1, PQ1: under every schedule"),
	},
	{
		law: "Approvals: no call runs without its own",
		file: "engine/wave/approvals.ts",
		find: 'return read.answer.approve ? "approved" : declined(read.answer.reason);',
		replace: 'return "approved";',
		test: pause("approvals", "AP1: never runs declined"),
	},
	{
		law: "Approvals: a check that fails means yes",
		file: "engine/core/tool.ts",
		find: "return needs !== false;",
		replace: "return needs === true;",
		test: pause("approvals", "AP1: never runs declined"),
	},
	{
		law: "Approvals: a declined call holds nobody back",
		file: "engine/wave/ask-beforehand.ts",
		find: "if (isDecided) state.decided = decidedBeforehand(wave, state);",
		replace: "void isDecided;",
		test: pause("approvals", "never holds the others back once it is declined"),
	},
	{
		law: "Approvals: an always covers what is queued",
		file: "engine/run/resume.ts",
		find: "const rest = open.filter(({ id }) => !given.has(id));",
		replace: "const rest = open.filter(({ id }) => given.has(id));",
		test: pause("approvals", "is not asked about again in the run"),
	},
	{
		law: "Approvals: memory answers nobody past one",
		file: "engine/wave/approvals.ts",
		find: 'if ("answered" in admitted && isRefusal(admitted.answered)) return admitted.answered;',
		replace: 'if ("answered" in admitted) return admitted.answered;',
		test: pause("approvals", "does not let what another policy remembers past an approval"),
	},
	{
		law: "Asker: one question at a time",
		file: "engine/run/interrupts.ts",
		find: "		this.#last = said;",
		replace: "",
		test: pause("asker", "QU1, IR1: is given one question at a time"),
	},
	{
		law: "Asker: silence is no refusal",
		file: "engine/run/interrupts.ts",
		find: 'if (said === undefined) return { unanswered: "the asker gave no answer" };',
		replace: "if (said === undefined) return { answer: false };",
		test: pause("asker", "IR2: that says nothing in its time"),
	},
	{
		law: "Checkpoint: what was changed is refused",
		file: "engine/ledger/checkpoint.ts",
		find: "if (digestOf(sealed) !== digest)",
		replace: "if (digest === undefined)",
		test: pause("checkpoint", "CH1: that is wrong, foreign"),
	},
	{
		law: "Checkpoint: a wrong answer takes none",
		file: "engine/run/resume.ts",
		find: "const given = checked(answers, open, before);",
		replace: "const given = new Map(Object.entries(answers));",
		test: pause("checkpoint", "RM1: takes no answer at all"),
	},
	{
		law: "Nested: what had ended is answered from memory",
		file: "engine/wave/nested-calls.ts",
		find: "const remembered = isKnown ? recalled[place] : undefined;",
		replace: "const remembered = isKnown ? undefined : recalled[place];",
		test: pause("nested", "NC3: travels up and its answer down"),
	},
	{
		law: "Nested: a parent that asks waits for the calls it made",
		file: "engine/execution/made-calls.ts",
		find: "if (this.isQuiet) return undefined;",
		replace: "if (this.#underWay >= 0) return undefined;",
		test: pause("nested", "waits for the calls beside it"),
	},
	{
		law: "Checkpoints, RM2: nothing is approved twice",
		file: "engine/run/resume.ts",
		find: "for (const id of answeredNow) telling.answeredBefore.add(id);",
		replace: "",
		test: pause("checkpoint", "RM2: approves nothing twice"),
	},
	{
		law: "Checkpoints: answers whose lines the ledger refused may come again",
		file: "engine/run/resume.ts",
		find: "	ledger.append(lines);\n",
		replace: "	for (const id of answeredNow) telling.answeredBefore.add(id);\n	ledger.append(lines);\n",
		test: pause("checkpoint", "takes the same answers again where the ledger could not take them"),
	},
	{
		law: "PQ1: a call in another one's place asks under ids of its own",
		file: "engine/wave/made-calls.ts",
		find: "return (before.turn ?? 0) + (isRemembered ? 0 : 1);",
		replace: "return before.turn ?? 0;",
		test: pause("nested", "PQ1: of a call in another one's place has an id of its own"),
	},
	{
		law: "PQ1: what was said to a call is not said to the one in its place",
		file: "engine/run/recollection.ts",
		find: "return place === asked ? memory : undefined;",
		replace: "return memory;",
		test: pause("nested", "PQ1: of a call in another one's place has an id of its own"),
	},
];
