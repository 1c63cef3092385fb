// Streamed call
//
// One call while its stream delivers it. Its arguments are complete when their JSON value closes, and closed when the
// provider says so; a call whose identity is in doubt waits for the second.
//
// Owns:      the text, the moment of each of its items, the bound of one call's arguments.
// Does not:  decide which fragment belongs to which call (the formats do).
//
// Invariants:
//   SC1. `call-complete` comes at most once, before `call-closed`, and its text parses.
//   SC2. Nothing comes after `call-closed`.

import { invariant } from "../core/invariant.js";
import { JsonScanner, scanJson } from "../core/json-scanner.js";
import type { JsonObject } from "../core/json-value.js";
import { ARGUMENTS_CHARS_MAX } from "../core/limits.js";
import { GrowingText } from "./growing-text.js";
import type { StreamItem } from "./stream-item.js";
import type { WholeArguments } from "./whole-arguments.js";

type CallItem = Extract<StreamItem, { kind: "call-complete" | "call-closed" }>;

/** `json` arguments are scanned as they come; `free` text (a custom tool's input) is whole only when closed. */
export type ArgumentsKind = "json" | "free";

export class StreamedCall {
	readonly index: number;
	readonly #argumentsKind: ArgumentsKind;
	readonly #scanner = new JsonScanner();
	#id: string;
	#name: string;
	#arguments = new GrowingText();
	/** The arguments as a value, where the provider closed the call with one. */
	#args: JsonObject | undefined;
	#hasArguments = false;
	#stage: "open" | "complete" | "closed" = "open";
	#doubtful = false;

	constructor(index: number, named: { readonly id: string; readonly name: string; readonly kind: ArgumentsKind }) {
		this.index = index;
		this.#id = named.id;
		this.#name = named.name;
		this.#argumentsKind = named.kind;
	}

	get id(): string {
		return this.#id;
	}

	get name(): string {
		return this.#name;
	}

	get argsText(): string {
		return this.#arguments.text();
	}

	get isClosed(): boolean {
		return this.#stage === "closed";
	}

	get argumentChars(): number {
		return this.#arguments.length;
	}

	/** Whether any argument text but blanks has come. */
	get hasArguments(): boolean {
		return this.#hasArguments;
	}

	get argumentsHaveClosed(): boolean {
		return this.#argumentsKind === "json" && this.#scanner.state.kind === "complete";
	}

	/** Whether the provider's word about the arguments is what the call was closed with. */
	closedWith(wholeText: string): boolean {
		return this.argsText === this.#bounded(wholeText);
	}

	/** Identity is in doubt: nothing of this call starts early. */
	doubt(): void {
		this.#doubtful = true;
	}

	/** Takes an id or a name that comes late. */
	identify(late: { readonly id?: string; readonly name?: string }): void {
		this.#id = late.id ?? this.#id;
		this.#name = late.name ?? this.#name;
	}

	append(text: string): void {
		invariant(this.#stage !== "closed", "SC2", `call ${this.index} got text after it was closed`);
		// One character over the bound is kept, so that a reader of the text sees that it is too long.
		const room = ARGUMENTS_CHARS_MAX + 1 - this.#arguments.length;
		const kept = text.length <= room ? text : text.slice(0, room);
		this.#arguments.append(kept);
		this.#hasArguments ||= kept.trim() !== "";
		if (this.#argumentsKind === "json") this.#scanner.push(kept);
	}

	/** The `call-complete` item if the call has become complete by now. */
	complete(event: number): CallItem | undefined {
		const ready = this.#stage === "open" && !this.#doubtful && this.#name !== "";
		if (!ready || !this.argumentsHaveClosed || this.#arguments.length > ARGUMENTS_CHARS_MAX) return undefined;
		// SC1: the stage moves once, and the scanner has seen the text close.
		this.#stage = "complete";
		return this.#item("call-complete", event);
	}

	/** The items of the provider's word that the call is whole; `whole` is what it says the arguments are. */
	close(event: number, whole: string | WholeArguments = this.argsText): CallItem[] {
		invariant(this.#stage !== "closed", "SC2", `call ${this.index} was closed twice`);
		const { text, args } = typeof whole === "string" ? { text: whole, args: undefined } : whole;
		this.#arguments = new GrowingText(this.#bounded(text));
		// A value whose text is over the bound is as unreadable as the text.
		if (text.length <= ARGUMENTS_CHARS_MAX) this.#args = args;
		const completeNow = this.#stage === "open" && this.#isReadable();
		this.#stage = "closed";
		const closed = this.#item("call-closed", event);
		return completeNow ? [this.#item("call-complete", event), closed] : [closed];
	}

	#bounded(wholeText: string): string {
		const blank = this.#argumentsKind === "json" && wholeText.trim() === "";
		return blank ? "{}" : wholeText.slice(0, ARGUMENTS_CHARS_MAX + 1);
	}

	#isReadable(): boolean {
		if (this.#name === "" || this.#arguments.length > ARGUMENTS_CHARS_MAX) return false;
		return this.#argumentsKind === "free" || this.#args !== undefined || scanJson(this.argsText).kind === "complete";
	}

	#item(kind: CallItem["kind"], event: number): CallItem {
		const argsText = this.argsText;
		const args = this.#argumentsKind === "free" ? { input: argsText } : (this.#args ?? argsText);
		const call = { id: this.#id, name: this.#name, args };
		return { kind, event, index: this.index, id: this.#id, name: this.#name, argsText, call };
	}
}
