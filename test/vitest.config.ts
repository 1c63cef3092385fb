// Vitest
//
// Four projects by what they need: `unit` runs from source alone, `mocked` does and changes what other files see,
// `built` builds the package first (Node 20 cannot load a worker from TypeScript), `tidy` reads the repository.
//
// The files of `unit` share the modules that a worker has loaded: loading the engine anew for each of two hundred files took
// longer than most of them.

import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const BUILT = [
	"test/{workers,threads,examples,cli,bench}/**/*.test.ts",
	// Their tools name modules of the build.
	"test/tools/locked-files.test.ts",
	"test/policy/net-in-waves.test.ts",
	"test/policy/net-late-edits.test.ts",
];
/** What they put in the place of a module, or a variable of the process, is theirs alone (held to by test/tidy/shared-modules.test.ts). */
const MOCKED = [
	"test/ledger/lock-on-full-disk.test.ts",
	"test/locks/tool-locks.test.ts",
	"test/policy/checkpoint-net.test.ts",
	"test/policy/discarding-shells.test.ts",
];
const TIDY = "test/tidy/**/*.test.ts";

const shared = {
	setupFiles: ["test/support/property-seed.ts"],
	// A hang is found, a busy machine is not taken for one.
	testTimeout: 30_000,
};

export default defineConfig({
	test: {
		// All cores of a small machine: vitest would leave one of two idle.
		maxWorkers: Math.max(2, availableParallelism() - 1),
		projects: [
			{
				// What the bench calls by the package's name is here the sources: this project builds nothing.
				resolve: { alias: { wavetrain: fileURLToPath(new URL("../engine/index.ts", import.meta.url)) } },
				test: {
					...shared,
					name: "unit",
					include: ["test/**/*.test.ts"],
					exclude: [...MOCKED, ...BUILT, TIDY],
					isolate: false,
				},
			},
			{ test: { ...shared, name: "mocked", include: MOCKED } },
			{ test: { ...shared, name: "built", include: BUILT, globalSetup: ["test/support/build-workers.ts"] } },
			{ test: { ...shared, name: "tidy", include: [TIDY] } },
		],
	},
});
