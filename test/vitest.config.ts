import { defineConfig } from "vitest/config";

// Projects by what they need: `threads` builds the worker entry first, the others run from source alone.
export default defineConfig({
	test: {
		projects: [
			{
				test: {
					name: "unit",
					include: ["test/**/*.test.ts"],
					exclude: ["test/workers/**", "test/threads/**", "test/tidy/**", "test/examples/**", "test/cli/**"],
				},
			},
			{
				test: {
					name: "threads",
					include: ["test/{workers,threads,examples,cli}/**/*.test.ts"],
					globalSetup: ["test/support/build-workers.ts"],
				},
			},
			{ test: { name: "tidy", include: ["test/tidy/**/*.test.ts"] } },
		],
	},
});
