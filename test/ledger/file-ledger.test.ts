// The file ledger keeps the contract of every ledger, and says clearly what it cannot open.

import { createHash } from "node:crypto";
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import { readLedger } from "../../engine/ledger/read-ledger.js";
import { codeOf, collect, draftOf, intentOf, ledgerContract } from "../contracts/ledger.js";
import { HeldDisk } from "./held-disk.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

ledgerContract("fileLedger", {
	make() {
		const path = join(folder(), "ledger.jsonl");
		const disk = new HeldDisk();
		const ledger = disk.ledgerAt(path);
		return { path, disk, ledger, dispose: () => ledger.close().catch(() => undefined) };
	},
	reopen: ({ path }) => fileLedger(path),
	// A copy made at that very moment, so that nothing that is still to be written is seen.
	afterCrash({ path }) {
		const left = folder();
		cpSync(dirname(path), left, { recursive: true });
		return fileLedger(join(left, "ledger.jsonl"));
	},
	disk: ({ disk }) => disk,
});

describe("what a file ledger does to the disk", () => {
	it("W1: fifty records a barrier are one write and one sync", async () => {
		const disk = new HeldDisk();
		const ledger = disk.ledgerAt(join(folder(), "l"));
		ledger.append(Array.from({ length: 50 }, (_, index) => draftOf(index)));
		await ledger.barrier();
		ledger.append(Array.from({ length: 50 }, (_, index) => draftOf(index)));
		await ledger.barrier();
		await ledger.close();
		const [header, barriers, mark] = [["write l", "sync l"], ["write l", "datasync l"], ["write l"]];
		expect(disk.done.filter((line) => line.endsWith(" l"))).toEqual([header, barriers, barriers, mark].flat());
	});

	it("the folder is synced before the first barrier resolves, so that the file's name is durable", async () => {
		const disk = new HeldDisk();
		const inside = folder();
		const ledger = disk.ledgerAt(join(inside, "l"));
		ledger.append([draftOf(0)]);
		await ledger.barrier();
		expect(disk.done).toEqual(["write l", "sync l", `sync ${inside.split("/").at(-1)}`, "write l", "datasync l"]);
		await ledger.close();
	});

	it("a disk that takes a few bytes a write gets all of them", async () => {
		const disk = new HeldDisk();
		disk.bytesAWriteMax = 7;
		const path = join(folder(), "l");
		const ledger = disk.ledgerAt(path);
		ledger.append([draftOf(0), draftOf(1)]);
		await ledger.close();
		expect(await collect(readLedger(path))).toEqual([draftOf(0), draftOf(1)].map((draft, seq) => ({ seq, ...draft })));
	});

	it("F2: a disk that takes nothing and reports nothing fails the barrier, and nothing is taken after it", async () => {
		const disk = new HeldDisk();
		disk.bytesAWriteMax = 0;
		const ledger = disk.ledgerAt(join(folder(), "l"));
		ledger.append([draftOf(0)]);
		expect(await codeOf(() => ledger.barrier())).toBe("LEDGER_FAILED");
		expect(await codeOf(() => ledger.append([draftOf(1)]))).toBe("LEDGER_FAILED");
		await ledger.close().catch(() => undefined);
	});

	it("F1: thousands of records of one barrier read back while it is under way", async () => {
		const disk = new HeldDisk();
		const ledger = disk.ledgerAt(join(folder(), "l"));
		const drafts = Array.from({ length: 2_500 }, (_, index) => draftOf(index));
		ledger.append(drafts);
		const reached = disk.holdNextSync();
		const barrier = ledger.barrier();
		const release = await reached;
		const during = await collect(ledger.entries());
		release();
		await barrier;
		expect(during).toEqual(drafts.map((draft, seq) => ({ seq, ...draft })));
		expect(await collect(ledger.entries())).toEqual(during);
		await ledger.close();
	});

	it("a long run without a barrier is written all the same, so that memory does not grow with it", async () => {
		const disk = new HeldDisk();
		const ledger = disk.ledgerAt(join(folder(), "l"));
		const reached = disk.holdNextSync();
		for (let index = 0; index < 300; index += 1) ledger.append([draftOf(index, { text: "x".repeat(30_000) })]);
		(await reached)();
		await ledger.close();
		expect(disk.syncs).toBe(1);
	});

	it("what its maker does to a record after appending it does not reach the file", async () => {
		const path = join(folder(), "l");
		const ledger = fileLedger(path);
		const data = { list: [1] };
		ledger.append([draftOf(0, data)]);
		data.list.push(2);
		await ledger.close();
		expect((await collect(readLedger(path)))[0]?.data).toEqual({ list: [1] });
	});
});

describe("opening a file ledger", () => {
	it("a ledger that is only read creates nothing and locks nothing", async () => {
		const inside = folder();
		const ledger = fileLedger(join(inside, "l"));
		expect(await collect(ledger.entries())).toEqual([]);
		expect(await collect(ledger.intents())).toEqual([]);
		await ledger.barrier();
		await ledger.close();
		expect(readdirSync(inside)).toEqual([]);
	});

	it("the file's bytes are those that its format names", async () => {
		const path = join(folder(), "l");
		const ledger = fileLedger(path);
		ledger.append([draftOf(0), intentOf(1)]);
		await ledger.barrier();
		ledger.append([draftOf(2)]);
		await ledger.close();
		const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
		const lines = ['{"format":"wavetrain-ledger","version":1}'];
		let hash = sha256(lines[0] ?? "");
		const add = (body: string): void => {
			hash = sha256(hash + body);
			lines.push(`${body},"hash":"${hash}"}`);
		};
		const bytes = (): number => Buffer.byteLength(`${lines.join("\n")}\n`);
		add('{"seq":0,"kind":"tool_called","runId":"run","at":1000,"data":{"index":0}');
		add('{"kind":"intent","runId":"run","at":1001,"data":{"index":1}');
		add(`{"kind":"durable","bytes":${bytes()}`);
		add('{"seq":1,"kind":"tool_called","runId":"run","at":1002,"data":{"index":2}');
		add(`{"kind":"durable","bytes":${bytes()}`);
		expect(readFileSync(path, "utf8")).toBe(`${lines.join("\n")}\n`);
		expect(lines[0]?.length).toBe(41);
	});

	const impossible: readonly [string, (inside: string) => string, string][] = [
		["a folder that is missing", (inside) => join(inside, "missing", "l"), "does not exist"],
		["a folder in the file's place", (inside) => inside, "it is a folder"],
		[
			"a file in the folder's place",
			(inside) => {
				writeFileSync(join(inside, "file"), "");
				return join(inside, "file", "l");
			},
			"not a folder",
		],
	];
	for (const [what, pathIn, words] of impossible) {
		it(`${what} is LEDGER_FAILED at the first append, in words`, async () => {
			const path = pathIn(folder());
			const ledger = fileLedger(path);
			expect(() => ledger.append([draftOf(0)])).toThrow(words);
			expect(() => ledger.append([draftOf(0)])).toThrow(path);
			expect(await codeOf(() => ledger.append([draftOf(0)]))).toBe("LEDGER_FAILED");
		});
	}

	it("a folder that may not be written is LEDGER_FAILED at the first append", async ({ skip }) => {
		if (process.getuid?.() === 0) return skip("the administrator may write everywhere");
		const inside = folder();
		chmodSync(inside, 0o500);
		expect(await codeOf(() => fileLedger(join(inside, "l")).append([draftOf(0)]))).toBe("LEDGER_FAILED");
	});

	for (const [what, content, words] of [
		["a note of one line", "buy milk\n", "it is no ledger"],
		["a note without a line end", "buy milk", "it is no ledger"],
		["a ledger of a later version", '{"format":"wavetrain-ledger","version":2}\n{}\n', "version 2"],
	] as const) {
		it(`W2: ${what} is refused and left as it is`, async () => {
			const path = join(folder(), "l");
			writeFileSync(path, content);
			const ledger = fileLedger(path);
			ledger.append([draftOf(0)]);
			await expect(ledger.barrier()).rejects.toThrow(words);
			expect(await codeOf(() => ledger.append([draftOf(0)]))).toBe("LEDGER_DAMAGED");
			expect(await codeOf(() => ledger.close())).toBe("LEDGER_DAMAGED");
			expect(readFileSync(path, "utf8")).toBe(content);
			expect(existsSync(`${path}.lock`)).toBe(false);
		});
	}

	it("a ledger reached by a link keeps its values beside the file and not beside the link", async () => {
		const inside = folder();
		mkdirSync(join(inside, "real"));
		writeFileSync(join(inside, "real", "l"), "");
		symlinkSync(join("real", "l"), join(inside, "link"));
		const ledger = fileLedger(join(inside, "link"));
		ledger.append([draftOf(0, { text: "x".repeat(100_000) })]);
		await ledger.close();
		expect(readdirSync(join(inside, "real")).sort()).toEqual(["l", "l.blobs"]);
		expect(await collect(readLedger(join(inside, "link")))).toEqual(
			await collect(readLedger(join(inside, "real", "l"))),
		);
	});
});
