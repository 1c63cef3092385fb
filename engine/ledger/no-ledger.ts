// No ledger
//
// For a host that keeps no history. Its own adapter rather than a check at every place that writes: the stages write as
// they always do, and an engine that lives for weeks does not collect lines that nobody will read.
//
// Owns:      taking lines and keeping none.
// Does not:  promise anything: its barrier makes nothing durable, and nothing can be recovered from it.

import type { Ledger } from "./ledger.js";

const nothing = {
	[Symbol.asyncIterator]: () => ({ next: async () => ({ done: true as const, value: undefined }) }),
};

export const noLedger: Ledger = {
	append: () => undefined,
	barrier: async () => undefined,
	entries: () => nothing,
	intents: () => nothing,
	records: () => nothing,
	close: async () => undefined,
};
