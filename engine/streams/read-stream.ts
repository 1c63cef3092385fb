// Read stream
//
// From a provider's stream to items. One event is read at a time, and the source is asked for its next piece only when
// the reader has taken every item of the last one: a slow reader slows the provider down, and nothing piles up.
//
// Owns:      the loop over the source, the end of a source that stops or throws.
// Does not:  know any format (formats.ts), or say what a source without an event is (body-head.ts).

import { EngineError } from "../core/errors.js";
import { isThenable } from "../core/thenable.js";
import { BodyHead } from "./body-head.js";
import type { StreamFormat } from "./detect-format.js";
import type { FormatReader } from "./format-reader.js";
import { FORMATS, type Format } from "./formats.js";
import { providerError } from "./provider-error.js";
import { Reply } from "./reply.js";
import { type Pieces, piecesOf, release, type StreamSource, unreadable } from "./source.js";
import type { CallDelta, StreamItem } from "./stream-item.js";
import { Wire, type WireEnd } from "./wire.js";
import type { WireEvent } from "./wire-event.js";
import { hintOfFormat } from "./wrong-format.js";

/**
 * Reads a provider's stream as items; the last one is the `end`.
 *
 * Server-sent events and JSON lines are told apart by themselves. The source is asked for more only when the items of
 * the last piece are taken, and is released at the end or when the reader stops early. A source that stops early, throws
 * or delivers damaged data gives an `end` that is not good; reading never throws because of what a stream holds.
 *
 * Check the response's status first: the body of a request that failed is no stream. It gives a failed `end` all the
 * same, whose `problem` is the provider's message and code where the body is an error as JSON of at most 4 Ki
 * characters, else says that the stream held no event of the format, and how it begins.
 *
 * @param format - The wire format; {@link detectFormat} names it.
 * @param source - What the provider sends.
 * @param options - `deltas: true`: each piece of a call's arguments is an item of its own as well.
 * @throws EngineError `STREAM_UNREADABLE` at once, for a format that is unknown or a source that cannot be iterated:
 * also for the `null` that a response without a body has in its place.
 * @remarks Since 0.1.0.
 * @public
 */
export function readStream(
	format: StreamFormat,
	source: StreamSource,
	options: { readonly deltas: true },
): AsyncGenerator<StreamItem | CallDelta, void, undefined>;
/**
 * The same without the pieces of arguments.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function readStream(format: StreamFormat, source: StreamSource): AsyncGenerator<StreamItem, void, undefined>;
export function readStream(
	format: StreamFormat,
	source: StreamSource,
	options: { readonly deltas?: boolean } = {},
): AsyncGenerator<StreamItem | CallDelta, void, undefined> {
	const known = FORMATS.get(format);
	const action = "read the stream";
	if (known === undefined) {
		const problem = `there is no format ${JSON.stringify(format)}; the formats are ${[...FORMATS.keys()].join(", ")}`;
		throw new EngineError("STREAM_UNREADABLE", { action, problem });
	}
	const pieces = piecesOf(source);
	if (pieces === undefined) throw unreadable(source, action);
	return readItems(pieces, { format, known }, new Reply(options));
}

type Items = AsyncGenerator<StreamItem | CallDelta, void, undefined>;

interface Read {
	readonly format: StreamFormat;
	readonly known: Format;
}

async function* readItems(pieces: Pieces, { format, known }: Read, reply: Reply): Items {
	const reader = known.reader(reply);
	let head: BodyHead | undefined = new BodyHead(format);
	let hint: string | undefined;
	let sourceIsOver = false;
	try {
		const wire = new Wire(await known.byteFraming?.());
		while (!reply.ended) {
			const event = wire.next();
			if (event !== undefined) {
				if (event.kind === "done") reply.sourceEnded(hint);
				if (head === undefined) readEvent(event, reader, reply);
				else {
					// Before it is read: its fields may be used again for the next one.
					if (event.kind === "data") hint = hintOfFormat(format, event);
					if (event.kind === "damaged" && !sourceIsOver && head.wantsMore(event))
						sourceIsOver = await head.readOn(pieces);
					readFirst(event, { head, reader, reply });
					head = undefined;
				}
			} else if (sourceIsOver) {
				reply.sourceEnded(hint);
				if (head === undefined) reader.sourceEnded();
				else reply.fail(head.failure());
			} else {
				try {
					// Most small pieces hold no end of an event: such a piece costs its copying and no more than that.
					while (wire.isEmpty && !sourceIsOver) {
						// Waiting where there is nothing to wait for costs a small piece as much as reading it.
						const next = pieces.next();
						const { done, value } = isThenable(next) ? await next : next;
						sourceIsOver = done === true;
						if (done === true) wire.finish();
						else {
							head?.take(value);
							wire.push(value);
						}
					}
				} catch (cause) {
					sourceIsOver = true;
					const problem = `the source failed: ${cause instanceof Error ? cause.message : String(cause)}`;
					reply.fail({ problem, cause });
				}
			}
			const items = reply.takeItems();
			for (let place = 0; place < items.length; place += 1) yield items[place] as StreamItem | CallDelta;
		}
	} finally {
		if (!sourceIsOver) release(pieces);
	}
}

interface Opening {
	readonly head: BodyHead;
	readonly reader: FormatReader;
	readonly reply: Reply;
}

function readFirst(event: WireEvent | WireEnd, { head, reader, reply }: Opening): void {
	const error = event.kind === "data" ? head.errorOf(event, reader) : undefined;
	if (event.kind === "damaged") reply.fail(head.failure(event));
	else if (error === undefined) readEvent(event, reader, reply);
	else {
		reply.nextEvent();
		reply.fail(error);
	}
}

function readEvent(event: WireEvent | WireEnd, reader: FormatReader, reply: Reply): void {
	if (event.kind === "done") reader.sourceEnded();
	else if (event.kind === "damaged") reply.fail({ problem: event.problem });
	else readData(event, reader, reply);
}

function readData(event: WireEvent, reader: FormatReader, reply: Reply): void {
	reply.nextEvent();
	const failure = reader.failureOf === undefined ? providerError(event) : reader.failureOf(event);
	if (failure === undefined) reader.read(event);
	else reply.fail(failure);
}
