// At-once sabotages
//
// The faults by which calls that run at once are judged by more, or by less, than they may know of.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of what policies make of it (policy-sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const views = (title: string) => ({ file: "test/wave/policy-views.test.ts", title });
const turns = (title: string) => ({ file: "test/wave/admission-turns.test.ts", title });
const late = (title: string) => ({ file: "test/wave/asked-late.test.ts", title });
const atOnce = { file: "test/run/nested-at-once.test.ts", title: "leave the lines and the results of a serial run" };

export const AT_ONCE_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 2: policies are told the segment of a call",
		file: "engine/wave/admit-segment.ts",
		find: "if (isPreparing(wave.face)) wave.face.segmentBegins(segment.from);",
		replace: "",
		test: views("among the calls of one reply"),
	},
	{
		law: "Law 2: and of one that a call makes, among all that its maker made",
		file: "engine/admission/policy-view.ts",
		find: "segment: firstIndex + segment }",
		replace: "segment }",
		test: views("among calls that a call makes in turn"),
	},
	{
		law: "Law 2: policies are told what a maker had not been answered",
		file: "engine/wave/nested-calls.ts",
		find: ", ...(unanswered && { unanswered }) }",
		replace: " }",
		test: views("among calls that it makes at once"),
	},
	{
		law: "Law 4: as a property, where what a maker had not been answered is not told",
		file: "engine/wave/nested-calls.ts",
		find: ", ...(unanswered && { unanswered }) }",
		replace: " }",
		test: atOnce,
	},
	{
		law: "Law 2: a maker is answered once its call has ended",
		file: "engine/wave/made-in-order.ts",
		find: "for (const at of children.keys()) this.#open.remove(first + at);",
		replace: "",
		test: views("when the first of two was answered"),
	},
	{
		law: "Law 2: of a maker on a thread its own word counts",
		file: "engine/wave/made-in-order.ts",
		find: "if (onThread === undefined) return this.#open.snapshot();",
		replace: "if (onThread !== null) return this.#open.snapshot();",
		test: views("which may be less than the host has answered"),
	},
	{
		law: "Law 2: a tool on a thread says which calls it has no answer of",
		file: "workers/thread-context.ts",
		find: "this.#open.append(onThread.number, onThread.number);",
		replace: "",
		test: { file: "test/workers/thread-context.test.ts", title: "says with each call that the tool makes" },
	},
	{
		law: "Law 2: and that word comes to its host",
		file: "workers/host-link.ts",
		find: "return context[INVOKED_ON_THREAD]?.(call) ?? context.invokeTool(call.name, call.args);",
		replace: "return context.invokeTool(call.name, call.args);",
		test: { file: "test/workers/thread-context.test.ts", title: "says with each call that the tool makes" },
	},
	{
		law: "Law 2: calls of one maker come to admission in its order, whatever takes its time",
		file: "engine/wave/admit-segment.ts",
		find: "if (admissionTurn?.come !== undefined) await wave.unlessAborted(admissionTurn.come);",
		replace: "",
		test: turns("although an earlier policy takes its time"),
	},
	{
		law: "Law 4: as a property, where calls of one maker overtake each other",
		file: "engine/wave/admit-segment.ts",
		find: "if (admissionTurn?.come !== undefined) await wave.unlessAborted(admissionTurn.come);",
		replace: "",
		test: atOnce,
	},
	{
		law: "Law 2: turns of admission are those of one maker",
		file: "engine/wave/nested-calls.ts",
		find: "this.#turns.take(context.identity)",
		replace: "this.#turns.take(this)",
		test: turns("and wait for no call of another maker"),
	},
	{
		law: "Law 14: a turn of admission is over when the calls are admitted, not when they end",
		file: "engine/wave/admit-segment.ts",
		find: "	admissionTurn?.done();",
		replace: "",
		test: turns("nor for the end of an earlier one"),
	},
	{
		law: "Law 14: a turn of admission is over also where a call never comes to it",
		file: "engine/wave/nested-calls.ts",
		find: "			admissionTurn?.done();",
		replace: "",
		test: turns("goes on where the one before it pauses the run beforehand"),
	},
	{
		law: "Law 4: nobody is told after a pause of a call that no policy was asked about",
		file: "engine/wave/take-up.ts",
		find: "(record.ticket === true || !cameToNoPolicy(record.outcome))",
		replace: "record.outcome !== undefined",
		test: { file: "test/run/resumed-at-once.test.ts", title: "nobody is told of a call of an agent" },
	},
	{
		law: "Law 4: policies of another process hear of a stopped call that it was stopped",
		file: "engine/wave/take-up.ts",
		find: "stopOf(record.outcome) === undefined ? record.settled : undefined",
		replace: "record.settled",
		test: { file: "test/run/resumed-at-once.test.ts", title: "a read that ran and was stopped" },
	},
	{
		law: "RV1: policies of the next process know what an agent's calls have used",
		file: "engine/wave/nested-calls.ts",
		find: "if (made.length > 0 && isAnyNew(this.#parts, by)) await",
		replace: "if (made.length > 0 && !isAnyNew(this.#parts, by)) await",
		test: { file: "test/power-cut/recovered-loop.test.ts", title: "the rest lost" },
	},
	{
		law: "AK1: no further policy is asked about a call that was aborted",
		file: "engine/admission/ask-policies.ts",
		find: "if (over !== undefined) return { answered: over };",
		replace: "",
		test: late("a call of the reply"),
	},
	{
		law: "AK1: nor about one that was aborted by itself",
		file: "engine/wave/abort-call.ts",
		find: 'return halt?.kind === "aborted" || aborted !== undefined ? beforeDispatch() : undefined;',
		replace: 'return halt?.kind === "aborted" ? beforeDispatch() : undefined;',
		test: late("by itself, and the calls beside it go on"),
	},
	{
		law: "AK1: nor about another form of it",
		file: "engine/wave/call-forms.ts",
		find: "() => endOfAborted(wave, state)",
		replace: "() => undefined",
		test: late("in a form that middleware made"),
	},
	{
		law: "AK1: nor for its last word",
		file: "engine/admission/policy-begins.ts",
		find: "if (ended !== undefined) return ended;",
		replace: "",
		test: late("that is about to begin"),
	},
	{
		law: "AK1: nor where its admission was given up",
		file: "engine/wave/admit-segment.ts",
		find: "isGivenUp = true;",
		replace: "",
		test: late("nor where several together took longer"),
	},
	{
		law: "Law 2: a call that never comes to admission lets none pass those before it",
		file: "engine/wave/admission-turns.ts",
		find: "Promise.all([before, ended])",
		replace: "ended",
		test: turns("TN1: waits for all before it"),
	},
	{
		law: "NU1: numbers that are put in out of order are refused",
		file: "engine/core/number-ranges.ts",
		find: "end !== undefined && first <= end[1]",
		replace: "end === null",
		test: { file: "test/core/number-ranges.test.ts", title: "NU1: refuse" },
	},
	{
		law: "Law 14: an abort waits for no policy that judges another form",
		file: "engine/wave/call-forms.ts",
		find: "await wave.unlessAborted(admitting, state.index)",
		replace: "await admitting",
		test: late("in a form that middleware made"),
	},
];
