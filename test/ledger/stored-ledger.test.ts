// A ledger that is read while a barrier comes to its end.

import { join } from "node:path";
import { expect, it } from "vitest";
import { FileStore } from "../../engine/ledger/file-ledger.js";
import { nodeFileSystem } from "../../engine/ledger/file-system.js";
import type { LedgerStore } from "../../engine/ledger/ledger-store.js";
import { StoredLedger } from "../../engine/ledger/stored-ledger.js";
import { collect, draftOf } from "../contracts/ledger.js";
import { temporaryFolders } from "./temporary-folder.js";

const folder = temporaryFolders();

it("F1: what becomes durable while a reader lets go of the store is read once, neither twice nor not at all", async () => {
	const file = new FileStore(join(folder(), "l"), nodeFileSystem);
	const store: LedgerStore = {
		path: file.path,
		claim: () => file.claim(),
		blobs: () => file.blobs(),
		read: async () => {
			const reader = await file.read();
			const close = reader.close.bind(reader);
			return Object.assign(reader, {
				close: async () => {
					await ledger.barrier();
					await close();
				},
			});
		},
	};
	const ledger = new StoredLedger(store);
	ledger.append([draftOf(0)]);
	await ledger.barrier();
	ledger.append([draftOf(1)]);
	expect((await collect(ledger.entries())).map(({ seq }) => seq)).toEqual([0, 1]);
	expect((await collect(ledger.entries())).map(({ seq }) => seq)).toEqual([0, 1]);
	await ledger.close();
});
