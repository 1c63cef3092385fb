// Seed sabotages
//
// The faults that break what the first seed promises of safe calls, the step gate, the files behind lock keys, the built-in tools and
// scheduling calls of one's own, one line each and in the order of its pages.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";
import { SEED_LOCK_SABOTAGES } from "./seed-lock-sabotages.js";

type Guard = Sabotage["test"];

const locks = (name: string, title: string): Guard => ({ file: `test/locks/${name}.test.ts`, title });
const execution = (name: string, title: string): Guard => ({ file: `test/execution/${name}.test.ts`, title });
const tools = (name: string, title: string): Guard => ({ file: `test/tools/${name}.test.ts`, title });

const SAFE_CALLS: readonly Sabotage[] = [
	{
		law: "Safe calls: a check that throws is a no",
		file: "engine/core/tool.ts",
		find: "		return safe === true;\n	} catch {\n		return false;",
		replace: "		return safe === true;\n	} catch {\n		return true;",
		test: { file: "test/core/tool.test.ts", title: "with isConcurrencySafe a function that throws" },
	},
	{
		law: "Safe calls: only a plain true is a yes",
		file: "engine/core/tool.ts",
		find: "return safe === true;",
		replace: "return Boolean(safe);",
		test: { file: "test/core/tool.test.ts", title: "with isConcurrencySafe a function that answers something truthy" },
	},
	{
		law: "Safe calls: the question of a host's own scheduler is about the arguments as the schema reads them",
		file: "engine/admission/concurrency-safe.ts",
		find: 'return prepared.kind === "ready" && prepared.meta.isConcurrencySafe === true;',
		replace: 'return prepared.kind !== "ready" || prepared.meta.isConcurrencySafe === true;',
		test: { file: "test/admission/concurrency-safe.test.ts", title: "is no of arguments that the schema refuses" },
	},
	{
		law: "Safe calls: left out, it is what the effect says",
		file: "engine/core/tool.ts",
		find: "if (of.isConcurrencySafe === undefined) return isRead(effect);",
		replace: "if (of.isConcurrencySafe === undefined) return true;",
		test: { file: "test/core/tool.test.ts", title: "with isConcurrencySafe left out, a write" },
	},
	{
		law: "Safe calls: a call that is not safe is a barrier",
		file: "engine/execution/schedule.ts",
		find: "if (safe(index)) continue;",
		replace: "if (safe(index) || index > 0) continue;",
		test: execution("schedule", "cut read a, read b, write c, read d into a and b together"),
	},
	{
		law: "Safe calls: calls that need no tool hold nobody back",
		file: "engine/wave/call-state.ts",
		find: "return this.answeredWithout || (this.meta?.isConcurrencySafe ?? this.read);",
		replace: "return this.meta?.isConcurrencySafe ?? this.read;",
		test: { file: "test/pause/approvals.test.ts", title: "never holds the others back once it is declined" },
	},
	{
		law: "Step gate: nobody goes past those who wait",
		file: "engine/execution/step-gate.ts",
		find: "if (this.#waiting.first === undefined && this.#admits(exclusive))",
		replace: "if (this.#admits(exclusive))",
		test: execution("step-gate", "SG1, SG2: has inside exactly those"),
	},
	{
		law: "Step gate: an exclusive one that gives up lets those behind it in",
		file: "engine/execution/step-gate.ts",
		find: "				this.#admitNext();\n			};",
		replace: "			};",
		test: execution("step-gate", "SG1, SG2: has inside exactly those"),
	},
	{
		law: "Step gate: a share is let go once",
		file: "engine/execution/step-gate.ts",
		find: "if (left) return;",
		replace: "",
		test: execution("step-gate", "SG1, SG2: has inside exactly those"),
	},
];

const FILES: readonly Sabotage[] = [
	{
		law: "File keys: every link is followed",
		file: "engine/locks/file-lock-key.ts",
		find: "return keyOf(await realPathOf(plainPath(path)));",
		replace: "return keyOf(plainPath(path));",
		test: locks("file-lock-key", "is one key through a linked folder, a linked file, and a link to a link"),
	},
	{
		law: "File keys: a link to what is not there yet is followed",
		file: "engine/core/real-path.ts",
		find: "const target = await unlessMissing(readlink(link));",
		replace: "const target: string | undefined = await undefined;",
		test: locks("file-lock-key", "follows a link to a file that is not there yet"),
	},
	{
		law: "File keys: names of one file meet",
		file: "engine/locks/file-lock-key.ts",
		find: "file.nlink > 1n ?",
		replace: "file.nlink > 9n ?",
		test: locks("file-lock-key", "makes the names of one file meet in a key of its device and inode"),
	},
	{
		law: "File keys: a spelling that nobody stored tells how a folder folds",
		file: "engine/locks/name-folding.ts",
		find: "return stored < 2;",
		replace: "return stored < 1;",
		test: locks(
			"name-folding",
			"folds also where the first name it is asked for is the other spelling of a stored one",
		),
	},
	{
		law: "File keys: nothing is remembered of a name whose file was replaced",
		file: "engine/locks/name-folding.ts",
		find: "(await this.#lookup.identify(pathIn(folder, name))) === file ? false : undefined",
		replace: "false",
		test: locks("name-folding", "remembers nothing that it saw while the file was replaced, taken away or renamed"),
	},
	{
		law: "File keys: a way is looked at again once its keys are held",
		file: "engine/tools/locked-place.ts",
		find: "if (await keysCoverFile(place.real, keys)) {",
		replace: "if ((await keysCoverFile(place.real, keys)) || keys.length > 0) {",
		test: tools("locked-files", "LP1: leads the writer to wait for where it leads now"),
	},
	{
		law: "Built-in tools: two edits of one file both survive",
		file: "engine/tools/locked-place.ts",
		find: "const release = await context.lock(keys);",
		replace: "const release = (): void => undefined;",
		test: tools("locked-files", "LP1: leads the writer to wait for where it leads now"),
	},
	{
		law: "Built-in tools: restricted ones name the keys of the path that was resolved",
		file: "engine/tools/restrict-file-tools.ts",
		find: "return await lockKeys(await resolved(args), context);",
		replace: "return await lockKeys(args, context);",
		test: tools("file-tools", "gives lockKeys, observed and execute the path it resolved"),
	},
	{
		law: "Built-in tools: restricted ones keep what else they declare",
		file: "engine/tools/restrict-file-tools.ts",
		find: "		...tool,\n",
		replace: "		...tool,\n		isConcurrencySafe: undefined,\n",
		test: tools("file-tools", "keeps all else that a tool declares"),
	},
	{
		law: "Built-in tools: a command is not safe",
		file: "engine/tools/run-command.ts",
		find: 'effect: "spawn",',
		replace: 'effect: "spawn", isConcurrencySafe: true,',
		test: tools("tools-table", "names every built-in tool with its effect, whether it is safe"),
	},
];

const RESUMING_AND_SCHEDULING: readonly Sabotage[] = [
	{
		law: "Resuming: the rest runs as the wave did",
		file: "engine/create-engine.ts",
		find: "executionOf({ toolExecution, onError: content.onError })",
		replace: "executionOf({ toolExecution: undefined, onError: content.onError })",
		test: { file: "test/pause/checkpoint.test.ts", title: "is plain JSON that says how the calls were run" },
	},
	{
		law: "Scheduling: never past the cap",
		file: "engine/execution/schedule.ts",
		find: "new Slots(checkedMax(schedule))",
		replace: "new Slots(checkedMax(schedule) + 1)",
		test: execution("schedule", "I1: starts in call order, never beside a call that is not safe"),
	},
	{
		law: "Scheduling: no call starts after one that stops",
		file: "engine/execution/schedule.ts",
		find: "if (schedule.stops?.(outcome) === true) state.halted = true;",
		replace: "",
		test: execution("schedule", "starts no call after one whose outcome stops"),
	},
	{
		law: "Scheduling: the first throw rejects at once",
		file: "engine/execution/schedule.ts",
		find: "		state.halted = true;\n		fail(error);",
		replace: "		state.halted = true;",
		test: execution("schedule", "rejects at once with the first throw"),
	},
	{
		law: "Scheduling: nothing starts after a throw",
		file: "engine/execution/schedule.ts",
		find: "		state.halted = true;\n		fail(error);",
		replace: "		fail(error);",
		test: execution("schedule", "rejects at once with the first throw"),
	},
	{
		law: "Scheduling: a safety check that throws is a no",
		file: "engine/execution/schedule.ts",
		find: "	} catch {\n		return false;",
		replace: "	} catch {\n		return true;",
		test: execution("schedule", "takes a safety check that throws for a no"),
	},
];

export const SEED_SABOTAGES: readonly Sabotage[] = [
	...SAFE_CALLS,
	...SEED_LOCK_SABOTAGES,
	...FILES,
	...RESUMING_AND_SCHEDULING,
];
