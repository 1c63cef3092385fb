// Killed writer
//
// A process that appends numbered records for ever, and says after each barrier how many are durable, until it is killed.
// It goes on from what the ledger holds. Built and run by killed-writer.test.ts.

import { writeSync } from "node:fs";
import { fileLedger } from "../../engine/ledger/file-ledger.js";
import { sqliteLedger } from "../../engine/ledger/sqlite-ledger.js";
import { recordAt } from "./killed-records.js";

const [, , kind, path = "", from = "0"] = process.argv;
const ledger = kind === "sqlite" ? sqliteLedger(path) : fileLedger(path);
let count = Number(from);
for (let barrier = 0; ; barrier += 1) {
	const size = 1 + (barrier % 5);
	ledger.append(Array.from({ length: size }, (_, place) => recordAt(count + place)));
	await ledger.barrier();
	count += size;
	// Not a stream: what is said must be on its way before the next barrier begins.
	writeSync(1, `${count}\n`);
}
