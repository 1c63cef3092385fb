// Told
//
// What was read of a stream, one short line an item: `complete 0 a look {"at":1} @1`. A value is shown behind a `=`.

import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamSource } from "../../engine/streams/source.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import { allOf } from "./recordings.js";

export async function told(format: StreamFormat, source: StreamSource): Promise<string[]> {
	return (await allOf(readStream(format, source))).map(lineOf);
}

/** The last line alone. */
export async function endOf(format: StreamFormat, source: StreamSource): Promise<string | undefined> {
	return (await told(format, source)).at(-1);
}

function lineOf(item: StreamItem): string {
	if (item.kind === "end") return item.good ? `good ${item.reason} @${item.event}` : `${item.cut}: ${item.problem}`;
	if (item.kind === "text") return `text ${item.text}`;
	if (!("index" in item)) return item.kind;
	const isValue = "call" in item && item.call.args !== item.argsText;
	const args = "argsText" in item ? ` ${isValue ? "=" : ""}${item.argsText}` : "";
	return `${item.kind.slice("call-".length)} ${item.index} ${item.id} ${item.name}${args} @${item.event}`;
}
