// What a host is told to do where a path holds no ledger: nothing about disks, copies or crashes.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	createEngine,
	fileLedger,
	listRuns,
	readLedger,
	recover,
	sqliteLedger,
	verifyLedger,
} from "../../engine/index.js";
import { HEADER } from "../../engine/ledger/line-format.js";
import { codeOf, collect, draftOf } from "../contracts/ledger.js";
import { scratchFolder } from "../support/scratch-folder.js";

async function messageOf(work: () => unknown): Promise<string> {
	try {
		await work();
	} catch (error) {
		return (error as Error).message;
	}
	return "nothing was thrown";
}

describe("a ledger that is not there", () => {
	const readers: readonly [string, (path: string) => Promise<unknown>][] = [
		["readLedger", (path) => collect(readLedger(path))],
		["verifyLedger", verifyLedger],
		["listRuns", listRuns],
		["recover", (path) => recover(path, "run")],
	];

	it.each(readers)("is to be named, says %s", async (_name, read) => {
		const folder = scratchFolder({ file: "" });
		for (const path of [join(folder, "missing"), join(folder, "missing", "l"), join(folder, "file", "l")]) {
			expect(await codeOf(() => read(path))).toBe("LEDGER_FAILED");
			const message = await messageOf(() => read(path));
			expect(message).toContain(path);
			expect(message).toMatch(/\. Name the path of a ledger\.$/);
		}
	});

	it("asks for its folder where it is written to, alone or rotated by run", async () => {
		const folder = join(scratchFolder(), "missing");
		const make = `. Make the folder ${JSON.stringify(folder)}, or give another path.`;
		for (const ledger of [fileLedger(join(folder, "l")), fileLedger(folder, { rotate: "run" })]) {
			const message = await messageOf(() => ledger.append([draftOf(0)]));
			expect(message.endsWith(make)).toBe(true);
		}
	});
});

describe("a file that was never a ledger", () => {
	it.each(["buy milk\n", "buy milk", '{"a":1}\n{"b":2}\n', "\n\n"])(
		"is called none, and stays as it is: %j",
		async (text) => {
			const folder = scratchFolder({ file: text });
			const path = join(folder, "file");
			const told = /: it is no ledger, it does not begin as one\. Give another path; the file is left as it is\.$/;
			expect(await messageOf(() => collect(readLedger(path)))).toMatch(told);
			expect(await messageOf(() => listRuns(path))).toMatch(told);
			expect(await verifyLedger(path)).toMatchObject({ ok: false, problem: { line: 1 } });
			const ledger = fileLedger(path);
			ledger.append([draftOf(0)]);
			expect(await messageOf(() => ledger.barrier())).toMatch(told);
			expect(await codeOf(() => ledger.barrier())).toBe("LEDGER_DAMAGED");
			await codeOf(() => ledger.close());
			expect(readFileSync(path, "utf8")).toBe(text);
		},
	);

	const header = HEADER.toString();
	it.each([
		header.replace("ledger", "lodger"),
		header.replace("format", "farmot"),
		`${"\0".repeat(HEADER.length)}x`,
		'{"seq":0,"kind":"tool_called","runId":"run","at":1,"data":{},"hash":"0123456789abcdef0123456789abcdef"}\n',
	])("is not what one is called whose first line was changed or lost: %j", async (text) => {
		const folder = scratchFolder({ file: `${text}{}\n` });
		const message = await messageOf(() => collect(readLedger(join(folder, "file"))));
		expect(message).toMatch(/: line 1 is damaged: .+\. Restore the file from a copy/);
	});
});

describe("a ledger's path", () => {
	it.each([undefined, null, "", 7, {}])("is a text, and %j is refused at once", async (path) => {
		const makers = [
			() => fileLedger(path as string),
			() => fileLedger(path as string, { rotate: "run" }),
			() => sqliteLedger(path as string),
		];
		for (const make of makers) {
			expect(await codeOf(make)).toBe("INVALID_OPTIONS");
			expect(await messageOf(make)).toContain("path");
		}
	});

	it("given to an engine in a ledger's place names what makes one", async () => {
		const folder = scratchFolder();
		const path = join(folder, "run.jsonl");
		const message = await messageOf(() => createEngine({ tools: [], ledger: path as never }));
		expect(message).toContain("fileLedger(path)");
		expect(existsSync(path)).toBe(false);
	});
});
