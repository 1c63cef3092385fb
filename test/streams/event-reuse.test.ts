// Event reuse: an event may be told in the objects of the one before it, and no reader keeps anything of them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FORMATS } from "../../engine/streams/formats.js";
import { readStream } from "../../engine/streams/read-stream.js";
import { eventFrame } from "./event-frames.js";
import { allOf, asServerSentEvents, eventsOf, recordings, recordingsAreHere, sayIfSkipped } from "./recordings.js";

test("blocks whose starts are alike are closed each with the input of its own start", async () => {
	const start = (index: number, path: string) => ({
		type: "content_block_start",
		index,
		content_block: { type: "tool_use", id: `t${index}`, name: "look", input: { path } },
	});
	const paths = ["a", "b", "c", "d", "longer than what is copied"];
	const events = [
		...paths.map((path, index) => start(index, path)),
		...paths.map((_, index) => ({ type: "content_block_stop", index })),
		{ type: "message_delta", delta: { stop_reason: "tool_use" } },
		{ type: "message_stop" },
	];
	const items = await allOf(readStream("anthropic", asServerSentEvents(events)));
	const closed = items.filter((item) => item.kind === "call-closed");
	expect(closed.map(({ call }) => call.args)).toEqual(paths.map((path) => ({ path })));
});

test.skipIf(!recordingsAreHere)(
	sayIfSkipped("events that come again with other leaves read from bytes as from objects of their own"),
	async () => {
		const leaf = fc.constantFrom<unknown>("", "a", '{"a":', '"b"}', "toolu_2", "more than twelve characters", 0, 1, 2);
		const turns = fc.array(fc.tuple(fc.nat(), fc.array(fc.tuple(fc.nat(), leaf), { maxLength: 2 })), { maxLength: 30 });
		const formats = [...FORMATS.keys()];
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...formats), fc.nat(), turns, async (format, pick, all) => {
				const fitting = recordings.filter((one) => one.format === format);
				const recording = fitting[pick % fitting.length];
				if (recording === undefined) return;
				const source = eventsOf(recording);
				const events = all.flatMap(([at, changes]) => {
					const one = source[at % source.length] ?? {};
					return [one, changes.reduce<object>((event, change) => changed(event, change), one)];
				});
				const bytes =
					format === "bedrock-converse"
						? events.flatMap((one) => Object.entries(one).map(([kind, fields]) => eventFrame(kind, fields)))
						: [asServerSentEvents(events)];
				const own = events.map((one) => structuredClone(one));
				expect(await allOf(readStream(recording.format, bytes))).toEqual(
					await allOf(readStream(recording.format, own)),
				);
			}),
			{ numRuns: 1_500 },
		);
	},
);

/** A copy with another value in place of one of its strings or numbers. */
function changed(event: object, [place, leaf]: readonly [number, unknown]): object {
	let leaves = 0;
	const count = (_: string, value: unknown): unknown => {
		if (typeof value === "string" || typeof value === "number") leaves += 1;
		return value;
	};
	JSON.stringify(event, count);
	let at = 0;
	const put = (_: string, value: unknown): unknown => {
		if (typeof value !== "string" && typeof value !== "number") return value;
		at += 1;
		return at - 1 === place % leaves && typeof leaf === typeof value ? leaf : value;
	};
	return JSON.parse(JSON.stringify(event, put)) as object;
}
