// Usual line
//
// Nearly every line is as the writer makes it: its fields in their order, no value beside the ledger, and a kind and a run
// that came before. Such a line is read by where its fields stand, and only `data` is parsed. Reading a ledger is mostly
// parsing, and parsing the whole line takes half as long again.
//
// Owns:      telling such a line, and reading it.
// Does not:  judge any other: that is parsed whole (record-text.ts).
//
// Invariants:
//   UL1. What is read here is what parsing the whole line gives.

import { LINE_HEADS_MAX } from "../core/ledger-limits.js";
import type { Entry, Intent } from "./entry.js";
import { SEQ_START, TAIL_CHARS, wholeIn } from "./line-format.js";

const AT = ',"at":';
const DATA = ',"data":';
const CLOSING_BRACE = 0x7d;

type Head = Pick<Entry | Intent, "kind" | "runId">;

export class UsualLines {
	/** What stands before `at`, by its text. */
	readonly #heads = new Map<string, Head>();

	/** The record of a line that fits the chain; `undefined` says nothing of the line. */
	read(text: string): Entry | Intent | undefined {
		const isEntry = text.startsWith(SEQ_START);
		const headFrom = isEntry ? text.indexOf(",") + 1 : 1;
		const headEnd = text.indexOf(AT, headFrom);
		const atEnd = text.indexOf(DATA, headEnd);
		const dataEnd = text.length - TAIL_CHARS;
		// Values beside the ledger are named in a list behind the data.
		if (headEnd < 0 || atEnd < 0 || text.charCodeAt(dataEnd - 1) !== CLOSING_BRACE) return undefined;
		const head = this.#headOf(text.slice(headFrom, headEnd));
		const at = wholeIn(text, headEnd + AT.length, atEnd);
		if (head === undefined || at === undefined) return undefined;
		const data = parsed(text.slice(atEnd + DATA.length, dataEnd));
		const { kind, runId } = head;
		if (data === undefined) return undefined;
		if (!isEntry) return kind === "intent" ? { kind, runId, at, data } : undefined;
		const seq = wholeIn(text, SEQ_START.length, headFrom - 1);
		return seq === undefined || kind === "intent" ? undefined : { seq, kind, runId, at, data };
	}

	#headOf(text: string): Head | undefined {
		const known = this.#heads.get(text);
		if (known !== undefined) return known;
		const { kind, runId } = parsed(`{${text}}`) ?? {};
		if (typeof kind !== "string" || typeof runId !== "string") return undefined;
		// Made anew, because a part of a line would keep the whole of it.
		const own = `"kind":${JSON.stringify(kind)},"runId":${JSON.stringify(runId)}`;
		// UL1: nothing else stands there, which could be a field twice.
		if (own !== text) return undefined;
		if (this.#heads.size >= LINE_HEADS_MAX) this.#heads.clear();
		const head = { kind: kind as Head["kind"], runId };
		this.#heads.set(own, head);
		return head;
	}
}

function parsed(text: string): Entry["data"] | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
