// Stream item
//
// What a provider's stream says, in the words of this package: one union for every wire format.
//
// Owns:      the items and what each promises.
// Does not:  read any format.

import type { ToolCall } from "../core/call.js";

/**
 * Why a reply that did not end well has to be discarded: cut by its length, held back by a filter, or failed (also: the
 * stream stopped, or contradicts itself). `step.discard` takes the same words.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StreamCut = "length" | "filtered" | "failed";

/**
 * Where in the stream an item comes from.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface OfEvent {
	/** The number of the data event that this was read from, from 0; -1 at the end of a stream without any. */
	readonly event: number;
}

/**
 * Which call an item is about.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface OfCall extends OfEvent {
	/** The call's place among the calls of the reply that are the host's to run, from 0. */
	readonly index: number;
	/** The provider's id; may be empty. */
	readonly id: string;
	/** The tool's name; in `call-started` it may still be empty. */
	readonly name: string;
}

/**
 * A call whose arguments have come.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface WithArguments extends OfCall {
	/** The arguments as the model wrote them; `{}` if it wrote none. The JSON text of arguments that came as a value. */
	readonly argsText: string;
	/** `args` is a value where the provider sends one, else the text. */
	readonly call: ToolCall;
}

/**
 * One item of `readStream`.
 *
 * `call-complete`: the arguments have closed and parse; a read may start ahead. `call-closed`: the provider says that
 * the call is whole; it may be admitted once the reply ends well. `text`: a piece of the answer's text. `restart`:
 * everything before it is void, indexes begin at 0 again. `end`: always the last item.
 *
 * A call that is complete and then goes on with anything but white space is closed with the longer, unreadable text:
 * compare the arguments of both, and drop what started for the first where they differ. A call that is closed without
 * having been complete is unreadable too. A call that is never closed comes only before an end that is not good.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StreamItem =
	| ({ readonly kind: "call-started" } & OfCall)
	| ({ readonly kind: "call-complete" } & WithArguments)
	| ({ readonly kind: "call-closed" } & WithArguments)
	| ({ readonly kind: "text"; readonly text: string } & OfEvent)
	| ({ readonly kind: "restart" } & OfEvent)
	| StreamEnd;

/**
 * A piece of a call's arguments, as it arrived; only for a reader that was asked for deltas. The pieces of a call are the
 * beginning of its `argsText`: a provider that delivers arguments whole, or as a value, has none.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type CallDelta = OfCall & { readonly kind: "call-delta"; readonly delta: string };

/**
 * The end of a reply. Only a good one admits its calls.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StreamEnd = OfEvent & { readonly kind: "end" } & (
		| {
				readonly good: true;
				/** The provider's word. */
				readonly reason: string;
				readonly cut?: undefined;
		  }
		| {
				readonly good: false;
				/** The provider's word, where it gave one. */
				readonly reason?: string;
				readonly cut: StreamCut;
				/** What is wrong, as a sentence for people. */
				readonly problem: string;
				/** What the source threw, if that ended the stream. */
				readonly cause?: unknown;
		  }
	);
