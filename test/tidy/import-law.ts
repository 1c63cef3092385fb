// Import law
//
// Which folder may import which, as one table. The layer check, the graph in engine/README.md and the tidy test are all
// made from it, so that a rule, its picture and its test cannot disagree.
//
// Owns:      the table, and what its rows mean for a path.
// Does not:  read the tree (layers.ts) or draw (generated.ts).

export interface Area {
	readonly name: string;
	/** The files of the area: a folder, or one file. */
	readonly path: string;
	/** Names of other areas, or single files of them. Whatever is not listed is forbidden, types included. */
	readonly imports: readonly string[];
}

const STAGES = ["admission", "execution", "accounting", "ahead", "policy"];
const FEATURES = [...STAGES, "locks", "ledger", "wave", "run", "streams", "tools", "report"];

/** Top to bottom in the order of one call's way through them. */
export const AREAS: readonly Area[] = [
	{ name: "core", path: "engine/core/", imports: [] },
	{ name: "locks", path: "engine/locks/", imports: ["core"] },
	{ name: "ledger", path: "engine/ledger/", imports: ["core"] },
	{ name: "policy", path: "engine/policy/", imports: ["core"] },
	{ name: "admission", path: "engine/admission/", imports: ["core", "policy"] },
	{ name: "execution", path: "engine/execution/", imports: ["core", "locks"] },
	{ name: "accounting", path: "engine/accounting/", imports: ["core", "policy", "ledger"] },
	{ name: "ahead", path: "engine/ahead/", imports: ["core", "admission", "execution"] },
	{ name: "wave", path: "engine/wave/", imports: ["core", "locks", "ledger", ...STAGES] },
	{
		name: "run",
		path: "engine/run/",
		imports: ["core", "policy", "admission", "ledger", "wave", "engine/report/reply-event.ts"],
	},
	{ name: "streams", path: "engine/streams/", imports: ["core"] },
	{ name: "tools", path: "engine/tools/", imports: ["core", "locks"] },
	{ name: "report", path: "engine/report/", imports: ["core"] },
	{ name: "workers", path: "workers/", imports: ["core", "engine/execution/executor.ts"] },
	{
		name: "options",
		path: "engine/options.ts",
		imports: ["core", "locks", "policy", "ledger", "wave", "run", "engine/execution/executor.ts"],
	},
	{
		name: "settle-options",
		path: "engine/settle-options.ts",
		imports: ["core", "locks", "ledger", "wave", "options"],
	},
	{
		name: "execute-concurrent",
		path: "engine/execute-concurrent.ts",
		imports: ["core", "locks", "admission", "ahead", "ledger", "wave", "run", "options", "settle-options"],
	},
	{
		name: "engine",
		path: "engine/engine.ts",
		imports: ["core", "options", "execution", "ledger", "run", "wave"],
	},
	{
		name: "create-engine",
		path: "engine/create-engine.ts",
		imports: ["core", "options", "settle-options", "engine", "workers", ...FEATURES],
	},
	{
		name: "index",
		path: "engine/index.ts",
		imports: ["core", "options", "execute-concurrent", "engine", "create-engine", "workers", ...FEATURES],
	},
	{ name: "testing", path: "engine/testing/", imports: ["index", "engine/execution/executor.ts"] },
	{ name: "adapters", path: "engine/adapters/", imports: ["index"] },
	{ name: "cli", path: "engine/cli/", imports: ["index"] },
];

/** A package that only the named files may import. */
export interface Enclosed {
	readonly package: string;
	readonly only: readonly string[];
	readonly reason: string;
}

export const ENCLOSED: readonly Enclosed[] = [
	{ package: "piscina", only: ["workers/pool.ts"], reason: "one file stands between the engine and the pool's traps" },
	{
		package: "comlink",
		only: ["workers/host-link.ts", "workers/entry.ts"],
		reason: "one file on each side of the link",
	},
];

/** An export that only the named area may import. */
export const OWNED_EXPORTS = [{ name: "mintTicket", of: "engine/core/ticket.ts", only: "engine/admission/" }] as const;

/** The area a file belongs to. */
export function areaOf(file: string): Area | undefined {
	return AREAS.find(({ path }) => (path.endsWith("/") ? file.startsWith(path) : file === path));
}
