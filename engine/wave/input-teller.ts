// Input teller
//
// Calls the input hooks of tools while a reply streams: that a call's arguments begin, each piece of their text, and the
// arguments once the tool's schema took them. In the order of the stream, also where a schema answers by a promise: then
// what comes after waits for it. Nobody waits for a hook, and what one throws is an event and nothing else.
//
// Owns:      which hook is called with what, and when no more is told.
// Does not:  parse arguments (the step's face does) or start calls.
//
// Invariants:
//   IT1. Once a reply was voided, or a call of it, its hooks are told nothing more.

import type { EventHub } from "../core/events.js";
import { causeOf } from "../core/outcome.js";
import { isThenable } from "../core/thenable.js";
import type { Tool } from "../core/tool.js";
import type { InputPlace } from "../core/tool-input.js";
import type { ReplyItem } from "./reply-item.js";

export interface InputTellerParts {
	readonly toolOf: (name: string) => Tool | undefined;
	readonly runId: string;
	readonly step: number;
	readonly hub: EventHub;
}

type Named = Pick<Extract<ReplyItem, { kind: "call-started" }>, "index" | "id" | "name">;

interface Telling {
	/** Left out until the name is known. */
	tool?: Tool;
	/** The arguments' text so far. */
	text: string;
	toldChars: number;
	isOver: boolean;
}

/** The arguments of a call that is ready; nothing for one that its schema refused. */
export type Parsed = { readonly args: unknown } | undefined;

export class InputTeller {
	readonly #parts: InputTellerParts;
	readonly #calls = new Map<number, Telling>();
	/** What is waited for before the next hook is called. */
	#tail: Promise<void> | undefined;
	#isVoid = false;

	constructor(parts: InputTellerParts) {
		this.#parts = parts;
	}

	/** A call began, or more of its arguments came. */
	arrived(item: Named, delta = ""): void {
		const telling = this.#of(item.index);
		telling.text += delta;
		this.#tellText(item, telling);
	}

	/** The call's arguments are whole; `parsed` is asked once `ready` has resolved. */
	complete(item: Named & { readonly argsText: string }, parsed: () => Parsed, ready: void | Promise<void>): void {
		const telling = this.#of(item.index);
		// What did not come in pieces is told as the last one.
		if (item.argsText.startsWith(telling.text)) telling.text = item.argsText;
		this.#tellText(item, telling);
		const { tool } = telling;
		if (tool?.onInputAvailable === undefined) return;
		const place = this.#placeOf(item);
		this.#inOrder(telling, ready, () => {
			const found = parsed();
			if (found !== undefined) this.#call(tool, "onInputAvailable", { ...place, args: found.args });
		});
	}

	/** What was told of the call was not what the reply closed with. */
	voidCall(index: number): void {
		this.#of(index).isOver = true;
	}

	/** Nothing of the reply counts. */
	voidAll(): void {
		this.#isVoid = true;
	}

	#of(index: number): Telling {
		const known = this.#calls.get(index);
		if (known !== undefined) return known;
		const telling: Telling = { text: "", toldChars: 0, isOver: false };
		this.#calls.set(index, telling);
		return telling;
	}

	#tellText(item: Named, telling: Telling): void {
		if (telling.tool === undefined) {
			const tool = item.name === "" ? undefined : this.#parts.toolOf(item.name);
			if (tool === undefined) return;
			telling.tool = tool;
			const place = this.#placeOf(item);
			this.#inOrder(telling, undefined, () => this.#call(tool, "onInputStart", place));
		}
		const { tool, text, toldChars } = telling;
		if (tool.onInputDelta === undefined || toldChars === text.length) return;
		const told = { ...this.#placeOf(item), delta: text.slice(toldChars) };
		telling.toldChars = text.length;
		this.#inOrder(telling, undefined, () => this.#call(tool, "onInputDelta", told));
	}

	#placeOf({ index, id, name }: Named): InputPlace {
		const { runId, step } = this.#parts;
		return { runId, step, index, callId: id, name };
	}

	#inOrder(telling: Telling, ready: void | Promise<void>, tell: () => void): void {
		// IT1: asked when the turn has come, not when it was asked for.
		const unlessVoid = (): void => {
			if (!this.#isVoid && !telling.isOver) tell();
		};
		if (this.#tail === undefined && ready === undefined) {
			unlessVoid();
			return;
		}
		const tail = Promise.all([this.#tail, ready]).then(unlessVoid);
		this.#tail = tail;
		void tail.finally(() => {
			if (this.#tail === tail) this.#tail = undefined;
		});
	}

	#call<Name extends "onInputStart" | "onInputDelta" | "onInputAvailable">(
		tool: Tool,
		name: Name,
		told: Parameters<NonNullable<Tool[Name]>>[0],
	): void {
		const failed = (error: unknown): void => {
			this.#parts.hub.emit({
				kind: "stray_error",
				message: `${name} of ${tool.name} failed: ${causeOf(error).message}`,
			});
		};
		try {
			const hook = tool[name] as ((told: unknown) => unknown) | undefined;
			const said = hook?.(told);
			if (isThenable(said)) void Promise.resolve(said).then(undefined, failed);
		} catch (error) {
			failed(error);
		}
	}
}
