// Ahead sabotages
//
// The faults that let an early start be seen, take what an admitted call wants, or start where nothing may.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts).

import type { Sabotage } from "./sabotages.js";

const ahead = (name: string, title: string) => ({ file: `test/ahead/${name}.test.ts`, title });
const wave = (name: string, title: string) => ({ file: `test/wave/${name}.test.ts`, title });
const threads = (title: string) => ({ file: "test/workers/early-calls.test.ts", title });
const property = { file: "test/laws/ahead-equals.test.ts", title: "so results and ledger are those of a run" };

const CALL = "engine/ahead/early-call.ts";

export const AHEAD_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 5: keys that others were granted make an early read run again",
		file: CALL,
		find: 'if (this.#keyWatch?.changed) return "keys were granted";',
		replace: "",
		test: ahead("early-keys", "was granted exclusively before its admission"),
	},
	{
		law: "Law 5: also keys that others were granted while admission waited",
		file: CALL,
		find: "if (keys.isFree(this.#known, context.lineage)) this.#keyWatch.stop();",
		replace: "this.#keyWatch.stop();",
		test: ahead("early-keys", "are granted to others while admission waits"),
	},
	{
		law: "Law 5: as a property, over keys",
		file: CALL,
		find: 'if (this.#keyWatch?.changed) return "keys were granted";',
		replace: "",
		test: property,
	},
	{
		law: "Law 5: what an early read saw is looked at again",
		file: CALL,
		find: 'if (now !== phase.stamp) return "what it read moved";',
		replace: "",
		test: ahead("observed", "runs again when the stamp at its admission"),
	},
	{
		law: "Law 5: as a property, over stamps",
		file: CALL,
		find: 'if (now !== phase.stamp) return "what it read moved";',
		replace: "",
		test: property,
	},
	{
		law: "Law 5: a stamp is from before the run",
		file: CALL,
		find: "if (isThenable(stamp)) void stamp.then((seen) => this.#startStamped(seen));",
		replace: 'if (isThenable(stamp)) this.#startStamped("unseen");',
		test: ahead("observed", "does not start before its stamp is there"),
	},
	{
		law: "Law 5: an early read that was admitted may do what any admitted call may",
		file: CALL,
		find: "this.#parts.context.servedBy(services);",
		replace: "void services;",
		test: ahead("early-keys", "may take its own keys again"),
	},
	{
		law: "Law 5: as a property, over what admitted calls may do",
		file: "engine/wave/start-call.ts",
		find: "parent: worked?.holder ?? lineage,",
		replace: "parent: lineage,",
		test: property,
	},
	{
		law: "Law 15: an early read that was admitted does not wait for its own keys",
		file: "engine/wave/start-call.ts",
		find: "const holder = worked?.holder ?? context.lineage;",
		replace: "const holder = context.lineage;",
		test: ahead("early-keys", "may take its own keys again"),
	},
	{
		law: "Law 5: a fed reply without a good end admits nothing",
		file: "engine/wave/step.ts",
		find: "if (fed !== undefined && fed.end?.good !== true)",
		replace: "if (fed !== undefined && fed.end?.good === false)",
		test: wave("feed", "without an end admits nothing"),
	},
	{
		law: "Law 6: nothing more starts on a guess once a call went on after it was complete",
		file: "engine/wave/step.ts",
		find: "early.offer(index, new PlacedCall(call, index));",
		replace: "void early;",
		test: wave("feed", "throws away what was complete and went on"),
	},
	{
		law: "Law 6: nothing starts early past a read that must have the step alone",
		file: "engine/ahead/early-starts.ts",
		find: " || meta.isConcurrencySafe === false) {",
		replace: ") {",
		test: { file: "test/laws/ahead-stops.test.ts", title: "nor after a read that must have the step alone" },
	},
	{
		law: "an early start never queues for keys",
		file: CALL,
		find: "if (keys.isFree(known, context.lineage)) {",
		replace: "if (keys !== undefined && context !== undefined) {",
		test: ahead("early-keys", "does not start past keys that somebody holds"),
	},
	{
		law: "EC1: keys are worked out once",
		file: "engine/wave/start-call.ts",
		find: "lockKeys: (own) => worked?.keys ?? lockKeys(own)",
		replace: "lockKeys: (own) => lockKeys(own)",
		test: ahead("early-keys", "EC1: has its keys worked out once"),
	},
	{
		law: "early reads that exclude each other do not run beside each other",
		file: "engine/ahead/early-starts.ts",
		find: "&& !this.#meetsAnother(one)",
		replace: "",
		test: ahead("early-keys", "does not run beside another early start"),
	},
	{
		law: "J6: early starts are on no more threads than they may have",
		file: "workers/room-for-calls.ts",
		find: "ahead && this.#early >= this.#limits.earlyMax",
		replace: "ahead && this.#early >= Number.POSITIVE_INFINITY",
		test: threads("J6: are at work on no more threads"),
	},
	{
		law: "an early start at work holds no admitted call up",
		file: "workers/room-for-calls.ts",
		find: "lent + countAdmitted(this.#early)",
		replace: "lent + countAdmitted(this.#early) * 0",
		test: threads("hold no admitted call up"),
	},
	{
		law: "an early start that was admitted is an admitted call in every queue",
		file: "engine/ahead/early-call.ts",
		find: "this.running.admitted();",
		replace: "",
		test: { file: "test/ahead/early-starts.test.ts", title: "tell their executor once they are admitted" },
	},
	{
		law: "IT1: hooks of a voided reply are told nothing more",
		file: "engine/wave/step.ts",
		find: "attempt.teller.voidAll();",
		replace: "",
		test: wave("input-teller", "IT1: are told nothing more once the reply was voided"),
	},
	{
		law: "a throwing hook costs nobody",
		file: "engine/wave/input-teller.ts",
		find: "} catch (error) {\n			failed(error);",
		replace: "} catch (error) {\n			throw error;",
		test: wave("input-teller", "cost nobody anything"),
	},
	{
		law: "the measure tells the wait that a lawful schedule could have saved",
		file: "engine/ahead/early-measure.ts",
		find: "const beginMs = Math.min(this.#wholeMs.get(index) ?? mayBeginMs, mayBeginMs);",
		replace: "const beginMs = mayBeginMs;",
		test: ahead("measure", "says how early it began"),
	},
];
