// Temporary folder
//
// A folder of its own for every test that needs files, gone afterwards.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

/** Call once at the top of a test file; the result makes a fresh folder and gives its real path. */
export function temporaryFolders(): () => string {
	const made: string[] = [];
	afterEach(() => {
		for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
	});
	return () => {
		const folder = realpathSync(mkdtempSync(join(tmpdir(), "wavetrain-ledger-")));
		made.push(folder);
		return folder;
	};
}
