// Listing sabotages
//
// The faults that break what is promised of the list of a ledger's runs, one line each.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const listed = (title: string) => ({ file: "test/recover/list-runs.test.ts", title });
const HISTORIES = { file: "test/recover/listed-histories.test.ts", title: "RN1, LS1: are listed as all their lines" };

export const LISTING_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Listing: a wave behind the end of a run is its host's",
		file: "engine/run/run-standing.ts",
		find: 'if (loop.kind === "ended") this.#loop = { kind: "host" };',
		replace: "",
		test: listed("RN1: are their host's again behind their end"),
	},
	{
		law: "Listing: a run that has gone on since its pause is not paused",
		file: "engine/run/run-standing.ts",
		find: 'if (record.kind === "run_resumed") this.#waiting = 0;',
		replace: "",
		test: HISTORIES,
	},
	{
		law: "Listing: the end of an agent inside a call is not the end of the run",
		file: "engine/run/run-standing.ts",
		find: "if (data.lineage === undefined && this.#looped(record)) return;",
		replace: "if (this.#looped(record)) return;",
		test: HISTORIES,
	},
	{
		law: "Listing: waves of a host with a call that has no answer are unfinished",
		file: "engine/run/run-standing.ts",
		find: 'this.#loop.kind === "host" && this.#wave === undefined;',
		replace: 'this.#loop.kind === "host";',
		test: listed("each as it stands: in memory"),
	},
	{
		law: "Listing: of a call that recovery will not run no question waits",
		file: "engine/run/run-standing.ts",
		find: 'return altered && record.kind !== "answered" && record.kind !== "settled" ? [] : record;',
		replace: "return record;",
		test: HISTORIES,
	},
	{
		law: "Listing: nothing of a line is kept",
		file: "engine/run/run-standing.ts",
		find: "wave.add({ ...record, data: bareBones(record) });",
		replace: "wave.add(record);",
		test: listed("RN2: are listed without keeping what their lines hold"),
	},
	{
		law: "Listing: only what recovery finds is a run",
		file: "engine/run/list-runs.ts",
		find: "if (run.hasBegun) listed.push(",
		replace: "listed.push(",
		test: listed("each as it stands: in a file"),
	},
	{
		law: "Listing: a damaged file of a folder costs its own run alone",
		file: "engine/run/list-runs.ts",
		find: "if (path === undefined || !isEngineError(error)",
		replace: "if (path !== undefined || !isEngineError(error)",
		test: listed("a folder opened"),
	},
	{
		law: "Listing: a damaged ledger of one file has no list",
		file: "engine/run/list-runs.ts",
		find: "if (path === undefined || !isEngineError(error)",
		replace: "if (!isEngineError(error)",
		test: listed("are not listed: a file that is not there, and a damaged one"),
	},
	{
		law: "Listing: a file of a folder holds its own run alone",
		file: "engine/ledger/run-folder.ts",
		find: "return runFile(dirname(path), runId) === path;",
		replace: 'return dirname(path) !== "" && runId !== path;',
		test: listed("RF1: are damaged where a file holds another run's lines"),
	},
];
