// Read stream
//
// From a provider's stream to items. One event is read at a time, and the source is asked for its next piece only when
// the reader has taken every item of the last one: a slow reader slows the provider down, and nothing piles up.
//
// Owns:      the table of formats, the loop over the source, the end of a source that stops or throws.
// Does not:  know any format.

import { EngineError } from "../core/errors.js";
import { AnthropicReader } from "./anthropic.js";
import type { StreamFormat } from "./detect-format.js";
import type { FormatReader } from "./format-reader.js";
import { OpenaiChatReader } from "./openai-chat.js";
import { OpenaiResponsesReader } from "./openai-responses.js";
import { providerError } from "./provider-error.js";
import { Reply } from "./reply.js";
import type { StreamItem } from "./stream-item.js";
import { Wire } from "./wire.js";
import type { WireEvent } from "./wire-event.js";

const READERS: ReadonlyMap<string, (reply: Reply) => FormatReader> = new Map<
	StreamFormat,
	(reply: Reply) => FormatReader
>([
	["anthropic", (reply) => new AnthropicReader(reply)],
	["openai-chat", (reply) => new OpenaiChatReader(reply)],
	["openai-responses", (reply) => new OpenaiResponsesReader(reply)],
]);

/**
 * What {@link readStream} reads: bytes, text or parsed events, in pieces of any size; a whole text or byte array; the
 * `body` of a response.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type StreamSource =
	| string
	| Uint8Array
	| Iterable<Uint8Array | string | object>
	| AsyncIterable<Uint8Array | string | object>;

/**
 * Reads a provider's stream as items; the last one is the `end`.
 *
 * Server-sent events and JSON lines are told apart by themselves. The source is asked for more only when the items of
 * the last piece are taken, and is released at the end or when the reader stops early. A source that stops early, throws
 * or delivers damaged data gives an `end` that is not good; reading never throws because of what a stream holds.
 *
 * @param format - The wire format; {@link detectFormat} names it.
 * @param source - What the provider sends.
 * @throws EngineError `STREAM_UNREADABLE` at once, for a format that is unknown or a source that cannot be iterated.
 * @remarks Since 0.1.0.
 * @public
 */
export function readStream(format: StreamFormat, source: StreamSource): AsyncGenerator<StreamItem, void, undefined> {
	const makeReader = READERS.get(format);
	const action = "read the stream";
	if (makeReader === undefined) {
		const problem = `there is no format ${JSON.stringify(format)}; the formats are ${[...READERS.keys()].join(", ")}`;
		throw new EngineError("STREAM_UNREADABLE", { action, problem });
	}
	const pieces = iterate(source);
	if (pieces === undefined) {
		const problem = "the source cannot be iterated";
		const recovery = "Pass an iterable of bytes, text or events, such as the `body` of a response.";
		throw new EngineError("STREAM_UNREADABLE", { action, problem, recovery });
	}
	const reply = new Reply();
	return readItems(pieces, makeReader(reply), reply);
}

type Pieces = Iterator<unknown> | AsyncIterator<unknown>;

async function* readItems(
	pieces: Pieces,
	reader: FormatReader,
	reply: Reply,
): AsyncGenerator<StreamItem, void, undefined> {
	const wire = new Wire();
	let sourceIsOver = false;
	try {
		while (!reply.ended) {
			const event = wire.next();
			if (event === undefined && sourceIsOver) reader.sourceEnded();
			else if (event === undefined) sourceIsOver = await fetchPiece(pieces, wire, reply);
			else if (event.kind === "done") reader.sourceEnded();
			else if (event.kind === "damaged") reply.fail({ problem: event.problem });
			else readEvent(event, reader, reply);
			for (const item of reply.takeItems()) yield item;
		}
	} finally {
		if (!sourceIsOver) release(pieces);
	}
}

function readEvent(event: WireEvent, reader: FormatReader, reply: Reply): void {
	reply.nextEvent();
	const failure = providerError(event);
	if (failure === undefined) reader.read(event);
	else reply.fail(failure);
}

/** Whether the source is over. */
async function fetchPiece(pieces: Pieces, wire: Wire, reply: Reply): Promise<boolean> {
	try {
		const { done, value } = await pieces.next();
		if (done === true) wire.finish();
		else wire.push(value);
		return done === true;
	} catch (cause) {
		const problem = `the source failed: ${cause instanceof Error ? cause.message : String(cause)}`;
		reply.fail({ problem, cause });
		return true;
	}
}

// Not awaited: the items are all told, and a source that is slow to let go must not hold up their reader.
function release(pieces: Pieces): void {
	void (async () => pieces.return?.())().catch(() => undefined);
}

function iterate(source: unknown): Pieces | undefined {
	if (typeof source === "string" || source instanceof Uint8Array) return [source][Symbol.iterator]();
	if (typeof source !== "object" || source === null) return undefined;
	const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = source as Partial<
		AsyncIterable<unknown> & Iterable<unknown>
	>;
	return async === undefined ? sync?.call(source) : async.call(source);
}
