// The numbered examples, each run as it stands: it prints what its last comment says it prints.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const names = readdirSync(import.meta.dirname).filter((name) => /^\d\d-[a-z-]+\.ts$/.test(name));

/** The lines under `// Prints:` at the end of an example. */
function printedBy(text: string): string {
	const [, comment = ""] = /\n\/\/ Prints:\n((?:\/\/ {3}.*\n)+)$/.exec(text) ?? [];
	return comment.replaceAll(/^\/\/ {3}/gm, "");
}

describe("the numbered examples", () => {
	it.each(names)("%s prints what it says", (name) => {
		const path = join(import.meta.dirname, name);
		const expected = printedBy(readFileSync(path, "utf8"));
		expect(expected).not.toBe("");
		const printed = execFileSync(process.execPath, ["--import", "tsx", path], { encoding: "utf8", timeout: 60_000 });
		expect(printed).toBe(expected);
	});

	it("are of numbers of their own", () => {
		expect(new Set(names.map((name) => name.slice(0, 2))).size).toBe(names.length);
	});
});
