// Child ledger
//
// The ledger of a nested call: its entries are kept aside for the place between its parent's two lines; its intents go
// to the ledger at once, because they must be durable before the call acts, wherever its lines will stand.
//
// Owns:      the parting of entries and intents.
// Does not:  decide where the entries stand (wave/nested-calls.ts).

import type { EntryDraft, Intent } from "./entry.js";
import type { Ledger } from "./ledger.js";

/** The nested call's own `model_returned` is left out: the model asked for its parent, not for it. */
export function childLedger(behind: Ledger, lines: EntryDraft[]): Ledger {
	let intents = false;
	return {
		append(records: readonly (EntryDraft | Intent)[]): void {
			for (const record of records) {
				if (record.kind === "intent") {
					intents = true;
					behind.append([record]);
				} else if (record.kind !== "model_returned") {
					lines.push(record);
				}
			}
		},
		async barrier(): Promise<void> {
			// Without an intent there is nothing of this call that a barrier could make durable.
			if (!intents) return;
			intents = false;
			await behind.barrier();
		},
		entries: () => behind.entries(),
		intents: () => behind.intents(),
		records: (runId) => behind.records(runId),
		close: async () => undefined,
	};
}
