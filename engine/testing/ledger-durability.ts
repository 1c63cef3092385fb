// Ledger durability
//
// What a ledger promises of the time after it: that what a barrier made durable outlives a crash, and what was appended a
// close. A crash is looked at by a second ledger on the store while the first one is still open, because closing may do
// what a barrier should have done.
//
// Owns:      those promises as cases.
// Does not:  know an adapter, or how a store is opened again (`LedgerUnderTest`).

import { deepStrictEqual } from "node:assert/strict";
import type { Ledger } from "../index.js";
import { codeOf, type Promised, promised } from "./contract-case.js";
import { type Draft, draftOf, everyKind, hasValues, holdsExactly, intentOf, keepsValues, turn } from "./ledger-kit.js";

/** A ledger, and others on its store. What is opened is closed by whoever runs the case. */
export interface OnStore {
	readonly ledger: Ledger;
	/** As a later process would open it; the one before was closed. */
	reopen(): Ledger;
	/** What would be found if the process died now. */
	afterCrash(): Promise<Ledger>;
}

export const OF_STORES: readonly Promised<OnStore>[] = [
	promised("L2: what a barrier made durable is there for the next process, numbered on from there", outlives),
	promised("L2: what a barrier made durable is there after a crash, and what the next one did as well", survives),
	promised("L2: a barrier covers all that was appended before it, also where another is under way", coversAll),
	promised("L2: what no barrier made durable is made so by close, also behind a barrier that is under way", closes),
	promised("L2: large entries and thousands of them are there after a crash and for the next process", isWhole),
	promised("L2: what was only read stays as it was", staysAsItWas),
	promised("values that it keeps are there after a crash and for the next process", async (on) => {
		if (!(await keepsValues(on.ledger))) return;
		await hasValues(await on.afterCrash());
		await on.ledger.close();
		await hasValues(on.reopen());
	}),
];

async function outlives({ ledger, reopen }: OnStore): Promise<void> {
	const given: Draft[] = [];
	let next = ledger;
	for (const [generation, isReadFirst] of [false, true, false].entries()) {
		if (isReadFirst) await holdsExactly(next, given);
		const more = everyKind(1_000 * generation);
		given.push(...more);
		next.append(more);
		await next.barrier();
		await holdsExactly(next, given);
		await next.close();
		next = reopen();
	}
	await holdsExactly(next, given);
}

async function survives({ ledger, afterCrash }: OnStore): Promise<void> {
	const given: Draft[] = [];
	// An intent alone last: it is what a barrier is asked for.
	for (const more of [everyKind(0), [intentOf(1_000)], everyKind(2_000), [intentOf(3_000)]]) {
		given.push(...more);
		ledger.append(more);
		await ledger.barrier();
		await holdsExactly(await afterCrash(), given);
	}
}

async function coversAll({ ledger, afterCrash }: OnStore): Promise<void> {
	const given: Draft[] = [];
	const append = (index: number): void => {
		const records = [intentOf(index), draftOf(index)];
		given.push(...records);
		ledger.append(records);
	};
	// How far the first has come when more is appended is for the ledger to choose, so several moments are tried.
	for (const turns of [0, 1, 2, 3, 5, 8]) {
		append(2 * turns);
		const first = ledger.barrier();
		for (let taken = 0; taken < turns; taken += 1) await (turns < 3 ? Promise.resolve() : turn());
		append(2 * turns + 1);
		await ledger.barrier();
		await holdsExactly(await afterCrash(), given);
		await first;
	}
}

async function closes({ ledger, reopen }: OnStore): Promise<void> {
	const [first, second] = [everyKind(0), everyKind(1_000)];
	ledger.append(first);
	const barrier = ledger.barrier();
	ledger.append(second);
	const closing = ledger.close();
	// It takes nothing more from then on, and what it has taken it keeps.
	deepStrictEqual(await codeOf(() => ledger.append(first)), "LEDGER_FAILED");
	await Promise.all([barrier, closing, ledger.close()]);
	await holdsExactly(reopen(), [...first, ...second]);
}

async function isWhole({ ledger, reopen, afterCrash }: OnStore): Promise<void> {
	const large = "\u00e4\ud83d\ude00\n\ud800".repeat(60_000);
	const many = Array.from({ length: 1_500 }, (_, index) => draftOf(index + 2));
	const given = [draftOf(0, { large, list: [large] }), intentOf(1), ...many, draftOf(9_999, { large })];
	ledger.append(given);
	await ledger.barrier();
	await holdsExactly(await afterCrash(), given);
	await ledger.close();
	await holdsExactly(reopen(), given);
}

async function staysAsItWas({ ledger, reopen }: OnStore): Promise<void> {
	const given = everyKind(0);
	ledger.append(given);
	await ledger.close();
	for (const _ of [0, 1]) {
		const reader = reopen();
		await holdsExactly(reader, given);
		await reader.barrier();
		await Promise.all([reader.close(), reader.close()]);
	}
	await holdsExactly(reopen(), given);
}
