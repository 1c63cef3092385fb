// Read reply
//
// One reply of a model, from the request to its end. Each item goes to the step as it comes, so that reads start while
// the model still writes; the end decides what becomes of it.
//
//   good                        its calls run
//   cut by length, filtered     its whole calls are told that they did not run
//   failed                      nothing of it happened: the stream threw, stopped without an end, fell silent for longer
//                               than the bound, or yielded what is no item
//   aborted                     nothing of it happened
//
// Owns:      reading, the bound on silence, letting go of the stream, the reply's text and calls.
// Does not:  run anything (the step does) or try again: a model that can, restarts its stream.
//
// Invariants:
//   RR1. After the end of a reply, an abort included, nothing of its stream is read and no listener or timer is left.

import type { ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { invariant } from "../core/invariant.js";
import { MODEL_SILENCE_MS_MAX, WAVE_CALLS_MAX } from "../core/limits.js";
import { causeOf, type ErrorCause } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { hearOut } from "../core/thenable.js";
import type { ReplyItem } from "../wave/reply-item.js";
import type { RunEventDraft } from "./live-events.js";
import type { Model, ModelItem, ModelRequest } from "./model-port.js";

export interface ReplyReading {
	readonly model: Model;
	readonly request: ModelRequest;
	readonly clock: Clock;
	/** Takes each item that is not text. What it throws, the stream has caused. */
	readonly feed: (item: ReplyItem) => void;
	readonly emit: (event: RunEventDraft) => void;
}

interface Read {
	/** What it says beside its calls, also where it ended badly. */
	readonly text: string;
	/** The calls that it closed with; of a reply that was cut, those that were whole. In call order. */
	readonly calls: readonly ToolCall[];
}

export type Reply = Read &
	(
		| { readonly kind: "good" }
		| { readonly kind: "cut"; readonly cut: "length" | "filtered" }
		| { readonly kind: "failed"; readonly error: ErrorCause }
		| { readonly kind: "aborted" }
	);

/** Never rejects. */
export async function readReply(reading: ReplyReading): Promise<Reply> {
	const taken = new TakenItems(reading);
	try {
		return { ...(await readItems(reading, taken)), ...taken.read };
	} catch (error) {
		return { kind: "failed", error: causeOf(error), ...taken.read };
	}
}

type ReplyEnd = Reply extends infer One ? (One extends Read ? Omit<One, keyof Read> : never) : never;

/** What a wait resolves to when the reply was aborted first. */
const ABORTED: unique symbol = Symbol("aborted");

async function readItems({ model, request, clock }: ReplyReading, taken: TakenItems): Promise<ReplyEnd> {
	const wait = new StreamWait(request.signal, clock);
	let items: AsyncIterator<ModelItem> | undefined;
	try {
		const stream = await wait.next(Promise.resolve(model.stream(request)));
		if (stream === ABORTED) return { kind: "aborted" };
		items = iteratorOf(stream);
		for (;;) {
			const next = await wait.next(items.next());
			if (next === ABORTED) return { kind: "aborted" };
			if (next.done === true) throw new Error("the model's stream stopped without an end");
			const end = taken.take(next.value);
			if (end !== undefined) return end;
		}
	} finally {
		wait.over();
		release(items);
	}
}

function iteratorOf(stream: AsyncIterable<ModelItem>): AsyncIterator<ModelItem> {
	const iterate: unknown = stream?.[Symbol.asyncIterator];
	if (typeof iterate !== "function") {
		throw new TypeError(`the model's stream is ${showValue(stream)}, which cannot be iterated asynchronously`);
	}
	return stream[Symbol.asyncIterator]();
}

// A stream that hangs would hold its own release up; nobody waits for it.
function release(items: AsyncIterator<ModelItem> | undefined): void {
	try {
		hearOut(items?.return?.());
	} catch {
		// It is over either way.
	}
}

/** Waits for one thing of the stream at a time, no longer than the bound, and not beyond an abort. */
class StreamWait {
	readonly #signal: AbortSignal;
	readonly #clock: Clock;
	#lastSignMs: number;
	#cancelTimer: () => void = () => undefined;
	#wake: { resolve(value: typeof ABORTED): void; reject(error: unknown): void } | undefined;
	#isOver = false;

	constructor(signal: AbortSignal, clock: Clock) {
		this.#signal = signal;
		this.#clock = clock;
		this.#lastSignMs = clock.monotonicMs();
		signal.addEventListener("abort", this.#onAbort, { once: true });
		this.#watchSilence(MODEL_SILENCE_MS_MAX);
	}

	async next<Value>(promise: Promise<Value>): Promise<Value | typeof ABORTED> {
		invariant(!this.#isOver, "RR1", "a reply is read beyond its end");
		hearOut(promise);
		if (this.#signal.aborted) return ABORTED;
		const value = await new Promise<Value | typeof ABORTED>((resolve, reject) => {
			this.#wake = { resolve, reject };
			promise.then(resolve, reject);
		});
		this.#lastSignMs = this.#clock.monotonicMs();
		return value;
	}

	over(): void {
		this.#isOver = true;
		this.#signal.removeEventListener("abort", this.#onAbort);
		this.#cancelTimer();
	}

	readonly #onAbort = (): void => this.#wake?.resolve(ABORTED);

	// One timer that looks again when it fires, rather than one timer an item.
	#watchSilence(delayMs: number): void {
		this.#cancelTimer = this.#clock.setTimer(() => {
			const leftMs = this.#lastSignMs + MODEL_SILENCE_MS_MAX - this.#clock.monotonicMs();
			if (leftMs > 0) this.#watchSilence(leftMs);
			else this.#wake?.reject(new Error(`the model was silent for ${MODEL_SILENCE_MS_MAX} ms`));
		}, delayMs);
	}
}

function demandPlace(item: ModelItem): void {
	if (typeof item !== "object" || item === null || !("index" in item)) return;
	const { index } = item;
	if (Number.isSafeInteger(index) && index >= 0 && index < WAVE_CALLS_MAX) return;
	throw new TypeError(`the model's stream yields a call at ${showValue(index)}, which is no place`);
}

/** A call is read once and here, where what is wrong with it is the stream's fault and ends the reply alone. */
function withOwnCall(item: ModelItem): ModelItem {
	if (item?.kind !== "call-complete" && item?.kind !== "call-closed") return item;
	const call: unknown = item.call;
	if (typeof call !== "object" || call === null) throw new TypeError(`a ${item.kind} item holds ${showValue(call)}`);
	const { id, name, args } = call as Partial<ToolCall>;
	return { ...item, call: { id: String(id ?? ""), name: String(name ?? ""), args } };
}

/** What the items said so far. */
class TakenItems {
	readonly #reading: ReplyReading;
	#text = "";
	#whole: ToolCall[] = [];
	#closed: ToolCall[] = [];
	#end: ReplyEnd | undefined;

	constructor(reading: ReplyReading) {
		this.#reading = reading;
	}

	get read(): Read {
		const calls = this.#end?.kind === "good" ? this.#closed : this.#whole.filter((call) => call !== undefined);
		return { text: this.#text, calls };
	}

	/** The end, if the item was one. */
	take(given: ModelItem): ReplyEnd | undefined {
		const { feed, emit } = this.#reading;
		demandPlace(given);
		const item = withOwnCall(given);
		switch (item?.kind) {
			case "text":
				if (typeof item.text !== "string") throw new TypeError(`a text item holds ${showValue(item.text)}`);
				this.#text += item.text;
				emit({ kind: "reply_text", text: item.text });
				return undefined;
			case "restart":
				this.#text = "";
				this.#whole = [];
				this.#closed = [];
				emit({ kind: "reply_restarted" });
				break;
			case "call-started":
				emit({ kind: "reply_call_started", index: item.index, name: item.name });
				break;
			case "call-delta":
				break;
			case "call-complete":
				this.#whole[item.index] ??= item.call;
				emit({ kind: "reply_call_complete", index: item.index, name: item.name, argsText: item.argsText });
				break;
			case "call-closed":
				// One that was never complete is unreadable: in a reply that ends well it is answered, in another it never was.
				this.#closed[item.index] = item.call;
				break;
			case "end":
				this.#end = this.#endOf(item);
				emit({ kind: "reply_ended", good: item.good, reason: item.reason ?? "" });
				break;
			default:
				throw new TypeError(`the model's stream yields ${showValue(item)}, which is no item`);
		}
		feed(item);
		return this.#end;
	}

	#endOf({ good, cut, problem, reason, cause }: Extract<ModelItem, { kind: "end" }>): ReplyEnd {
		if (good === true) {
			for (let index = 0; index < this.#closed.length; index += 1) {
				if (this.#closed[index] === undefined) throw new Error(`the reply closed without call ${index}`);
			}
			return { kind: "good" };
		}
		if (cut === "length" || cut === "filtered") return { kind: "cut", cut };
		const message = problem ?? reason ?? "the reply failed";
		return { kind: "failed", error: { name: "Error", message, ...(cause !== undefined && { cause: causeOf(cause) }) } };
	}
}
