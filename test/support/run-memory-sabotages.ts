// Run memory sabotages
//
// The faults by which a call is judged by what it must not know of, or a budget is not kept.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts).

import type { Sabotage } from "./sabotages.js";

const policy = (name: string, title: string) => ({ file: `test/policy/${name}.test.ts`, title });
const memory = (title: string) => policy("run-memory", title);
const hostMemory = (title: string) => policy("run-memory-host", title);
const longLines = (title: string) => policy("long-lines", title);
const hostCode = (title: string) => policy("budget-host-code", title);
const refusals = (title: string) => policy("budget-refusals", title);

export const RUN_MEMORY_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 2: a call that a call makes knows nothing that its maker had not been answered",
		file: "engine/policy/run-past.ts",
		find: " && (unanswered === undefined || !isInRanges(unanswered, index))",
		replace: "",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 2: a call that a call makes knows nothing of others of its segment",
		file: "engine/policy/run-past.ts",
		find: "return index < segment &&",
		replace: "return index !== segment &&",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 2: what one chain of a call brought is not seen by another",
		file: "engine/policy/run-line-states.ts",
		find: " || !running.every((other) => isKnown(other, index))",
		replace: "",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 2: what is held for calls of a later chain is not seen by an earlier one",
		file: "engine/policy/run-line-states.ts",
		find: "if (!(hasLater && letGo !== undefined) && ",
		replace: "if (!(hasLater && letGo === undefined) && ",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 4, LI1: what calls brought enters in call order, whoever came first",
		file: "engine/policy/run-line-states.ts",
		find: "		else this.#isInOrder = false;",
		replace: "",
		test: memory("by a taint"),
	},
	{
		law: "Law 4: a line that was made late is not closed while calls of it run",
		file: "engine/policy/run-line.ts",
		find: " && this.#at.segment !== UNSEEN",
		replace: "",
		test: memory("by a taint"),
	},
	{
		law: "Law 4: a maker that is older than its line knows nothing of it",
		file: "engine/policy/run-line.ts",
		find: "return isOlder ? this.#parts.make() : this.state;",
		replace: "return this.state;",
		test: memory("by a taint"),
	},
	{
		law: "TA: a label closes effects while another wave of the run goes on beside",
		file: "engine/policy/run-line.ts",
		find: "const isOlder = this.#isNested ||",
		replace: "const isOlder = true ||",
		test: policy("taint", "while another wave of its run goes on"),
	},
	{
		law: "TA: a wave of the same step knows what the one before it brought",
		file: "engine/policy/run-line.ts",
		find: " || segment <= this.#accounted",
		replace: "",
		test: policy("taint", "in the next wave also where that has the same step"),
	},
	{
		law: "Law 4: what the calls of a stopped call brought does not enter",
		file: "engine/policy/run-lines.ts",
		find: 'isStopped(outcome) ? "discarded" : change',
		replace: "isStopped(outcome) ? undefined : change",
		test: memory("by a taint"),
	},
	{
		law: "Law 2: what is ahead of a line's state is seen by nobody who knows less",
		file: "engine/policy/run-line-ahead.ts",
		find: "for (const index of unansweredUpTo(past, this.last)) if (this.members.has(index)) return false;",
		replace: "",
		test: longLines("each is judged by those"),
	},
	{
		law: "Law 2: a call that goes on for long is seen by those that know it",
		file: "engine/policy/run-line-states.ts",
		find: "		if (this.#isOvertaken(past)) this.#comeBack();",
		replace: "",
		test: longLines("each is judged by those"),
	},
	{
		law: "LI1: of a call that is ahead more comes before what it brought itself",
		file: "engine/policy/run-line-states.ts",
		find: "		if (this.#ahead?.members.has(index)) this.#comeBack();",
		replace: "",
		test: longLines("loses nothing of a call of which more comes after others went ahead"),
	},
	{
		law: "BU: what is held for a call is seen by those that see others ahead of the state",
		file: "engine/policy/run-line-states.ts",
		find: "if (this.#ahead !== undefined) this.#parts.hold?.(this.#ahead.state, held, view);",
		replace: "",
		test: longLines("each is judged by those"),
	},
	{
		law: "what a call takes does not grow with the number of those that wait behind one that goes on",
		file: "engine/policy/run-line-states.ts",
		find: "		this.#ahead ??= new Ahead(this.#copy(this.state));",
		replace: "		if (this.#ahead === undefined) return;",
		test: longLines("one after the other beside one that goes on"),
	},
	{
		law: "what is ahead is not made anew for every call that goes on a little longer",
		file: "engine/policy/run-line-ahead.ts",
		find: "this.#waiting *= 2;",
		replace: "this.#waiting *= 1;",
		test: longLines("in forty chains beside one that goes on"),
	},
	{
		law: "what a maker's call takes does not grow with the number of makers that nothing is held for",
		file: "engine/policy/run-line.ts",
		find: "if (member?.wasSeen !== true || member.held === undefined) return UNHELD;",
		replace: "if (member?.wasSeen !== true) return UNHELD;",
		test: longLines("where nothing is held for them"),
	},
	{
		law: "Law 2: what a maker's calls see of its line is kept only where it stays as it is",
		file: "engine/policy/run-line-states.ts",
		find: "if (!isChanged) maker.before = state;",
		replace: "maker.before = state;",
		test: longLines("each is judged by those"),
	},
	{
		law: "what a maker's calls see of its line is made once",
		file: "engine/policy/run-line-states.ts",
		find: "if (!isChanged) maker.before = state;",
		replace: "",
		test: longLines("where one that goes on makes as many, and nothing is held"),
	},
	{
		law: "calls that come out of order are put in order when they are read",
		file: "engine/policy/run-line-states.ts",
		find: "		else this.#isInOrder = false;",
		replace: "		else {\n			this.#isInOrder = false;\n			this.#waitingInOrder();\n		}",
		test: longLines("where they were admitted before anything was remembered"),
	},
	{
		law: "runMemory: a change that throws fails one call",
		file: "engine/policy/run-memory.ts",
		find: "		if (isLost) return;",
		replace: "",
		test: hostMemory("a change that throws fails one call"),
	},
	{
		law: "runMemory: a part that gives a promise is told of",
		file: "engine/policy/run-memory.ts",
		find: "		if (!isThenable(said)) return said;",
		replace: "		if (!isThenable(said) || said !== undefined) return said;",
		test: hostMemory("is told of, and heard out"),
	},
	{
		law: "runMemory: a promise that nobody waits for is heard out",
		file: "engine/policy/run-memory.ts",
		find: "		hearOut(said);",
		replace: "",
		test: hostMemory("is told of, and heard out"),
	},
	{
		law: "runMemory: a call is accounted once",
		file: "engine/policy/run-memory.ts",
		find: "if (this.#accounted.has(view))",
		replace: "if (!this.#entered.has(view))",
		test: hostMemory("is told of, and what is held for those beside it stays"),
	},
	{
		law: "runMemory: a call that enters again is no wave of its own",
		file: "engine/policy/run-memory.ts",
		find: "		if (this.#entered.has(view)) return this.#lines.again(view);\n		this.#entered.add(view);",
		replace: "		this.#entered.add(view);",
		test: hostMemory("says the same again to a call that enters again"),
	},
	{
		law: "runMemory: nothing is held for a call that has not entered",
		file: "engine/policy/run-line.ts",
		find: "if (member?.wasSeen !== true)\n			throw",
		replace: "if (member === undefined)\n			throw",
		test: hostMemory("that has not entered, though calls that it made have"),
	},
	{
		law: "runMemory: a change that fails says whose it is",
		file: "engine/policy/run-memory.ts",
		find: "change && named(change, view)",
		replace: "change",
		test: hostMemory("a change that throws"),
	},
	{
		law: "runMemory: what a call itself brought is not lost by what its calls brought",
		file: "engine/policy/run-line-member.ts",
		find: "		} finally {",
		replace: "		} catch (error) {\n			throw error;\n		}\n		{",
		test: hostMemory("is put in though what its calls brought cannot be"),
	},
	{
		law: "Budget: calls of a segment share what is left",
		file: "engine/policy/budget-bounds.ts",
		find: "return Math.floor(rest / sharing) + (rank < Math.floor(rest % sharing) ? 1 : 0);",
		replace: "return rest;",
		test: memory("is not overrun by what the calls of one segment make"),
	},
	{
		law: "Budget: a call makes as many calls as are reserved for it",
		file: "engine/policy/budget-bounds.ts",
		find: "if (held?.isExact === true) return held.calls - 1;",
		replace: "",
		test: memory("is not overrun by calls of any kind"),
	},
	{
		law: "Budget: a field of what is reserved that is not read fails the call",
		file: "engine/policy/budget-amounts.ts",
		find: "if (stray !== undefined) return wrong(stray);",
		replace: "",
		test: hostCode("where it has a field that is not read"),
	},
	{
		law: "Budget: what is reserved is an object of amounts",
		file: "engine/policy/budget-amounts.ts",
		find: "return prototype === null || Object.getPrototypeOf(prototype) === null;",
		replace: "return true;",
		test: hostCode("where it is no object"),
	},
	{
		law: "Budget: a promise that is not waited for is heard out",
		file: "engine/policy/budget-amounts.ts",
		find: "hearOut(said);",
		replace: "",
		test: hostCode("is heard out where it is a promise"),
	},
	{
		law: "Budget: ten times 0.1 is 1",
		file: "engine/policy/budget-amounts.ts",
		find: "return Number.isInteger(amount) ? amount : Number(amount.toFixed(COST_DECIMALS));",
		replace: "return amount;",
		test: policy("budget-sums", "are those of decimal numbers"),
	},
	{
		law: "Budget: a call whose price cannot be told is none that was free",
		file: "engine/policy/budget.ts",
		find: "cost: cost ?? expected?.cost ?? 0",
		replace: "cost: cost ?? 0",
		test: hostCode("counted at what was reserved for it"),
	},
	{
		law: "BU1: nothing is reserved once it is reserved for no call",
		file: "engine/policy/budget.ts",
		find: "if (open > 0) return;",
		replace: "return;",
		test: policy("budget-sums", "BU1: come back to what they were"),
	},
	{
		law: "Budget: whose part is used up is said",
		file: "engine/policy/budget-bounds.ts",
		find: "innermost = maker;",
		replace: "",
		test: refusals("a maker that has used its part"),
	},
	{
		law: "Budget: nobody is sent to a next step where a call alone asks for more than any step has",
		file: "engine/policy/budget-bounds.ts",
		find: "if (asks <= most || most === 0) return",
		replace: "if (asks <= asks || most === 0) return",
		test: refusals("more than any step may use"),
	},
];
