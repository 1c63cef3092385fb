// Workload profiles
//
// Four kinds of agents as distributions: how many calls a reply asks for, of which tools, how long each runs, how far
// apart they arrive at 40 tokens a second, and what meets what. Durations and gaps are lognormal by median and 90th
// percentile. The shapes of the coding and the research agent are taken from public traces and reports; that a table's
// query takes a third of a second of CPU, and how long a small read takes, are assumptions.
//
// Owns:      the profiles.
// Does not:  draw replies from them (workload-replies.ts).

/** Median and 90th percentile. */
export type Spread = readonly [medianMs: number, p90Ms: number];

export interface ToolShape {
	readonly name: string;
	/** Relative to the others of its profile. */
	readonly weight: number;
	readonly runs: Spread;
	/** `read`; `keyed`: a write that says what it changes, and is safe beside others; `alone`: one that does not. */
	readonly effect: "read" | "keyed" | "alone";
	/** What its key names; left out for a call without keys. */
	readonly keys?: "file" | "table" | "notes";
}

export interface Profile {
	readonly name: string;
	/** How often a reply asks for so many calls. */
	readonly calls: readonly (readonly [count: number, weight: number])[];
	readonly tools: readonly ToolShape[];
	readonly gap: Spread;
	/** How often the model thinks before a call, and for how long. */
	readonly thinks?: { readonly share: number; readonly forMs: number };
	/** How often a call with keys names the same as the call with keys before it. */
	readonly meets: number;
	/** How often a reply of several calls only writes. */
	readonly onlyWrites: number;
	readonly slots: number;
	readonly fails: number;
	readonly cut: number;
}

const CODING_TOOLS: readonly ToolShape[] = [
	{ name: "shell_read", weight: 13, runs: [1_500, 25_000], effect: "read" },
	{ name: "shell", weight: 27, runs: [1_500, 25_000], effect: "alone" },
	{ name: "read", weight: 24, runs: [10, 20], effect: "read", keys: "file" },
	{ name: "edit", weight: 18, runs: [200, 1_000], effect: "keyed", keys: "file" },
	{ name: "search", weight: 10, runs: [300, 800], effect: "read" },
	{ name: "write", weight: 4, runs: [200, 1_000], effect: "keyed", keys: "file" },
	{ name: "web", weight: 2, runs: [2_300, 5_100], effect: "read" },
	{ name: "other", weight: 2, runs: [300, 800], effect: "read" },
];

const CODING = {
	tools: CODING_TOOLS,
	gap: [500, 1_200],
	meets: 0.01,
	onlyWrites: 0.25,
	slots: 10,
	fails: 0.03,
	cut: 0.01,
} as const;

export const CODING_MAIN: Profile = {
	...CODING,
	name: "coding, main loop",
	calls: [
		[1, 82],
		[2, 11],
		[3, 5],
		[4, 0.8],
		[5, 0.4],
		[6, 0.3],
		[7, 0.2],
		[8, 0.2],
		[9, 0.1],
	],
};

export const CODING_SUB_AGENT: Profile = {
	...CODING,
	name: "coding, sub-agent",
	calls: [
		[1, 36],
		[2, 26],
		[3, 26],
		[4, 6],
		[5, 3],
		[6, 2],
		[7, 1],
	],
};

export const RESEARCH: Profile = {
	name: "research",
	calls: [
		[3, 30],
		[4, 30],
		[5, 17],
		[6, 12],
		[7, 7],
		[8, 4],
	],
	tools: [
		{ name: "search", weight: 60, runs: [5_800, 8_500], effect: "read" },
		{ name: "fetch", weight: 35, runs: [2_300, 5_100], effect: "read" },
		{ name: "note", weight: 5, runs: [200, 1_000], effect: "keyed", keys: "notes" },
	],
	gap: [500, 1_200],
	thinks: { share: 1 / 3, forMs: 2_000 },
	meets: 0,
	onlyWrites: 0,
	slots: 8,
	fails: 0.05,
	cut: 0.01,
};

export const DATA_ANALYSIS: Profile = {
	name: "data analysis",
	calls: [
		[2, 35],
		[3, 40],
		[4, 15],
		[5, 10],
	],
	tools: [
		{ name: "query", weight: 60, runs: [300, 2_000], effect: "read", keys: "table" },
		{ name: "script", weight: 25, runs: [300, 2_000], effect: "read" },
		{ name: "write_table", weight: 15, runs: [300, 2_000], effect: "keyed", keys: "table" },
	],
	gap: [1_000, 2_000],
	meets: 0.15,
	onlyWrites: 0,
	slots: 2,
	fails: 0.02,
	cut: 0,
};

export const SMALL_READS: Profile = {
	name: "many small reads",
	calls: [
		[8, 40],
		[12, 20],
		[16, 15],
		[24, 12],
		[32, 8],
		[48, 3],
		[64, 2],
	],
	tools: [
		{ name: "read", weight: 90, runs: [2, 15], effect: "read" },
		{ name: "list", weight: 8, runs: [2, 15], effect: "read" },
		{ name: "stat", weight: 2, runs: [2, 15], effect: "read" },
	],
	gap: [300, 600],
	meets: 0,
	onlyWrites: 0,
	slots: 16,
	fails: 0.01,
	cut: 0,
};
