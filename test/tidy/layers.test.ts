// The import law, shown trees that break it.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readLayers } from "./layers.js";
import { ROOT } from "./sources.js";

const made: string[] = [];

function tree(files: Readonly<Record<string, string>>): string {
	const root = mkdtempSync(join(tmpdir(), "wavetrain-layers-"));
	made.push(root);
	symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
	for (const [path, text] of Object.entries({ "engine/core/a.ts": "", "workers/pool.ts": "", ...files })) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	return root;
}

afterEach(() => {
	for (const root of made.splice(0)) rmSync(root, { recursive: true });
});

describe("the layer check", () => {
	it("finds an import that the table does not list, a type import too", async () => {
		const root = tree({
			"engine/core/a.ts": 'import type { B } from "../locks/b.js";\nexport type A = B;\n',
			"engine/locks/b.ts": "export interface B {}\n",
		});
		expect((await readLayers(root)).violations).toEqual([
			"core may import nothing of ours: engine/core/a.ts → engine/locks/b.ts",
		]);
	});

	it("lets through what the table lists, and of execution only the port to workers", async () => {
		const root = tree({
			"workers/inline.ts":
				'export * from "../engine/execution/executor.js";\nexport * from "../engine/execution/b.js";\n',
			"engine/execution/executor.ts": 'export * from "../core/a.js";\n',
			"engine/execution/b.ts": "export const b = 1;\n",
		});
		expect((await readLayers(root)).violations).toEqual([
			"workers may import core, engine/execution/executor.ts: workers/inline.ts → engine/execution/b.ts",
		]);
	});

	it("finds a package outside the files that may import it", async () => {
		const root = tree({
			"workers/pool.ts": 'import { Piscina } from "piscina";\nexport const p = Piscina;\n',
			"workers/inline.ts":
				'import { Piscina } from "piscina";\nimport { wrap } from "comlink";\nexport const p = [Piscina, wrap];\n',
		});
		const found = (await readLayers(root)).violations.map((violation) => violation.replace(/ →.*/, ""));
		expect(found).toEqual([
			expect.stringMatching(/^comlink is imported only in .*: workers\/inline\.ts$/),
			expect.stringMatching(/^piscina is imported only in .*: workers\/inline\.ts$/),
		]);
	});

	it("finds a circle and an import that leads nowhere", async () => {
		const root = tree({
			"engine/core/a.ts": 'import "./b.js";\nimport "./nowhere.js";\n',
			"engine/core/b.ts": 'import "./a.js";\n',
		});
		expect((await readLayers(root)).violations).toEqual([
			"every import leads somewhere: engine/core/a.ts → ./nowhere.js",
			"no cycles: engine/core/a.ts → engine/core/b.ts",
		]);
	});

	it("says how many files it read", async () => {
		expect((await readLayers(tree({}))).moduleCount).toBe(2);
	});
});
