// Seed lock sabotages
//
// The faults that break what the first seed promises of lock keys, one line each and in the order of its page.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold what the same seed says of other things (seed-sabotages.ts).

import type { Sabotage } from "./sabotages.js";

type Guard = Sabotage["test"];

const locks = (name: string, title: string): Guard => ({ file: `test/locks/${name}.test.ts`, title });
const keys = (title: string): Guard => ({ file: "test/wave/call-keys.test.ts", title });
const LOCK_KEYS = "engine/core/lock-keys.ts";
const nested = (title: string): Guard => ({ file: "test/wave/nested-calls.test.ts", title });

export const SEED_LOCK_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Lock keys: calls whose keys meet are not in together",
		file: "engine/locks/key-queue.ts",
		find: "if (!holdsAnything(lineage)) return false;",
		replace: "if (!holdsAnything(lineage)) return true;",
		test: locks("keyed-lock", "lets callers of one key in one after another, in the order they asked"),
	},
	{
		law: "Lock keys: a free key is kept for one that waits for another key",
		file: "engine/locks/key-queue.ts",
		find: "if (first !== undefined && first !== place && (place.exclusive || first.exclusive)) return false;",
		replace: "",
		test: locks("keyed-lock", "keeps a free key for a caller that waits for another key"),
	},
	{
		law: "Lock keys: readers do not go past a writer that waits",
		file: "engine/locks/key-queue.ts",
		find: "		this.#waiting.add(place, before);\n		this.#block(place);\n",
		replace:
			"		this.#waiting.add(place, place.exclusive ? before : this.#waiting.first);\n		this.#block(place);\n		if (!place.exclusive) this.#firstBlocked = place;\n",
		test: locks("keyed-lock", "lets readers in together, and none past a waiting writer"),
	},
	{
		law: "Lock keys: a place in every queue at once",
		file: "engine/locks/lock-table.ts",
		find: "for (const key of write) if (key !== first) this.#standAtAnother(hold, key, true);",
		replace: "for (const key of write) if (key !== first && hold.blocked === 0) this.#standAtAnother(hold, key, true);",
		test: locks("keyed-lock-model", "H2, Q1, LT1, LT2: grants exactly what nothing earlier is in the way of"),
	},
	{
		law: "Lock keys: one that gives up lets those behind it in",
		file: "engine/locks/lock-table.ts",
		find: "if (met) this.#wakeBehind(hold);",
		replace: 'if (met && hold.phase === "granted") this.#wakeBehind(hold);',
		test: locks("keyed-lock-model", "H2, Q1, LT1, LT2: grants exactly what nothing earlier is in the way of"),
	},
	{
		law: "Lock keys: an abort gives up the place",
		file: "engine/locks/lock-wait.ts",
		find: "if (parts.signal !== undefined) parts.aborts.add(parts.signal, this);",
		replace: "",
		test: locks("keyed-lock", "gives up the place of a caller that aborts while it waits"),
	},
	{
		law: "Lock keys: a release belongs to its grant",
		file: "engine/locks/hold.ts",
		find: 'if (this.phase === "granted") this.asker.keeper.letGo(this);',
		replace: "this.asker.keeper.letGo(this);",
		test: locks("keyed-lock", "H1: does nothing at a second release"),
	},
	{
		law: "Lock keys: a wait ends at its limit",
		file: "engine/locks/lock-wait.ts",
		find: "parts.clock.setTimer(() => this.#expire(), parts.lockMs)",
		replace: "parts.clock.setTimer(() => undefined, parts.lockMs)",
		test: locks("keyed-lock", "ends a wait at its limit with the holder's name"),
	},
	{
		law: "Lock keys: taken again along the lineage",
		file: "engine/locks/key-queue.ts",
		find: "if (!isWithin(lineage, held.hold.lineage)) return false;",
		replace: "return false;",
		test: locks("lineage", "takes again, past those who wait, what a call around it holds"),
	},
	{
		law: "Lock keys: only for as long as the call that holds them does",
		file: "engine/locks/key-queue.ts",
		find: "if (!holdsAnything(lineage)) return false;",
		replace: "if (!holdsAnything(lineage)) return lineage !== undefined;",
		test: locks("lineage", "makes code that a call left running wait like any other once the call let go"),
	},
	{
		law: "Lock keys: calls that one call runs are no lineage of each other",
		file: "engine/locks/lineage.ts",
		find: "for (let at = inner; at !== undefined; at = at.parent) if (at === outer) return true;",
		replace:
			"for (let at = inner; at !== undefined; at = at.parent) if (at === outer || at === outer.parent) return true;",
		test: locks("lineage", "keeps the calls that one call runs apart from each other"),
	},
	{
		law: "Lock keys: a circle fails at its closing",
		file: "engine/locks/lock-table.ts",
		find: "const circle = holdsAnything(hold.lineage) ? circleOf(hold) : undefined;",
		replace: "const circle = undefined;",
		test: locks("lineage", "fail the call that would close one, at once, and let the other go on"),
	},
	{
		law: "Lock keys: a circle is the model's to read",
		file: "engine/wave/call-keys.ts",
		find: "if (!isEngineError(error) || !isCallCode(error.code)) return keysFailed(error);",
		replace: "return keysFailed(error);",
		test: nested("that would close a circle fail at once with TOOL_LOCK_CYCLE"),
	},
	{
		law: "Lock keys: one lock for the whole process",
		file: "engine/locks/tool-locks.ts",
		find: 'processWide("wavetrain.toolLocks.v1", () => new KeyedLock())',
		replace: "new KeyedLock()",
		test: locks("tool-locks", "is one lock for copies whose classes differ"),
	},
	{
		law: "Lock keys: what cannot be told fails the call, in these words",
		file: "engine/wave/call-keys.ts",
		find: "Could not tell what the call changes: ",
		replace: "Keys: ",
		test: keys("that cannot be told, because lockKeys throws"),
	},
	{
		law: "Lock keys: what cannot be told runs no tool",
		file: "engine/wave/call-keys.ts",
		find: "		turn.pass();\n		return keysFailed(error);",
		replace: '		turn.pass();\n		return { kind: "held", grant: { kind: "granted", release: () => undefined } };',
		test: keys("that cannot be told, because lockKeys throws"),
	},
	{
		law: "Lock keys: lockKeys has the context of execute",
		file: "engine/wave/call-keys.ts",
		find: "const keys = call.lockKeys(call.context);",
		replace: "const keys = call.lockKeys(Object.create(call.context));",
		test: keys("are worked out once, with the very context that the tool runs with"),
	},
	{
		law: "Lock keys: lockKeys gets the arguments that were parsed once",
		file: "engine/admission/prepare-call.ts",
		find: "lockKeys: (context) => lockKeys(args, context)",
		replace: "lockKeys: (context) => lockKeys(structuredClone(args), context)",
		test: { file: "test/laws/parsed-once.test.ts", title: "and whatever is asked about a call" },
	},
	{
		law: "Lock keys: a person is shown the arguments that were parsed once",
		file: "engine/admission/prepare-call.ts",
		find: "...(presentationOf(tool, args) ?? { title: tool.name })",
		replace: "...(presentationOf(tool, structuredClone(args)) ?? { title: tool.name })",
		test: { file: "test/laws/parsed-once.test.ts", title: "and whatever is asked about a call" },
	},
	{
		law: "Lock keys: asked for in call order, KT1",
		file: "engine/execution/key-turns.ts",
		find: "const last = come === undefined ? passed : come.then(() => passed);",
		replace: "const last = Promise.resolve();",
		test: keys("KT1: ask in call order though a later one knows its keys first"),
	},
	{
		law: "Lock keys: a call aborted while it works them out never runs",
		file: "engine/wave/call-keys.ts",
		find: "if (keys === ABORTED || isStopped(wave, state)) return givenUp(call);",
		replace: 'if (keys === ABORTED) throw new Error("aborted");',
		test: keys("CK1: a call aborted while it works them out never runs"),
	},
	{
		law: "Lock keys: they outlive a time limit and an abort",
		file: "engine/wave/start-call.ts",
		find: "if (release !== holdsNothing) running.onEnd(release);",
		replace: "if (release !== holdsNothing) running.onAnswer(release);",
		test: keys("outlive a"),
	},
	{
		law: "Lock keys: a tool by itself waits in the same queues",
		file: "engine/wave/call-keys.ts",
		find: "const asked = locks.request(keys, { lineage, signal: context.signal, holder, lockMs });",
		replace: "const asked = locks.request([], { lineage, signal: context.signal, holder, lockMs });",
		test: nested("waits in the queues of the same locks as the calls of waves"),
	},
	{
		law: "LK1: what can be iterated is no keys",
		file: LOCK_KEYS,
		find: "if (own !== listed(keys) || Symbol.iterator in keys || (own === 0 && !isPlain(keys))) return undefined;",
		replace: "if (own !== listed(keys)) return undefined;",
		test: locks("odd-keys", "LK1: any value at all is refused at every door"),
	},
	{
		law: "LK1: a call whose lockKeys hands over a set does not run unlocked",
		file: LOCK_KEYS,
		find: "if (own !== listed(keys) || Symbol.iterator in keys || (own === 0 && !isPlain(keys))) return undefined;",
		replace: "if (own !== listed(keys)) return undefined;",
		test: { file: "test/wave/odd-keys.test.ts", title: "a Set does not run" },
	},
	{
		law: "LK1: a field that nobody reads is no list of keys",
		file: LOCK_KEYS,
		find: "if (!Object.hasOwn(FIELDS, field)) return undefined;",
		replace: "",
		test: locks("odd-keys", "refuses an object with another field whose class has the list"),
	},
	{
		law: "LK1: a promise in place of keys is heard out",
		file: LOCK_KEYS,
		find: "for (const value of [keys, ...partsOf(keys)]) hearOut(value);",
		replace: "void hearOut;",
		test: locks("odd-keys", "hears out a promise that was given in place of keys"),
	},
	{
		law: "LK1: keys are looked at on the thread, where they are whole",
		file: "workers/thread-context.ts",
		find: "checkedKeys(keys);",
		replace: "void checkedKeys;",
		test: { file: "test/threads/odd-keys.test.ts", title: "does not get an object whose class has the list" },
	},
	{
		law: "LK1: an early start compares nothing that is no keys",
		file: "engine/ahead/early-call.ts",
		find: "checkedKeys(known);",
		replace: "void checkedKeys;",
		test: { file: "test/wave/odd-keys.test.ts", title: "never begins with null" },
	},
];
