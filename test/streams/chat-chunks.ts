// Chat chunks
//
// Chunks of a Chat Completions stream in a few words, and what was read of them as one line an item.

import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import { allOf } from "./recordings.js";

export interface Fragment {
	readonly index?: unknown;
	readonly id?: string | null;
	readonly name?: string | null;
	readonly arguments?: unknown;
}

/** One chunk with these fragments. */
export const chunk = (...fragments: readonly Fragment[]): object => ({
	choices: [
		{
			index: 0,
			delta: {
				tool_calls: fragments.map(({ name, arguments: args, ...rest }) => ({
					...rest,
					function: { name, arguments: args },
				})),
			},
			finish_reason: null,
		},
	],
});
export const finish = (reason: string): object => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
export const whole = (index: unknown, id: string, args = "{}"): Fragment => ({
	index,
	id,
	name: "look",
	arguments: args,
});

export const read = (events: readonly object[]): Promise<StreamItem[]> => allOf(readStream("openai-chat", events));

/** Each item in a few words: `complete 0 a look {} @1`. */
export async function told(events: readonly object[]): Promise<string[]> {
	return (await read(events)).map((item) => {
		if (item.kind === "end") return item.good ? `good ${item.reason}` : `${item.cut}: ${item.problem}`;
		if (!("index" in item)) return item.kind;
		const args = "argsText" in item ? ` ${item.argsText}` : "";
		return `${item.kind.slice("call-".length)} ${item.index} ${item.id} ${item.name}${args} @${item.event}`;
	});
}
