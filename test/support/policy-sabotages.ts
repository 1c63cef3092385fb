// Policy sabotages
//
// The faults that leave an old answer, a secret, a line without its place or a ledger without its file.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts).

import type { Sabotage } from "./sabotages.js";

const policy = (name: string, title: string) => ({ file: `test/policy/${name}.test.ts`, title });
const memory = (title: string) => policy("run-memory", title);
const hostCode = (title: string) => policy("budget-host-code", title);
const refusals = (title: string) => policy("budget-refusals", title);
const shape = (title: string) => ({ file: "test/accounting/entry-shape.test.ts", title });
const lost = (title: string) => ({ file: "test/ledger/lost-file.test.ts", title });

export const POLICY_SABOTAGES: readonly Sabotage[] = [
	{
		law: "ME: a read is forgotten by what a write locked while it ran",
		file: "engine/execution/call-context.ts",
		find: "this.onTook?.(keys);",
		replace: "",
		test: policy("memo-keys", "the write locks its key while it runs"),
	},
	{
		law: "ME: a read is forgotten by what an earlier form of the write took",
		file: "engine/admission/policy-face.ts",
		find: "before === undefined ? keys : joinedKeys(before, keys)",
		replace: "keys",
		test: policy("memo-keys", "middleware runs the write again with other keys"),
	},
	{
		law: "ME: a read that made calls is one without keys",
		file: "engine/policy/memo.ts",
		find: "open.madeCalls ? { ...read, keys: undefined } : read",
		replace: "read",
		test: policy("memo-keys", "a call that the read makes has read it"),
	},
	{
		law: "Law 2: a call that a call makes knows nothing that its maker had not been answered",
		file: "engine/policy/run-line.ts",
		find: " && (unanswered === undefined || !isInRanges(unanswered, index))",
		replace: "",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 2: a call that a call makes knows nothing of others of its segment",
		file: "engine/policy/run-line.ts",
		find: "return index < segment &&",
		replace: "return index !== segment &&",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 2: what one chain of a call brought is not seen by another",
		file: "engine/policy/run-line.ts",
		find: " || !running.every((other) => isKnown(other, index))",
		replace: "",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 2: what is held for calls of a later chain is not seen by an earlier one",
		file: "engine/policy/run-line.ts",
		find: "const hasLater = letGo !== undefined &&",
		replace: "const hasLater = letGo === undefined &&",
		test: memory("is judged by the run as its segment found it"),
	},
	{
		law: "Law 4, LI1: what calls brought enters in call order, whoever came first",
		file: "engine/policy/run-line.ts",
		find: "		else this.#sort();",
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
		law: "ME: what ran beside a read that turned out to write is not remembered",
		file: "engine/policy/memo.ts",
		find: " || answers.isBesideTurned(open)",
		replace: "",
		test: policy("memo", "that was asked for as a read voids what ran beside it"),
	},
	{
		law: "ME: a read is not remembered under a call of which nothing is known any more",
		file: "engine/policy/memo.ts",
		find: "if (maker !== undefined && maker.held === undefined) return true;",
		replace: "",
		test: policy("memo", "whose run was forgotten meanwhile"),
	},
	{
		law: "Law 1: a pause waits for the accounting that is under way",
		file: "engine/wave/run-segments.ts",
		find: "if (wave.asking.size > 0) await wave.accountant.whenStill();",
		replace: "",
		test: { file: "test/pause/questions.test.ts", title: "ends the wave once the call before it is accounted" },
	},
	{
		law: "Law 4: what the calls of a stopped call brought does not enter",
		file: "engine/policy/run-memory.ts",
		find: "if (isStopped(outcome)) member.isDiscarded = true;",
		replace: "if (isStopped(outcome)) member.change = undefined;",
		test: memory("by a taint"),
	},
	{
		law: "Budget: calls of a segment share what is left",
		file: "engine/policy/budget-bounds.ts",
		find: "return Math.floor(rest / of) + (rank < Math.floor(rest % of) ? 1 : 0);",
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
	{
		law: "RL6: a record keeps what its line is known by",
		file: "engine/accounting/recorded-ledger.ts",
		find: "if (problem !== undefined) throw new TypeError(problem);",
		replace: "",
		test: shape("loses the line's content, and neither its place"),
	},
	{
		law: "a policy of a class keeps its halves",
		file: "engine/policy/define-policy.ts",
		find: "return Object.freeze(copyOf(policy));",
		replace: "return Object.freeze({ ...policy });",
		test: policy("define-policy", "keeps the halves that an object has"),
	},
	{
		law: "a sign of a secret is seen by the letters that it holds",
		file: "engine/policy/secret-signs.ts",
		find: 'const IN_SIGNS = "_@:AGgJKkQqx";',
		replace: 'const IN_SIGNS = "_@:AGgJKQqx";',
		test: policy("secrets", "is seen in whatever way it is written"),
	},
	{
		law: "RE2: what another policy noted of a call is looked at",
		file: "engine/policy/redact.ts",
		find: "return isReplys && !mayHold(rest);",
		replace: "return isReplys;",
		test: policy("redact", "for what another policy noted of it"),
	},
	{
		law: "RE2: a call of other arguments than the reply's is looked at",
		file: "engine/policy/redact.ts",
		find: "clean?.args[Number(rest.index)] === args",
		replace: "clean?.args[Number(rest.index)] !== undefined",
		test: policy("redact", "whose arguments are others"),
	},
	{
		law: "an answer's bytes are counted to its end",
		file: "engine/policy/answer-size.ts",
		find: "read !== text.length || written",
		replace: "written",
		test: policy("answer-size", "around the room that they are counted in"),
	},
	{
		law: "plain arguments have their fields in order",
		file: "engine/core/plain-arguments.ts",
		find: " || (before !== undefined && name <= before)",
		replace: "",
		test: { file: "test/core/plain-arguments.test.ts", title: "are their own canonical form" },
	},
	{
		law: "plain arguments say nothing that has two spellings",
		file: "engine/core/plain-arguments.ts",
		find: "-?[1-9][0-9]{0,14}",
		replace: "-?[0-9]{1,14}",
		test: { file: "test/core/plain-arguments.test.ts", title: "are their own canonical form" },
	},
	{
		law: "SE: a secret across lines goes from each of them",
		file: "engine/policy/secrets.ts",
		find: "apart([...spans, ...across])",
		replace: "spans",
		test: policy("secret-places", "in a list of lines with a name"),
	},
	{
		law: "SE: the escapes of an address hide nothing",
		file: "engine/policy/secret-lines.ts",
		find: "const ESCAPES_MAX = 3;",
		replace: "const ESCAPES_MAX = 0;",
		test: policy("secret-places", "right behind an escape that ends like a word"),
	},
	{
		law: "F3: no barrier resolves for a file that is gone",
		file: "engine/ledger/stored-ledger.ts",
		find: "claim.file.demandInPlace();",
		replace: "",
		test: lost("resolves no barrier more"),
	},
];
