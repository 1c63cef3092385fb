// Model port
//
// What a run asks of a model: a reply to the messages so far, as a stream of the items that `readStream` yields. An
// adapter is mostly one call of a provider's client and one of `readStream`; a scripted model is one too.
//
// Owns:      the port and what crosses it.
// Does not:  read a reply (read-reply.ts) or know a provider.

import type { JsonObject } from "../core/json-value.js";
import type { ReplyItem } from "../wave/reply-item.js";
import type { Message } from "./messages.js";

/**
 * A tool as a model is told of it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolDescription {
	/** What the model calls it by. */
	readonly name: string;
	/** Empty for a tool that has none. */
	readonly description: string;
	/** The JSON Schema (draft 2020-12) of the arguments. */
	readonly parameters: JsonObject;
}

/**
 * What a model is asked with.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ModelRequest {
	/** The conversation so far, oldest first; a list of the model's own. */
	readonly messages: readonly Message[];
	/** What may be called. */
	readonly tools: readonly ToolDescription[];
	/** Aborts when the reply is wanted no more. */
	readonly signal: AbortSignal;
}

/**
 * One item of a model's reply; what `readStream` yields is one. Only the `end` says that a reply is whole, so a stream
 * without one has failed.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ModelItem =
	| Exclude<ReplyItem, { readonly kind: "text" | "restart" } | { readonly kind: "end" }>
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "restart" }
	| {
			readonly kind: "end";
			readonly good: boolean;
			readonly reason?: string;
			/** Why the end is not good. Left out beside `good: false`: it failed. */
			readonly cut?: "length" | "filtered" | "failed" | undefined;
			/** What is wrong, as a sentence for people. */
			readonly problem?: string;
			readonly cause?: unknown;
	  };

/**
 * A model. It is asked for one reply at a time; what `stream` throws, or its iterable, is a reply that failed.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Model {
	/** Asks the model for one reply. */
	stream(request: ModelRequest): AsyncIterable<ModelItem> | PromiseLike<AsyncIterable<ModelItem>>;
}
