// Event frames
//
// Frames for tests, made and taken apart by Amazon's own codec; where one ends is read from its length alone.

import { EventStreamCodec } from "@smithy/eventstream-codec";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const codec = new EventStreamCodec(
	(bytes) => decoder.decode(bytes as Uint8Array),
	(text) => encoder.encode(text),
);

/** One frame with these headers and this payload. */
export function frame(headers: Readonly<Record<string, string>>, payload: unknown): Uint8Array {
	const typed = Object.entries(headers).map(([name, value]) => [`:${name}`, { type: "string", value }] as const);
	return codec.encode({
		headers: Object.fromEntries(typed),
		body: encoder.encode(payload === undefined ? "" : JSON.stringify(payload)),
	});
}

export const eventFrame = (type: string, payload: unknown): Uint8Array =>
	frame({ "event-type": type, "content-type": "application/json", "message-type": "event" }, payload);

/** The events of whole frames as Amazon's client hands them over: objects with one field, named for the event. */
export function eventsOfFrames(bytes: Uint8Array): Record<string, unknown>[] {
	const events: Record<string, unknown>[] = [];
	for (let at = 0; at < bytes.length; ) {
		const length = new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0);
		const { headers, body } = codec.decode(bytes.subarray(at, at + length));
		events.push({ [String(headers[":event-type"]?.value)]: JSON.parse(decoder.decode(body)) as unknown });
		at += length;
	}
	return events;
}
