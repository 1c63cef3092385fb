// Tool call error
//
// How a call that code made by itself failed: the call's outcome as something to catch.
//
// Owns:      that error.
// Does not:  decide when a call failed (outcome.ts), or carry it to a thread (workers/error-wire.ts).

import type { ErrorCode } from "./call-codes.js";
import { EngineError } from "./errors.js";
import type { CallError } from "./outcome.js";
import { thrownError } from "./thrown-error.js";

/**
 * What `invokeTool` rejects with. `code` and `errorCode` are the outcome's; `outcome` is the whole of it, and `cause` what
 * the tool threw, as an error of its name and stack.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export class ToolCallError extends EngineError<ErrorCode> {
	/** How the call ended. Not enumerable: it says all that the message says, and would be printed beside it. */
	declare readonly outcome: { readonly ok: false; readonly error: CallError };

	constructor(name: string, error: CallError) {
		const { code, message, recovery, cause } = error;
		super(code, { action: `run the tool ${name}`, problem: message, recovery, cause: cause && thrownError(cause) });
		this.name = "ToolCallError";
		Object.defineProperty(this, "outcome", { value: { ok: false, error } });
	}
}
