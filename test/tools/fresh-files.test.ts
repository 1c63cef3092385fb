// Files that were changed a moment ago: two changes within one step of the file system's clock look alike from outside.

import { type BigIntStats, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../engine/core/clock.js";
import { CHANGE_TIME_STEP_MS, FRESH_FILE_BYTES_MAX } from "../../engine/core/tool-limits.js";
import { freshFiles } from "../../engine/tools/fresh-files.js";
import { scratchFolder } from "../support/scratch-folder.js";

/** What `stat` would say of a file that was changed so long ago; every look gets the very same. */
function statedAs(path: string, agoMs: number): BigIntStats {
	const stat = statSync(path, { bigint: true });
	const ctimeNs = BigInt(Math.round(systemClock.now() - agoMs)) * 1_000_000n;
	return Object.assign(Object.create(stat) as BigIntStats, { dev: stat.dev, ino: stat.ino, size: stat.size, ctimeNs });
}

const file = () => join(scratchFolder({ "a.txt": "one" }), "a.txt");

it("is told by its content when it is fresh, now and whenever it is looked at again", () => {
	const path = file();
	const fresh = statedAs(path, 0);
	const before = freshFiles.mark(path, fresh);
	expect(before).not.toBe("");
	expect(freshFiles.mark(path, fresh)).toBe(before);
	writeFileSync(path, "two");
	expect(freshFiles.mark(path, fresh)).not.toBe(before);
});

it("is told by its content later, too, once it was seen fresh", () => {
	const path = file();
	const fresh = statedAs(path, CHANGE_TIME_STEP_MS - 5);
	const before = freshFiles.mark(path, fresh);
	const untilMs = systemClock.now() + 10;
	while (systemClock.now() < untilMs);
	expect(freshFiles.mark(path, fresh)).toBe(before);
	writeFileSync(path, "two");
	expect(freshFiles.mark(path, fresh)).not.toBe(before);
});

it("is told by its times alone when it is not", () => {
	const path = file();
	expect(freshFiles.mark(path, statedAs(path, 10 * CHANGE_TIME_STEP_MS))).toBe("");
});

it("is like nothing, not even itself, when it is fresh and too large to look into", () => {
	const path = file();
	writeFileSync(path, "x".repeat(FRESH_FILE_BYTES_MAX + 1));
	const fresh = statedAs(path, 0);
	expect(freshFiles.mark(path, fresh)).not.toBe(freshFiles.mark(path, fresh));
});
