// A disk that is full while a ledger's lock is taken.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { fileLedger } from "../../engine/index.js";
import { draftOf } from "../contracts/ledger.js";
import { temporaryFolders } from "./temporary-folder.js";

const disk = vi.hoisted(() => ({ isFull: false }));

vi.mock("node:fs", async (original) => {
	const files = await original<typeof import("node:fs")>();
	const writeFileSync: typeof files.writeFileSync = (path, data, options) => {
		files.writeFileSync(path, disk.isFull ? "" : data, options);
		if (disk.isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
	};
	return { ...files, writeFileSync };
});

const folder = temporaryFolders();

it("a full disk leaves nothing of a lock that could not be taken, and lets it be taken once there is room", async () => {
	const path = join(folder(), "l");
	const ledger = fileLedger(path);
	disk.isFull = true;
	for (const index of [0, 1]) {
		expect(() => ledger.append([draftOf(index)])).toThrow(expect.objectContaining({ code: "LEDGER_FAILED" }));
	}
	disk.isFull = false;
	expect(readdirSync(join(path, ".."))).toEqual(["l"]);
	ledger.append([draftOf(2)]);
	await ledger.close();
	expect(readdirSync(join(path, ".."))).toEqual(["l"]);
});
