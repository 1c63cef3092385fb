// Scratch folder
//
// A folder of a test's own, gone when the test is over.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder with these files, by path and text; the result is its real path. */
export function scratchFolder(files: Readonly<Record<string, string>> = {}): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "wavetrain-")));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	return folder;
}
