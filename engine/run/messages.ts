// Messages
//
// The conversation of a run, in one form for every provider: what people said, what the model said and asked for, and
// how each call ended, in call order. Every call that stands in it has its outcome in it, because providers refuse a
// conversation in which one is missing.
//
// Owns:      the shape, the check of what a host hands in, the way into a checkpoint or a line and back.
// Does not:  know a provider's form of it (a model does).

import type { ToolCall } from "../core/call.js";
import { type OutcomeRecord, outcomeOf, outcomeRecord } from "../core/call-record.js";
import { EngineError } from "../core/errors.js";
import type { JsonObject } from "../core/json-value.js";
import { type Outcome, taken } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { rawArguments } from "../ledger/call-entries.js";
import { outcomeData } from "../ledger/entry.js";
import type { CallResult } from "../wave/wave-result.js";

/**
 * One message of a conversation.
 *
 * `'assistant'`: a reply, with the calls that it asked for in their order. `'tool'`: how one of them ended; `index` is the
 * call's place in its reply, because ids may be missing or repeated.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Message =
	| { readonly role: "system" | "user"; readonly text: string }
	| { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
	| {
			readonly role: "tool";
			readonly id: string;
			readonly name: string;
			readonly index: number;
			readonly outcome: Outcome;
	  };

/** A message as JSON. */
export type MessageRecord =
	| Exclude<Message, { readonly role: "tool" }>
	| (Omit<Extract<Message, { readonly role: "tool" }>, "outcome"> & { readonly outcome: OutcomeRecord });

/** What a host begins a run with, as messages of the run's own. Throws `INVALID_OPTIONS`. */
export function messagesOf(input: unknown): readonly Message[] {
	if (typeof input === "string") return [{ role: "user", text: input }];
	if (!Array.isArray(input)) return refuse(`input is ${showValue(input)}, neither a text nor a list of messages`);
	return input.map((message: unknown, place) => messageOf(message, `input[${place}]`));
}

function messageOf(given: unknown, where: string): Message {
	const { role, text, calls, id, name, index, outcome } = (given ?? {}) as Record<string, unknown>;
	if (role === "tool") {
		const own = taken(outcome);
		if (own === undefined) return refuse(`${where}.outcome is ${showValue(outcome)}, which is no outcome`);
		return { role, id: String(id ?? ""), name: String(name ?? ""), index: placeOf(index, where), outcome: own };
	}
	if (role !== "system" && role !== "user" && role !== "assistant") {
		return refuse(`${where}.role is ${showValue(role)}, none of "system", "user", "assistant", "tool"`);
	}
	if (typeof text !== "string") return refuse(`${where}.text is ${showValue(text)}, not a text`);
	if (role !== "assistant") return { role, text };
	if (!Array.isArray(calls)) return refuse(`${where}.calls is ${showValue(calls)}, not a list of calls`);
	const notCall = calls.findIndex((call) => typeof call !== "object" || call === null);
	if (notCall >= 0) return refuse(`${where}.calls[${notCall}] is ${showValue(calls[notCall])}, not a call`);
	return { role, text, calls: calls.map(plainCall) };
}

/** A call's place in its reply; the first, where a host leaves it out. */
function placeOf(index: unknown, where: string): number {
	const place = index ?? 0;
	if (Number.isSafeInteger(place) && Number(place) >= 0) return Number(place);
	return refuse(`${where}.index is ${showValue(index)}, not a whole number from 0`);
}

/** A reply and how its calls ended. */
export function replyMessages(
	{ text, calls }: { readonly text: string; readonly calls: readonly ToolCall[] },
	results: readonly Pick<CallResult, "id" | "index" | "name" | "outcome">[],
): Message[] {
	return [
		{ role: "assistant", text, calls: calls.map(plainCall) },
		...results.map(({ id, index, name, outcome }): Message => ({ role: "tool", id, name, index, outcome })),
	];
}

/** The call as data of its own. */
export function plainCall({ id, name, args }: ToolCall): ToolCall {
	return { id: String(id ?? ""), name: String(name ?? ""), args: rawArguments(args) };
}

export function messageRecord(message: Message): MessageRecord {
	return message.role === "tool" ? { ...message, outcome: outcomeRecord(message.outcome) } : message;
}

export function messageOfRecord(record: MessageRecord): Message {
	return record.role === "tool" ? { ...record, outcome: outcomeOf(record.outcome) } : record;
}

/** The message as a line of the ledger holds it. */
export function messageData(message: Message): JsonObject {
	const plain = message.role === "tool" ? { ...message, outcome: outcomeData(message.outcome) } : message;
	return plain as unknown as JsonObject;
}

function refuse(problem: string): never {
	throw new EngineError("INVALID_OPTIONS", { action: "begin the run", problem });
}
