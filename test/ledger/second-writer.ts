// Second writer
//
// Another process that writes a ledger: it appends one entry, says so on its output, and holds the ledger until its input
// ends or it is killed. Run by writer-lock.test.ts.

import { stdin, stdout } from "node:process";
import { fileLedger } from "../../engine/ledger/file-ledger.js";

const [, , path = "", runId = ""] = process.argv;
const ledger = fileLedger(path);
try {
	ledger.append([{ kind: "run_started", runId, at: 0, data: {} }]);
	await ledger.barrier();
	stdout.write("holds\n");
	for await (const _ of stdin) {
		// Nothing is read; the end of the input is what is waited for.
	}
	await ledger.close();
} catch (error) {
	stdout.write(`${(error as { code?: string }).code}\n`);
	stdin.destroy();
}
