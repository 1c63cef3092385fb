// Built process
//
// A module of these tests as a file that Node runs by itself: Node 20 does not load TypeScript, and whoever kills dozens of
// processes does not wait for a loader in each.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { afterAll, beforeAll } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Call once at the top of a test file; the result gives the built file's path. */
export function builtProcess(source: URL): () => string {
	const name = basename(fileURLToPath(source), ".ts");
	let built = "";
	// Under the repository, where a package that the process loads is found.
	beforeAll(async () => {
		built = realpathSync(mkdtempSync(join(ROOT, "node_modules", `.${name}-`)));
		await build({
			config: false,
			entry: [fileURLToPath(source)],
			outDir: built,
			outExtension: () => ({ js: ".mjs" }),
			format: "esm",
			target: "node20",
			silent: true,
		});
	}, 60_000);
	afterAll(() => rmSync(built, { recursive: true, force: true }));
	return () => join(built, `${name}.mjs`);
}
