// Usual line
//
// Nearly every line is as the writer makes it: its fields in their order, no value beside the ledger, and a kind and a run
// that came before. Such a line is read by where its fields stand, and only `data` is parsed, or not even that. Reading a
// ledger is mostly parsing, and parsing the whole line takes half as long again.
//
// Owns:      telling such a line, and its record, read or not.
// Does not:  judge any other: that is parsed whole (record-text.ts).
//
// Invariants:
//   UL1. What is read here is what parsing the whole line gives.

import { EngineError } from "../core/errors.js";
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
	find(text: string): UnreadRecord | undefined {
		const isEntry = text.startsWith(SEQ_START);
		const headFrom = isEntry ? text.indexOf(",") + 1 : 1;
		const headEnd = text.indexOf(AT, headFrom);
		const atEnd = text.indexOf(DATA, headEnd);
		const dataEnd = text.length - TAIL_CHARS;
		// Values beside the ledger are named in a list behind the data.
		if (headEnd < 0 || atEnd < 0 || text.charCodeAt(dataEnd - 1) !== CLOSING_BRACE) return undefined;
		const head = this.#headOf(text.slice(headFrom, headEnd));
		const at = wholeIn(text, headEnd + AT.length, atEnd);
		const seq = isEntry ? wholeIn(text, SEQ_START.length, headFrom - 1) : undefined;
		if (head === undefined || at === undefined || isEntry !== (seq !== undefined)) return undefined;
		// A number is what tells an entry from an intent.
		if (isEntry === (head.kind === "intent")) return undefined;
		return new UnreadRecord(head, { at, seq, dataFrom: atEnd + DATA.length, dataEnd }, text);
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

/** What a line says of itself beside its head, and where its data stands in it. */
interface Found {
	readonly at: number;
	readonly seq: number | undefined;
	readonly dataFrom: number;
	readonly dataEnd: number;
}

/** A record, read or not. */
export type RunRecord = Entry | Intent | UnreadRecord;

/** A record whose data is text yet: whoever needs only to know which line it is has no need to parse it. */
export class UnreadRecord {
	readonly kind: Head["kind"];
	readonly runId: string;
	readonly at: number;
	/** Left out of an intent. */
	readonly seq: number | undefined;
	readonly #line: string;
	readonly #dataFrom: number;
	readonly #dataEnd: number;
	#record: Entry | Intent | undefined;

	constructor({ kind, runId }: Head, { at, seq, dataFrom, dataEnd }: Found, line: string) {
		this.kind = kind;
		this.runId = runId;
		this.at = at;
		this.seq = seq;
		this.#line = line;
		this.#dataFrom = dataFrom;
		this.#dataEnd = dataEnd;
	}

	/** Its data as JSON. */
	get dataText(): string {
		return this.#line.slice(this.#dataFrom, this.#dataEnd);
	}

	/** Its line up to the end of the data: an object of JSON but for the last brace. */
	get body(): string {
		return this.#line.slice(0, this.#dataEnd);
	}

	/** Throws `LEDGER_DAMAGED`. */
	get data(): Entry["data"] {
		return this.read().data;
	}

	/** The record itself; `undefined` where its data is no JSON. */
	parse(): Entry | Intent | undefined {
		const { kind, runId, at, seq } = this;
		const data = parsed(this.dataText);
		if (data === undefined) return undefined;
		if (kind === "intent") return { kind, runId, at, data };
		return seq === undefined ? undefined : { seq, kind, runId, at, data };
	}

	/** The record itself, parsed the first time. Throws `LEDGER_DAMAGED`. */
	read(): Entry | Intent {
		this.#record ??= this.parse();
		return this.#record ?? this.#refuse();
	}

	#refuse(): never {
		const { seq, runId } = this;
		const which = seq === undefined ? "an intent" : `entry ${seq}`;
		const problem = `the data of ${which}, of the run ${JSON.stringify(runId)}, is not JSON`;
		throw new EngineError("LEDGER_DAMAGED", { action: "read the ledger", problem });
	}
}

function parsed(text: string): Entry["data"] | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
