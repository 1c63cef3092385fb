// Policy sabotages
//
// The faults that leave an old answer, a secret, a line without its place or a ledger without its file.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts).

import type { Sabotage } from "./sabotages.js";

const policy = (name: string, title: string) => ({ file: `test/policy/${name}.test.ts`, title });
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
