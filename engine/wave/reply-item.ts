// Reply item
//
// What a step is fed of a reply that streams: the part of `readStream`'s items that a step acts on, so that a reader of
// the host's own can feed it as well.
//
// Owns:      that part.
// Does not:  read a stream (streams/).

import type { ToolCall } from "../core/call.js";

/**
 * Which call of the reply an item is about.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ReplyCall {
	/** The call's place in the reply, from 0. */
	readonly index: number;
	/** The provider's id; may be empty. */
	readonly id: string;
	/** May be empty as long as the call is not complete. */
	readonly name: string;
}

/**
 * One item of a reply, in the order of the stream; what `readStream` yields is one.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ReplyItem =
	| ({ readonly kind: "call-started" } & ReplyCall)
	| ({ readonly kind: "call-delta"; readonly delta: string } & ReplyCall)
	| ({
			readonly kind: "call-complete" | "call-closed";
			readonly argsText: string;
			readonly call: ToolCall;
	  } & ReplyCall)
	| { readonly kind: "text" | "restart" }
	| {
			readonly kind: "end";
			readonly good: boolean;
			readonly cut?: "length" | "filtered" | "failed" | undefined;
			/** What was wrong with the reply, for the result of the step that it was fed to. */
			readonly problem?: string | undefined;
	  };
