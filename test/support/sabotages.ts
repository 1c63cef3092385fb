// Sabotages
//
// One-line faults, each with the law it breaks and the test that must turn red. A test that stays green while its law is
// broken guards nothing.
//
// Owns:      the list.
// Does not:  apply it (sabotage.ts).

import { AHEAD_SABOTAGES } from "./ahead-sabotages.js";
import { AT_ONCE_SABOTAGES } from "./at-once-sabotages.js";
import { DATABASE_SABOTAGES } from "./database-sabotages.js";
import { LAW_SABOTAGES } from "./law-sabotages.js";
import { LEDGER_SABOTAGES } from "./ledger-sabotages.js";
import { LISTING_SABOTAGES } from "./listing-sabotages.js";
import { MIDDLEWARE_SABOTAGES } from "./middleware-sabotages.js";
import { NESTING_SABOTAGES } from "./nesting-sabotages.js";
import { NET_SABOTAGES } from "./net-sabotages.js";
import { PAUSE_SABOTAGES } from "./pause-sabotages.js";
import { POLICY_SABOTAGES } from "./policy-sabotages.js";
import { RECOVER_SABOTAGES } from "./recover-sabotages.js";
import { RUN_MEMORY_SABOTAGES } from "./run-memory-sabotages.js";
import { RUN_SABOTAGES } from "./run-sabotages.js";
import { SEED_SABOTAGES } from "./seed-sabotages.js";
import { STREAM_SABOTAGES } from "./stream-sabotages.js";
import { THREAD_SABOTAGES } from "./thread-sabotages.js";

export interface Sabotage {
	/** The law or the numbered invariant that the fault breaks, in a few words. */
	readonly law: string;
	readonly file: string;
	/** Found exactly once in the file. */
	readonly find: string;
	readonly replace: string;
	readonly test: {
		readonly file: string;
		/** The title, or a part of it that no other title of the file holds. */
		readonly title: string;
	};
}

export const SABOTAGES: readonly Sabotage[] = [
	...LAW_SABOTAGES,
	...PAUSE_SABOTAGES,
	...POLICY_SABOTAGES,
	...RUN_MEMORY_SABOTAGES,
	...RECOVER_SABOTAGES,
	...LEDGER_SABOTAGES,
	...DATABASE_SABOTAGES,
	...LISTING_SABOTAGES,
	...NET_SABOTAGES,
	...RUN_SABOTAGES,
	...SEED_SABOTAGES,
	...AHEAD_SABOTAGES,
	...STREAM_SABOTAGES,
	...THREAD_SABOTAGES,
	...MIDDLEWARE_SABOTAGES,
	...NESTING_SABOTAGES,
	...AT_ONCE_SABOTAGES,
	{
		law: "Z1, PN1: a closing engine finds a wave that is still planned",
		file: "engine/wave/planning.ts",
		find: "open?.add(this);",
		replace: "",
		test: { file: "test/create-engine.test.ts", title: "PN1: aborts a wave that is not planned yet" },
	},
	{
		law: "Law 7: one barrier covers a whole segment, also under a stop on errors",
		file: "engine/wave/execute-segment.ts",
		find: 'const shared = options.schedule === "barriers" ?',
		replace: 'const shared = options.schedule === "barriers" && options.onError !== "stop" ?',
		test: {
			file: "test/laws/intent-before-effect.test.ts",
			title: "safe writes that a stop on errors runs one at a time",
		},
	},
	{
		law: "Law 7: under a serial schedule each write has a barrier of its own",
		file: "engine/wave/execute-segment.ts",
		find: 'const shared = options.schedule === "barriers" ?',
		replace: "const shared = options.schedule !== undefined ?",
		test: { file: "test/laws/intent-before-effect.test.ts", title: "safe writes of a serial schedule" },
	},
	{
		law: "only a ledger's failure is called one, and each is",
		file: "engine/ledger/named-failures.ts",
		find: 'throw failedError("make the ledger durable", error);',
		replace: "throw error;",
		test: { file: "test/wave/stray-errors.test.ts", title: "fails a wave that pauses as LEDGER_FAILED" },
	},
	{
		law: "a policy refuses an option that nobody reads",
		file: "engine/policy/refusal.ts",
		find: "if (stray !== undefined) refuse(stray);",
		replace: "",
		test: { file: "test/policy/unknown-options.test.ts", title: "naming the field and the one that is meant" },
	},
	{
		law: "an error that a call is started with ends the wave, and does not leave it waiting",
		file: "engine/wave/execute-segment.ts",
		find: "return fault(error);",
		replace: "throw error;",
		test: { file: "test/wave/stray-errors.test.ts", title: "is told as what it is (a clock whose setTimer throws)" },
	},
	{
		law: "the face: a registration is read once, where its own call pays for it",
		file: "engine/wave/wave-plan.ts",
		find: "for (const member of MEMBERS) {",
		replace: "for (const member of MEMBERS.slice(0, 2)) {",
		test: { file: "test/wave/stray-errors.test.ts", title: "where a registration's title throws" },
	},
	{
		law: "O1: every error has a recovery sentence",
		file: "engine/core/outcome.ts",
		find: 'invariant(parts.message !== "" && recovery !== "",',
		replace: 'invariant(parts.message !== "",',
		test: { file: "test/core/outcome.test.ts", title: "O1: builds no error without a message or a recovery" },
	},
	{
		law: "V1: a listener that throws changes nothing",
		file: "engine/core/events.ts",
		find: "process.emitWarning(",
		replace: "throw error; process.emitWarning(",
		test: { file: "test/core/events.test.ts", title: "V1: goes on when a listener throws an error, and warns once" },
	},
	{
		law: "one clone rule: what is not data is refused by its path",
		file: "engine/core/json-value.ts",
		find: 'if (place.above.includes(value)) throw new NotData(place.path, "it contains itself");',
		replace: "if (place.above.includes(value)) return null;",
		test: { file: "test/core/json-value.test.ts", title: "refuses a cycle by its path" },
	},
	{
		law: "O1: a host's own error has a recovery sentence, too",
		file: "engine/core/outcome.ts",
		find: "isText(error?.message) && isText(error?.recovery)",
		replace: "isText(error?.message)",
		test: { file: "test/core/outcome.test.ts", title: "refuses an error without a recovery (O1)" },
	},
	{
		law: "hints that contradict each other mean a write",
		file: "engine/core/effect.ts",
		find: "said.every((value) => value === true)",
		replace: "said.includes(true)",
		test: { file: "test/core/effect.test.ts", title: "that contradict each other mean a write" },
	},
	{
		law: "nothing grows for ever: the nesting of argument text is bounded",
		file: "engine/core/call.ts",
		find: "mayBeDeep && isDeeper(value, JSON_DEPTH_MAX)",
		replace: "mayBeDeep && false",
		test: { file: "test/core/call.test.ts", title: "bounds the nesting of text and of values alike" },
	},
	{
		law: "one clone rule: a tool's later change never reaches an answer",
		file: "engine/core/json-value.ts",
		find: "if (Array.isArray(value)) return copyList(value, place);",
		replace: "if (Array.isArray(value)) return value;",
		test: { file: "test/core/json-value.test.ts", title: "shares nothing with the value it copied" },
	},
	{
		law: "Law 14: calls are not nested without end",
		file: "engine/wave/nested-calls.ts",
		find: "identity.path.length < NESTED_DEPTH_MAX)",
		replace: "identity.path.length <= NESTED_DEPTH_MAX)",
		test: { file: "test/wave/nested-calls.test.ts", title: "is refused where calls are nested too deep" },
	},
	{
		law: "Law 10: waiting for a call of one's own is no silence",
		file: "engine/execution/made-calls.ts",
		find: "if (this.isQuiet) this.#waiting(true);",
		replace: "",
		test: { file: "test/laws/writes-and-time.test.ts", title: "a call that waits for one it made is not silent" },
	},
	{
		law: "Secrets: a web token is found wherever its head may begin",
		file: "engine/policy/signed-claims.ts",
		find: "for (let at = head.indexOf(BEGIN); at !== -1; at = head.indexOf(BEGIN, at + 1)) {",
		replace: "for (let at = head.indexOf(BEGIN); at === 0; at = head.indexOf(BEGIN, at + 1)) {",
		test: {
			file: "test/policy/secrets.test.ts",
			title: "is found wherever an expression of its whole shape finds it, and nowhere else",
		},
	},
	{
		law: "Mistakes: calls that are no list are refused by every door",
		file: "engine/wave/wave.ts",
		find: "if (!Array.isArray(calls)) {",
		replace: "if (calls === undefined) {",
		test: { file: "test/wave-options.test.ts", title: "are refused by every door" },
	},
	{
		law: "Law 8: a call without a value is not shown as done",
		file: "engine/cli/plain-view.ts",
		find: 'outcome.ok ? ["done", when] :',
		replace: 'outcome.ok || when === "" ? ["done", when] :',
		test: {
			file: "test/cli/plain-view.test.ts",
			title: "say of a call without a value how it ended, and never that it is done",
		},
	},
	{
		law: "Mistakes: tools that keep to a folder refuse one that is not there",
		file: "engine/tools/folder-option.ts",
		find: "const missing = problemAt(absolute);",
		replace: "const missing = problemAt(process.cwd());",
		test: {
			file: "test/tools/file-tools.test.ts",
			title: "is refused at once where it is not there, and made by no call: workspaceTools",
		},
	},
	{
		law: "KH2: a key that its holder takes again is held once",
		file: "engine/report/key-history.ts",
		find: "if (held === undefined) list.push(",
		replace: "if (held === undefined || at >= 0) list.push(",
		test: { file: "test/report/key-history.test.ts", title: "KH2: is of one hold where a call takes a key again" },
	},
];
