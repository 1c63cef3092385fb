// Recorded reply
//
// A reply in Anthropic's wire format made of the calls a test wants, and the ends a reply can have.

interface RecordedCall {
	readonly name: string;
	/** A value, or the arguments' text as the model wrote it. */
	readonly args: unknown;
}

export type RecordedEnd = "tool_use" | "max_tokens" | "breaks off";

/** The text of the recording. */
export function recordedReply(calls: readonly RecordedCall[], end: RecordedEnd = "tool_use"): string {
	const blocks = calls.flatMap(({ name, args }, index) => {
		const text = typeof args === "string" ? args : JSON.stringify(args);
		const half = Math.ceil(text.length / 2);
		const delta = (partial: string) => ({
			type: "content_block_delta",
			index,
			delta: { type: "input_json_delta", partial_json: partial },
		});
		return [
			{ type: "content_block_start", index, content_block: { type: "tool_use", id: `id-${index}`, name, input: {} } },
			delta(text.slice(0, half)),
			delta(text.slice(half)),
			{ type: "content_block_stop", index },
		];
	});
	const start = { type: "message_start", message: { id: "msg", type: "message", role: "assistant", content: [] } };
	const stop = [{ type: "message_delta", delta: { stop_reason: end } }, { type: "message_stop" }];
	const events = [start, ...blocks, ...(end === "breaks off" ? [] : stop)];
	return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
