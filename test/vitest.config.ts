// Vitest
//
// Three projects by what they need: `unit` runs from source alone, `built` builds the package first (Node 20 cannot load
// a worker from TypeScript), `tidy` reads the repository.

import { defineConfig } from "vitest/config";

const BUILT = "test/{workers,threads,examples,cli}/**/*.test.ts";
const TIDY = "test/tidy/**/*.test.ts";
const setupFiles = ["test/support/property-seed.ts"];

export default defineConfig({
	test: {
		projects: [
			{ test: { name: "unit", include: ["test/**/*.test.ts"], exclude: [BUILT, TIDY], setupFiles } },
			{ test: { name: "built", include: [BUILT], globalSetup: ["test/support/build-workers.ts"], setupFiles } },
			{ test: { name: "tidy", include: [TIDY] } },
		],
	},
});
