// Wrong format
//
// A body that is read as another format than its own has events, and none that its reader knows: it would be told to have
// stopped too early. What its first event looks like says what it is, and the rest is not looked at: of every stream that is
// read as what it is, the first event would be enough as well.
//
// Owns:      the words for that.
// Does not:  decide that nothing of the body was read (reply.ts).

import { detectFormat, type StreamFormat } from "./detect-format.js";
import type { WireEvent } from "./wire-event.js";

/** What to say if nothing of a body is read whose first event this is; nothing where it is one of the format. */
export function hintOfFormat(format: StreamFormat, { name, value }: WireEvent): string | undefined {
	// A frame of bytes tells the event's name beside its fields, where an object has the fields under the name.
	const seen = detectFormat(value) ?? (name === undefined ? undefined : detectFormat({ [name]: value }));
	if (seen === undefined) return `no event of it was known as one of the format "${format}"`;
	// Either name reads both streams of the AI SDK.
	if (seen === format || (seen.startsWith("ai-sdk") && format.startsWith("ai-sdk"))) return undefined;
	return `its first event is one of the format "${seen}", and it was read as "${format}"`;
}
