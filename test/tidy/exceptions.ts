// Exceptions
//
// What a rule lets through, each with the reason. A line without a use is a finding too: exceptions are not kept in
// store.
//
// Owns:      the exceptions of the tidy rules and of the linter.
// Does not:  apply them (rules.ts, biome.json).

export interface Exception {
	readonly path: string;
	readonly reason: string;
}

/** Files, or folders, that read a clock, chance or the event loop's turn. */
export const CLOCK_USERS: readonly Exception[] = [
	{ path: "engine/core/clock.ts", reason: "it is the door through which time enters" },
	{
		path: "workers/pool.ts",
		reason: "a worker is asked how busy its event loop was, which Node keeps under the name of its performance",
	},
	{
		path: "test/support/thread-tools/faults.ts",
		reason: "what an ended call leaves behind is most often a timer of Node's own",
	},
	{ path: "test/support/", reason: "what moves time by hand, and bounds a wait for a process, stands here" },
];

/** The linter's overrides: a rule and where it is off. biome.json takes no comments, so the reasons are here. */
export const LINT_OVERRIDES: readonly (Exception & { readonly rule: string })[] = [
	{
		rule: "noDefaultExport",
		path: "test/vitest.config.ts",
		reason: "vitest reads its configuration from the default export",
	},
	{
		rule: "noExcessiveLinesPerFunction",
		path: "test/**/*.test.ts",
		reason: "a describe block is a function that holds many tests, each of them short",
	},
	{
		rule: "useMaxParams",
		path: "test/**/*.test.ts",
		reason: "the parameters of a table's test are the columns of the table",
	},
	{
		rule: "noProcessEnv",
		path: "test/support/property-seed.ts",
		reason: "whether this is CI is known by the environment alone",
	},
	{
		rule: "noProcessEnv",
		path: "test/support/sabotage.ts",
		reason: "the test runner it starts needs the environment it was started in",
	},
];
