// Read stream: what it takes as a source, how it asks for more, and what a source that fails becomes.

import { describe, expect, test } from "vitest";
import { isEngineError } from "../../engine/core/errors.js";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamSource } from "../../engine/streams/source.js";
import { allOf, asServerSentEvents, piecesOf } from "./recordings.js";

const REPLY = [
	{ choices: [{ index: 0, delta: { content: "grüß " } }] },
	{ choices: [{ index: 0, delta: { content: "Gott 🚂" } }] },
	{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];
const ITEMS = [
	{ kind: "text", event: 0, text: "grüß " },
	{ kind: "text", event: 1, text: "Gott 🚂" },
	{ kind: "end", event: 2, good: true, reason: "stop" },
];
const TEXT = asServerSentEvents(REPLY);
const BYTES = new TextEncoder().encode(TEXT);

async function* onePieceATime<Piece>(pieces: Iterable<Piece>): AsyncGenerator<Piece> {
	yield* pieces;
}

describe("the source", () => {
	test.each<[string, () => StreamSource]>([
		["a text", () => TEXT],
		["the characters of a text", () => [...TEXT]],
		["bytes", () => BYTES],
		["single bytes", () => Array.from(BYTES, (byte) => Uint8Array.of(byte))],
		["buffers and text in turn", () => [Buffer.from(TEXT.slice(0, 9)), TEXT.slice(9)]],
		["array buffers", () => [BYTES.slice().buffer]],
		["parsed events", () => REPLY],
		["parsed events, later", () => onePieceATime(REPLY)],
		["JSON lines", () => REPLY.map((event) => `${JSON.stringify(event)}\n`)],
		["JSON lines without a last line end", () => `\n\n${REPLY.map((event) => JSON.stringify(event)).join("\r\n")}`],
		["the body of a response", () => new Response(TEXT).body as AsyncIterable<Uint8Array>],
		["lines that end in carriage returns", () => TEXT.replaceAll("\n", "\r\n").split("")],
		["a byte order mark, comments and blanks", () => `\uFEFF: hello\n\n${TEXT}: bye\n\n\n`],
		["nothing after the wire's end marker", () => [TEXT, "data: [DONE]\n\n", "data: {\n\n"]],
	])("may be %s", async (_name, source) => {
		expect(await allOf(readStream("openai-chat", source()))).toEqual(ITEMS);
	});

	test("is refused at once where it cannot be iterated", () => {
		const refused = (source: unknown): unknown => {
			try {
				return readStream("anthropic", source as StreamSource);
			} catch (error) {
				return error;
			}
		};
		for (const source of [undefined, null, 7, {}, new Response(TEXT)]) {
			expect(refused(source)).toMatchObject({
				code: "STREAM_UNREADABLE",
				message: expect.stringContaining("cannot be iterated") as string,
			});
		}
		for (const source of [undefined, null]) {
			expect(refused(source)).toMatchObject({
				message: expect.stringContaining(`is ${source}, which cannot be iterated: the response has no body`) as string,
				recovery: expect.stringContaining("Check the status of the response") as string,
			});
		}
	});

	test("of an unknown format is refused at once, with the formats that can be read", () => {
		let refusal: unknown;
		try {
			readStream("telepathy" as StreamFormat, REPLY);
		} catch (error) {
			refusal = error;
		}
		expect(isEngineError(refusal) && refusal.code).toBe("STREAM_UNREADABLE");
		expect(String(refusal)).toContain('"telepathy"; the formats are anthropic, openai-chat, openai-responses');
	});
});

describe("reading", () => {
	test("asks the source for its next piece only when every item of the last one was taken", async () => {
		let asked = 0;
		const source = {
			*[Symbol.iterator]() {
				for (const event of [...REPLY, ...REPLY]) {
					asked += 1;
					yield `data: ${JSON.stringify(event)}\n\ndata: ${JSON.stringify(event)}\n\n`;
				}
			},
		};
		const items = readStream("openai-chat", source);
		expect(asked).toBe(0);
		for (const pieces of [1, 1, 2, 2]) {
			expect((await items.next()).value).toMatchObject({ kind: "text" });
			expect(asked).toBe(pieces);
		}
	});

	test("lets the source go when the reader stops early, and waits for no source that is slow at it", async () => {
		let released = 0;
		const source: AsyncIterable<object> = {
			[Symbol.asyncIterator]: () => ({
				next: async () => ({ done: false, value: REPLY[0] as object }),
				return: () => {
					released += 1;
					return new Promise(() => undefined);
				},
			}),
		};
		for await (const item of readStream("openai-chat", source)) {
			expect(item.kind).toBe("text");
			break;
		}
		expect(released).toBe(1);
	});

	test("lets the source go at the reply's own end", async () => {
		let released = false;
		function* source() {
			try {
				yield "data: [DONE]\n\n";
				yield TEXT;
			} finally {
				released = true;
			}
		}
		await allOf(readStream("openai-chat", source()));
		expect(released).toBe(true);
	});
});

describe("an end that is not good", () => {
	async function endOf(source: StreamSource): Promise<unknown> {
		return (await allOf(readStream("openai-chat", source))).at(-1);
	}
	const failed = { kind: "end", good: false, cut: "failed" };

	test("follows what the source threw, which is kept as the cause", async () => {
		const cause = new Error("socket hang up");
		async function* source() {
			yield TEXT.slice(0, 80);
			throw cause;
		}
		expect(await endOf(source())).toEqual({
			...failed,
			event: 0,
			problem: "the source failed: socket hang up",
			cause,
		});
	});

	test("has event -1 where there was no event at all", async () => {
		const none = 'the stream held no event of the format "openai-chat"';
		const hint = "check the status of the response before reading its body as a stream";
		expect(await endOf([])).toEqual({ ...failed, event: -1, problem: `${none}, it is empty; ${hint}` });
		const problem = `${none}, it begins with "<html>502 Bad Gateway</html>"; ${hint}`;
		expect(await endOf("<html>502 Bad Gateway</html>")).toEqual({ ...failed, event: -1, problem });
	});

	test.each<[string, StreamSource, string]>([
		["bytes that are not UTF-8", [BYTES, Uint8Array.of(0xc3, 0x28)], "the bytes are not UTF-8"],
		["bytes that stop inside a character", [BYTES, Uint8Array.of(0xf0, 0x9f)], "the bytes are not UTF-8"],
		["an event that is cut off", `${TEXT}data: {"choi`, 'an event is not a JSON object: "{\\"choi"'],
		["an event that is a list", `${TEXT}data: []\n\n`, 'an event is not a JSON object: "[]"'],
		["a line that is cut off", '{"choices": [', 'an event is not a JSON object: "{\\"choices\\": ["'],
		["a piece that is a number", [7 as unknown as string], "the source delivered a number"],
		["a piece that is a list", [[] as object], "the source delivered a list"],
	])("WR2: follows %s", async (_name, source, problem) => {
		expect(await endOf(source)).toMatchObject({ ...failed, problem: expect.stringContaining(problem) as string });
	});

	test("WR1: comes behind the same event, however bytes that are not UTF-8 are split", async () => {
		const bytes = Buffer.concat([
			BYTES,
			Buffer.from('data: {"choices":[]}\n\ndata: '),
			Uint8Array.of(0xff, 0x0a),
			BYTES,
		]);
		const whole = await allOf(readStream("openai-chat", bytes));
		expect(whole.at(-1)).toMatchObject({ ...failed, event: 3, problem: "the bytes are not UTF-8" });
		for (let size = 1; size < 80; size += 1) {
			expect(await allOf(readStream("openai-chat", piecesOf(bytes, size)))).toEqual(whole);
		}
	});

	test.each<[string, string, string, string]>([
		["an error object", 'data: {"error":{"message":"boom","type":"server_error","code":null}}', "server_error", "boom"],
		["an error text", 'data: {"error":"model not found"}', "error", "model not found"],
		["an error event", 'event: error\ndata: {"message":"boom"}', "error", "boom"],
		["an object named error", 'data: {"object":"error","message":"boom","code":400}', "400", "boom"],
		["a list of errors", 'data: {"errors":[{"code":"quota","message":"boom"}]}', "quota", "boom"],
	])("follows %s, also after a good finish reason", async (_name, event, reason, message) => {
		const problem = `the provider reported an error: ${message}`;
		expect(await endOf(`${TEXT}${event}\n\n`)).toEqual({ ...failed, event: 3, reason, problem });
	});
});
