// One writer a ledger: in this process, in another, and after one has died.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import { readLedger, verifyLedger } from "../../engine/ledger/read-ledger.js";
import { sqliteLedger } from "../../engine/ledger/sqlite-ledger.js";
import { takeWriterLock } from "../../engine/ledger/writer-lock.js";
import { codeOf, collect, draftOf } from "../contracts/ledger.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();
const SECOND_WRITER = fileURLToPath(new URL("./second-writer.ts", import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
	for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface OtherWriter {
	readonly pid: number | undefined;
	/** What it said first: `holds`, or the code of its refusal. */
	readonly said: string;
	close(): Promise<void>;
	kill(): Promise<void>;
}

async function otherWriter(path: string, runId: string): Promise<OtherWriter> {
	const child = spawn(process.execPath, ["--import", "tsx", SECOND_WRITER, path, runId], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	children.push(child);
	const gone = once(child, "exit");
	const [said] = await once(createInterface({ input: child.stdout }), "line");
	const close = async (): Promise<void> => {
		child.stdin.end();
		await gone;
	};
	const kill = async (): Promise<void> => {
		child.kill("SIGKILL");
		await gone;
	};
	return { pid: child.pid, said, close, kill };
}

/** The lock that a process would have left. */
function leaveLock(path: string, holder: object): void {
	writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: hostname(), began: "", token: "left", ...holder }));
}

describe("two writers in one process", () => {
	it("the second is refused at its first append, and may go on once the first has closed", async () => {
		const path = join(folder(), "l");
		const first = fileLedger(path);
		const second = fileLedger(path);
		first.append([draftOf(0)]);
		expect(() => second.append([draftOf(1)])).toThrow(`process ${process.pid} on host "${hostname()}"`);
		expect(await codeOf(() => second.append([draftOf(1)]))).toBe("LEDGER_IN_USE");
		await first.close();
		second.append([draftOf(1)]);
		await second.close();
		expect((await collect(readLedger(path))).map(({ seq, data }) => [seq, data.index])).toEqual([
			[0, 0],
			[1, 1],
		]);
	});

	it("two paths to one file meet at one lock", async () => {
		const inside = folder();
		const first = fileLedger(join(inside, "l"));
		first.append([draftOf(0)]);
		symlinkSync("l", join(inside, "link"));
		expect(await codeOf(() => fileLedger(join(inside, "link")).append([draftOf(1)]))).toBe("LEDGER_IN_USE");
		expect(await codeOf(() => fileLedger(join(inside, ".", "l")).append([draftOf(1)]))).toBe("LEDGER_IN_USE");
		await first.close();
	});

	it.each([
		["file", fileLedger],
		["SQLite", sqliteLedger],
	])("a %s with other names has none, because a writer by another one would not see the lock", async (_, make) => {
		const [path, other] = [join(folder(), "l"), join(folder(), "other")];
		const first = make(path);
		first.append([draftOf(0)]);
		await first.barrier();
		linkSync(path, other);
		const second = make(other);
		expect(await codeOf(async () => second.append([draftOf(9)]))).toBe("LEDGER_FAILED");
		expect(existsSync(`${other}.lock`)).toBe(false);
		first.append([draftOf(1)]);
		await first.close();
		for (const name of [path, other]) {
			const late = make(name);
			expect(await codeOf(async () => late.append([draftOf(9)]))).toBe("LEDGER_FAILED");
		}
		rmSync(other);
		const next = make(path);
		next.append([draftOf(2)]);
		await next.close();
		expect(await collect(readLedger(path))).toHaveLength(3);
	});

	it("nothing but the ledger is left after a close, nor after a refusal", async () => {
		const inside = folder();
		const first = fileLedger(join(inside, "l"));
		first.append([draftOf(0)]);
		await codeOf(() => fileLedger(join(inside, "l")).append([draftOf(1)]));
		expect(readdirSync(inside).sort()).toEqual(["l", "l.lock"]);
		await first.close();
		expect(readdirSync(inside)).toEqual(["l"]);
	});
});

describe("two writers in two processes", () => {
	it("each is refused while the other holds, with the other named", async () => {
		const path = join(folder(), "l");
		const other = await otherWriter(path, "other");
		expect(other.said).toBe("holds");
		expect(() => fileLedger(path).append([draftOf(0)])).toThrow(`process ${other.pid} on host "${hostname()}"`);
		await other.close();
		const own = fileLedger(path);
		own.append([draftOf(0)]);
		expect((await otherWriter(path, "other")).said).toBe("LEDGER_IN_USE");
		await own.close();
		expect((await collect(readLedger(path))).map(({ runId }) => runId)).toEqual(["other", "run"]);
	});

	it("the lock of a killed writer is taken over, and its entries are kept", async () => {
		const path = join(folder(), "l");
		const other = await otherWriter(path, "killed");
		await other.kill();
		expect(existsSync(`${path}.lock`)).toBe(true);
		const own = fileLedger(path);
		own.append([draftOf(0)]);
		await own.close();
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 2 });
		expect(readdirSync(join(path, ".."))).toEqual(["l"]);
	});
});

describe("several writers that find a dead one's lock", () => {
	it("exactly one of them takes it over, and the others are refused", async () => {
		const path = join(folder(), "l");
		leaveLock(path, { pid: 999_999_999, token: "dead" });
		const others = await Promise.all(["a", "b", "c", "d"].map((runId) => otherWriter(path, runId)));
		const said = others.map((other) => other.said).sort();
		expect(said).toEqual(["LEDGER_IN_USE", "LEDGER_IN_USE", "LEDGER_IN_USE", "holds"]);
		await Promise.all(others.map((other) => other.close()));
		expect(await verifyLedger(path)).toEqual({ ok: true, entries: 1 });
	}, 30_000);
});

describe("a lock that was left behind", () => {
	const began = (path: string): unknown => JSON.parse(readFileSync(`${path}.lock`, "utf8")).began;

	it("of a process id that another process has by now is taken over", async ({ skip }) => {
		const path = join(folder(), "l");
		const lock = takeWriterLock(path);
		const known = began(path) !== "";
		await lock.release();
		if (!known) return skip("this system does not tell when a process began");
		leaveLock(path, { pid: process.pid, began: "another boot:1" });
		await takeWriterLock(path).release();
	});

	it("by a process of another host is never taken over", async () => {
		const path = join(folder(), "l");
		leaveLock(path, { pid: 999_999_999, host: "elsewhere" });
		expect(() => takeWriterLock(path)).toThrow(`process 999999999 on host "elsewhere"`);
		expect(() => takeWriterLock(path)).toThrow(`delete ${path}.lock`);
	});

	it("empty, as a crash of the whole system leaves it, is taken over", async () => {
		const path = join(folder(), "l");
		writeFileSync(`${path}.lock`, "");
		const lock = takeWriterLock(path);
		expect(await codeOf(() => takeWriterLock(path))).toBe("LEDGER_IN_USE");
		await lock.release();
	});

	it("is not taken over by two: who is taking it over already is named", async () => {
		const path = join(folder(), "l");
		leaveLock(path, { pid: 999_999_999, token: "dead" });
		const taking = { pid: process.pid, host: hostname(), began: "", token: "taking" };
		writeFileSync(`${path}.lock.dead`, JSON.stringify(taking));
		expect(() => takeWriterLock(path)).toThrow(`process ${process.pid} on host`);
	});

	it("half taken over by a writer that died as well is taken over", async () => {
		const inside = folder();
		const path = join(inside, "l");
		leaveLock(path, { pid: 999_999_999, token: "dead" });
		writeFileSync(
			`${path}.lock.dead`,
			JSON.stringify({ pid: 999_999_998, host: hostname(), began: "", token: "dead-2" }),
		);
		const lock = takeWriterLock(path);
		expect(readdirSync(inside)).toEqual(["l.lock"]);
		await lock.release();
		expect(readdirSync(inside)).toEqual([]);
	});

	it("is let go only by the writer that took it", async () => {
		const path = join(folder(), "l");
		const lock = takeWriterLock(path);
		leaveLock(path, { token: "someone else's" });
		await lock.release();
		expect(existsSync(`${path}.lock`)).toBe(true);
	});
});
