// Thread context
//
// A tool's context on a thread, with the members it has inline. Most tools use none of it, so the signal, the link to
// the host and the clock readings of progress are made on first use.
//
// Owns:      the cancel flag's reading, the signal, how often progress is sent.
// Does not:  stop the tool; a tool that does not look is ended with its thread (host-thread.ts).

import { systemClock } from "../engine/core/clock.js";
import { copyJson, type JsonValue } from "../engine/core/json-value.js";
import { PROGRESS_MS_MIN } from "../engine/core/limits.js";
import { checkedKeys, type LockKeys } from "../engine/core/lock-keys.js";
import { NumberRanges } from "../engine/core/number-ranges.js";
import type { ToolContext, ToolValue } from "../engine/core/tool-context.js";
import type { CallCells } from "./call-cells.js";
import { fromWireError } from "./error-wire.js";
import type { HostAnswer, HostLink, Remote } from "./host-link.js";
import type { WireCall } from "./protocol.js";

export interface ThreadContextParts {
	readonly call: WireCall;
	readonly cells: CallCells;
	/** The host, over the thread's link, which is made if it is not there. */
	readonly host: () => Remote<HostLink>;
}

type Question<Value> = (host: Remote<HostLink>, cell: number) => Promise<HostAnswer<Value>>;

const nothing = (): void => undefined;

export class ThreadContext implements ToolContext {
	readonly callId: string;
	readonly runId: string;
	readonly index: number;
	readonly idempotencyKey: string;
	readonly #parts: ThreadContextParts;
	#controller: AbortController | undefined;
	#ended = false;
	/** The update that was reported too soon after the one before it. */
	#held: { readonly update: JsonValue } | undefined;
	#sentMs = Number.NEGATIVE_INFINITY;
	#cancelTimer = nothing;
	/** How many calls the tool has made, and the numbers of those that it has no answer of. */
	#invoked = 0;
	readonly #open = new NumberRanges();

	constructor(parts: ThreadContextParts) {
		this.#parts = parts;
		this.callId = parts.call.callId;
		this.runId = parts.call.runId;
		this.index = parts.call.index;
		this.idempotencyKey = parts.call.idempotencyKey;
	}

	get signal(): AbortSignal {
		this.#controller ??= new AbortController();
		if (this.cancelled()) this.#controller.abort(stopReason());
		return this.#controller.signal;
	}

	// Fields and not methods, because tools take the context apart. An ended call's cell may be another's by now.
	readonly cancelled = (): boolean => this.#ended || this.#parts.cells.isCancelled(this.#parts.call.cell);

	readonly progress = (update: JsonValue): void => {
		if (this.#ended) return;
		const copied = copyJson(update);
		if (!copied.ok) throw new TypeError(`A progress update is not data at ${copied.path}: ${copied.problem}.`);
		this.#held = { update: (copied.value ?? null) as JsonValue };
		const nowMs = systemClock.monotonicMs();
		const waitMs = this.#sentMs + PROGRESS_MS_MIN - nowMs;
		if (waitMs <= 0) this.#sendHeld(nowMs);
		else this.#sendLater(waitMs);
	};

	readonly lock = async (keys: LockKeys): Promise<() => void> => {
		// Before they are copied: what is no keys here, such as lists that are inherited, may arrive as an object without any.
		checkedKeys(keys);
		const grant = await this.#ask("take keys", (host, cell) => host.lock(cell, keys));
		return () => {
			// What an ended call held was let go with it, and its cell may be another's by now.
			if (!this.#ended) this.#parts.host().unlock(this.#parts.call.cell, grant).then(nothing, nothing);
		};
	};

	readonly invokeTool = (name: string, args: unknown): Promise<ToolValue> => this.#invokeTool(name, args);

	// The host numbers a call's questions in the order they come to it, which is the order in which they are asked.
	readonly interrupt = (question: JsonValue): Promise<JsonValue> => {
		const answer = this.#interrupt(question);
		// A tool that does not wait for its answer has asked all the same, and must not end the thread by it.
		answer.catch(nothing);
		return answer;
	};

	/** The host asks the call to stop. */
	cancel(): void {
		this.#controller?.abort(stopReason());
	}

	/** The call is over: the update that is held, which then travels with the answer. */
	end(): { readonly update: JsonValue } | undefined {
		this.#ended = true;
		this.#cancelTimer();
		return this.#held;
	}

	async #interrupt(question: JsonValue): Promise<JsonValue> {
		const copied = copyJson(question);
		if (!copied.ok) throw new TypeError(`A question is not data at ${copied.path}: ${copied.problem}.`);
		const data = (copied.value ?? null) as JsonValue;
		return this.#ask("ask a person", (host, cell) => host.interrupt(cell, data));
	}

	// An answer may be on its way while the tool makes its next call: what the tool knew then is for it to say.
	async #invokeTool(name: string, args: unknown): Promise<ToolValue> {
		const onThread = { number: this.#invoked, open: this.#open.snapshot() ?? [] };
		this.#invoked += 1;
		this.#open.append(onThread.number, onThread.number);
		try {
			return await this.#ask("invoke a tool", (host, cell) => host.invokeTool(cell, { name, args, onThread }));
		} finally {
			this.#open.remove(onThread.number);
		}
	}

	async #ask<Value>(action: string, question: Question<Value>): Promise<Value> {
		if (this.#ended) throw new Error(`Could not ${action}: the call has ended.`);
		const answer = await question(this.#parts.host(), this.#parts.call.cell);
		if (answer.ok) return answer.value;
		throw fromWireError(answer.error);
	}

	#sendHeld(nowMs: number): void {
		this.#cancelTimer();
		this.#cancelTimer = nothing;
		if (this.#held === undefined) return;
		const { update } = this.#held;
		this.#held = undefined;
		this.#sentMs = nowMs;
		// The host's answer says only that it came, or that who watches there failed, which is nothing to the tool.
		this.#parts.host().progress(this.#parts.call.cell, update).then(nothing, nothing);
	}

	#sendLater(waitMs: number): void {
		if (this.#cancelTimer !== nothing) return;
		this.#cancelTimer = systemClock.setTimer(() => this.#sendHeld(systemClock.monotonicMs()), waitMs);
	}
}

function stopReason(): DOMException {
	return new DOMException("The call was asked to stop", "AbortError");
}
