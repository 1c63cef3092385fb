// Reply event
//
// What a watcher sees of the model's reply itself, beside the engine's own events: calls taking shape, and how the reply
// ended. Whoever reads the stream makes them; the engine only knows calls once they are offered.
//
// Owns:      the closed union.
// Does not:  read streams (streams/).

/**
 * One thing seen in the model's reply. `atMs` is a reading of the same clock as the engine's events.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ReplyEvent = { readonly atMs: number } & (
	| { readonly kind: "reply_call_started"; readonly index: number; readonly name: string }
	| { readonly kind: "reply_call_complete"; readonly index: number; readonly name: string; readonly argsText: string }
	| { readonly kind: "reply_text"; readonly text: string }
	| { readonly kind: "reply_restarted" }
	| { readonly kind: "reply_ended"; readonly good: boolean; readonly reason: string }
);
