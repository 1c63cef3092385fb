// Named failures
//
// A ledger of the host's own may fail in words of its own. Whoever runs a wave must know that it was the ledger, and what
// to do then; so the engine writes through this, and nothing but a ledger's failure is ever called one.
//
// Owns:      naming what append and barrier fail with.
// Does not:  read, or close: that is the host's to hear as it comes.

import type { EntryDraft, Intent } from "./entry.js";
import type { Ledger } from "./ledger.js";
import { failedError } from "./ledger-error.js";

export function namedFailures(ledger: Ledger): Ledger {
	const { values } = ledger;
	return {
		append(records: readonly (EntryDraft | Intent)[]): void {
			try {
				ledger.append(records);
			} catch (error) {
				throw failedError("append to the ledger", error);
			}
		},
		async barrier(): Promise<void> {
			try {
				await ledger.barrier();
			} catch (error) {
				throw failedError("make the ledger durable", error);
			}
		},
		entries: () => ledger.entries(),
		intents: () => ledger.intents(),
		records: (runId) => ledger.records(runId),
		close: () => ledger.close(),
		...(values && { values }),
	};
}
