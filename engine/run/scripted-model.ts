// Scripted model
//
// A model that says what it was written to say: for tests, and for demonstrations that need no network. Which reply it
// gives follows from the conversation alone, so the same script serves a run that goes on in another process.
//
// Owns:      the script's form, and saying it as a stream.
// Does not:  wait: each reply comes at once.

import type { ToolCall } from "../core/call.js";
import type { Model, ModelItem, ModelRequest } from "./model-port.js";

/**
 * One reply of a script. A text alone is a reply that asks for no call.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ScriptedReply =
	| string
	| {
			readonly text?: string;
			/** A call's id left out: `call-<number of the reply>-<index>`. */
			readonly calls?: readonly (Omit<ToolCall, "id"> & { readonly id?: string })[];
			/** How the reply ends other than well. */
			readonly cut?: "length" | "filtered" | "failed";
	  };

/**
 * A scripted model, and what it was asked.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ScriptedModel extends Model {
	/** Gives the reply whose turn it is. */
	stream(request: ModelRequest): AsyncGenerator<ModelItem, void, undefined>;
	/** What it was asked, in order. */
	readonly requests: readonly ModelRequest[];
}

/**
 * Makes a model that says one reply after another: to a conversation with `n` replies in it, the reply at `n`. One beyond
 * the script fails.
 *
 * @param script - Replies, or functions that make one of the request.
 * @example
 * ```ts
 * const model = scriptedModel([
 *   { calls: [{ name: 'read_note', args: { path: 'plan' } }] },
 *   ({ messages }) => `I have read ${messages.length} messages.`,
 * ]);
 * ```
 * @remarks Since 0.1.0.
 * @public
 */
export function scriptedModel(
	script: readonly (ScriptedReply | ((request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>))[],
): ScriptedModel {
	const requests: ModelRequest[] = [];
	return {
		requests,
		async *stream(request) {
			requests.push(request);
			const number = request.messages.filter(({ role }) => role === "assistant").length;
			const reply = script[number];
			if (reply === undefined)
				throw new Error(`the script has ${script.length} replies, and none for number ${number}`);
			yield* itemsOf(typeof reply === "function" ? await reply(request) : reply, number);
		},
	};
}

function* itemsOf(reply: ScriptedReply, number: number): Generator<ModelItem, void, undefined> {
	const { text = "", calls = [], cut } = typeof reply === "string" ? { text: reply } : reply;
	if (text !== "") yield { kind: "text", text };
	for (const [index, { id = `call-${number}-${index}`, name, args }] of calls.entries()) {
		const argsText = typeof args === "string" ? args : (JSON.stringify(args) ?? "{}");
		const item = { index, id, name, argsText, call: { id, name, args } };
		yield { kind: "call-started", index, id, name };
		yield { kind: "call-complete", ...item };
		yield { kind: "call-closed", ...item };
	}
	yield cut === undefined ? { kind: "end", good: true, reason: "scripted" } : { kind: "end", good: false, cut };
}
