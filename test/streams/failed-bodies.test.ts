// Failed bodies: what is told of the body of a request that failed, which a host handed over without having looked at
// the response's status.

import { describe, expect, test } from "vitest";
import { BODY_HEAD_CHARS_MAX } from "../../engine/core/limits.js";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import { FORMATS } from "../../engine/streams/formats.js";
import { readStream } from "../../engine/streams/read-stream.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import { teeStream } from "../../engine/streams/tee-stream.js";
import { allOf, piecesOf } from "./recordings.js";

const HINT = "; check the status of the response before reading its body as a stream";
const formats = [...FORMATS.keys()] as StreamFormat[];
const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2);

const KEY = {
	error: { message: "Wrong key: sk-ü🚂", type: "invalid_request_error", param: null, code: "invalid_api_key" },
};
const ARGUMENT = {
	error: { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details: [{ a: 1 }] },
};
const OVERLOADED = { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "r" };

/** What the provider said, with its word for it. */
const ERRORS: readonly (readonly [string, unknown, string, string])[] = [
	["an error with a code", KEY, "Wrong key: sk-ü🚂", "invalid_api_key"],
	["an error without a code", { error: { ...KEY.error, code: null } }, "Wrong key: sk-ü🚂", "invalid_request_error"],
	["a list with an error", [ARGUMENT], "API key not valid.", "400"],
	["an error with details", ARGUMENT, "API key not valid.", "400"],
	["an error of a type", OVERLOADED, "Overloaded", "overloaded_error"],
	["an error that is a text", { error: "model 'x' not found" }, "model 'x' not found", "error"],
	["a message alone", { message: "invalid api token", id: "r" }, "invalid api token", "error"],
	["a message and its code", { statusCode: 401, message: "Unauthorized" }, "Unauthorized", "401"],
	["Amazon's message", { __type: "ThrottlingException", message: "Slow down" }, "Slow down", "ThrottlingException"],
	["a detail", { detail: "Not Found" }, "Not Found", "error"],
	["a list of details", { detail: [{ msg: "Field required" }] }, "[ { msg: 'Field required' } ]", "error"],
];

const PAGE = `<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center>nginx: 🚂 data</center>\r\n</body></html>\r\n`;

/** What is shown of a body that is no error as JSON. */
const OTHERS: readonly (readonly [string, string | Uint8Array, string])[] = [
	["a page", PAGE, "<html> <head><title>502 Bad Gateway</title></head> <body> <center>nginx: 🚂 data"],
	[
		"a page that is longer than the head",
		`${PAGE}${"<p>more\n".repeat(2 ** 10)}`,
		"<html> <head><title>502 Bad Gateway</title></head>",
	],
	["a text", "upstream connect error or disconnect", "upstream connect error or disconnect"],
	["a text of two characters", "no", "no"],
	["a text with line ends", "error\n\nretry later\n\n", "error retry later"],
	["a text that is cut in a character", `${"x".repeat(79)}🚂`, "x".repeat(79)],
	["a text that begins like JSON", "{{ error }}\nnot filled in\n", "{{ error }} not filled in"],
	["JSON that is cut", pretty(KEY).slice(0, 30), '{ \\"error\\": { \\"message'],
	["JSON that is no error", pretty({ id: 1, choices: [{}] }), '{ \\"id\\": 1, \\"choices\\": [ {} ] }'],
	["a list that is no error", "[]\n", "[]"],
	["bytes of another encoding", Buffer.from("Übel\nzu früh\n", "latin1"), "\uFFFDbel zu fr\uFFFDh"],
];

const bytesOf = (body: string | Uint8Array): Uint8Array =>
	typeof body === "string" ? new TextEncoder().encode(body) : body;

/** The end, which is all that is told; the same however the body is split, and through a tee. */
async function endOf(format: StreamFormat, body: string | Uint8Array): Promise<StreamItem & { kind: "end" }> {
	const bytes = bytesOf(body);
	const whole = await allOf(readStream(format, bytes));
	const sources: Parameters<typeof readStream>[1][] = [teeStream([bytes])[0], Buffer.from(bytes)];
	if (bytes.length < 1_000) for (let size = 1; size <= 16; size += 1) sources.push(piecesOf(bytes, size));
	// The bytes of frames are read otherwise than text is.
	if (typeof body === "string" && format !== "bedrock-converse")
		sources.push(body, body.length < 1_000 ? body.split("") : [body]);
	for (const source of sources) expect(await allOf(readStream(format, source))).toEqual(whole);
	const [end] = whole;
	if (whole.length !== 1 || end?.kind !== "end") throw new Error(`told more than an end: ${JSON.stringify(whole)}`);
	return end;
}

describe.each(formats)("BH1: read as %s, however it is split,", (format) => {
	const told = ERRORS.flatMap(([name, value, message, reason]) => [
		[`${name}, on one line`, JSON.stringify(value), message, reason] as const,
		[`${name}, on one line with its end`, `${JSON.stringify(value)}\r\n`, message, reason] as const,
		[`${name}, on several lines`, `\uFEFF${pretty(value)}\n`, message, reason] as const,
	]);
	test.each(told)("%s, ends the reply with what the provider said", async (_name, body, message, reason) => {
		const code = reason === "error" ? "" : ` (${reason})`;
		expect(await endOf(format, body)).toMatchObject({
			good: false,
			cut: "failed",
			reason,
			problem: `the provider reported an error: ${message}${code}${HINT}`,
		});
	});

	test.each(OTHERS)("%s ends the reply with how it begins", async (_name, body, begin) => {
		const end = await endOf(format, body);
		expect(end).toMatchObject({ event: -1, good: false, cut: "failed" });
		const { problem } = end as { problem: string };
		expect(problem).toContain(`the stream held no event of the format "${format}"`);
		expect(problem).toContain(`"${begin}`);
		expect(problem.endsWith(HINT)).toBe(true);
		const shown = /"(?!ai-|openai-|gemini|anthropic|bedrock-|cohere|ollama)(?:[^"\\]|\\.)*"/.exec(problem)?.[0] ?? "";
		expect((JSON.parse(shown) as string).length).toBeLessThanOrEqual(80);
	});

	test.each(["", "\n", " \r\n\t"])("an empty body %j ends the reply", async (body) => {
		// Frames have no blanks between them.
		if (format === "bedrock-converse" && body !== "") return;
		const problem = `the stream held no event of the format "${format}", it is empty${HINT}`;
		expect(await endOf(format, body)).toEqual({ kind: "end", event: -1, good: false, cut: "failed", problem });
	});
});

describe("BH2: of a body", () => {
	test("whose error is longer than the head no more is kept, and its beginning is shown", async () => {
		const fits = { error: { message: "x".repeat(BODY_HEAD_CHARS_MAX - 60) } };
		expect(await endOf("anthropic", pretty(fits))).toMatchObject({ reason: "error" });
		const longer = { error: { message: "x".repeat(BODY_HEAD_CHARS_MAX) } };
		const { problem } = (await endOf("anthropic", pretty(longer))) as { problem: string };
		expect(problem).toContain('no event of the format "anthropic"');
		expect(problem.length).toBeLessThan(400);
	});

	test.each(formats)(
		"without end, read as %s, no more is asked for than the head, and it is let go",
		async (format) => {
			let asked = 0;
			let released = false;
			function* source(): Generator<string | Uint8Array> {
				try {
					for (;;) {
						asked += 1;
						yield new TextEncoder().encode("{\n");
					}
				} finally {
					released = true;
				}
			}
			expect(await allOf(readStream(format, source()))).toMatchObject([{ good: false, event: -1 }]);
			expect(asked).toBeLessThanOrEqual(BODY_HEAD_CHARS_MAX / 2 + 2);
			expect(released).toBe(true);
		},
	);

	test("that breaks off with what the source throws, what came is told", async () => {
		async function* source(): AsyncGenerator<string> {
			yield '{\n "error":\n';
			yield " 1,\n";
			throw new Error("socket hang up");
		}
		const problem = expect.stringContaining('"{ \\"error\\": 1,"; the stream held no event') as string;
		expect(await allOf(readStream("ollama", source()))).toMatchObject([{ good: false, problem }]);
	});

	test("nothing is told once an event was read", async () => {
		const line = '{"message":{"role":"assistant","content":""},"done":false}\n';
		const stopped = "the stream stopped before its last line, which says that it is done";
		expect(await endOf("ollama", line)).toMatchObject({ event: 0, problem: stopped });
		expect(await endOf("ollama", `${line}{"message":"Unauthorized"}\n`)).toMatchObject({ event: 1, problem: stopped });
		const damaged = 'an event is not a JSON object: "{"';
		expect(await endOf("ollama", `${line}${pretty(KEY)}`)).toMatchObject({ event: 0, problem: damaged });
	});
});

describe("a stream", () => {
	test.each<[string, StreamFormat, string | Uint8Array, string]>([
		["whose first event is damaged", "openai-chat", 'data: {"a\n\n', 'an event is not a JSON object: "{\\"a"'],
		[
			"whose first event is no text",
			"openai-chat",
			Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 10),
			"the bytes are not UTF-8",
		],
		[
			"whose first frame is damaged",
			"bedrock-converse",
			Uint8Array.of(0, 0, 0, 1),
			"a frame of 1 bytes is none of an event stream",
		],
	])("%s is waited for no longer, and told as ever", async (_name, format, first, problem) => {
		async function* source(): AsyncGenerator<string | Uint8Array> {
			yield first;
			await new Promise(() => undefined);
		}
		expect(await allOf(readStream(format, source()))).toEqual([
			{ kind: "end", event: -1, good: false, cut: "failed", problem },
		]);
	});

	test("that ends at once by the wire's own mark, or reports an error in an event, is told as ever", async () => {
		const ended = { event: -1, problem: "the reply ended without a finish reason" };
		expect(await endOf("openai-chat", "data: [DONE]\n\n")).toMatchObject(ended);
		const reported = { event: 0, problem: "the provider reported an error: Overloaded" };
		expect(await endOf("anthropic", `event: error\ndata: ${JSON.stringify(OVERLOADED)}\n\n`)).toMatchObject(reported);
	});

	test("of the AI SDK, on lines, is not failed by the error of one call", async () => {
		const parts = [
			{ type: "tool-call", toolCallId: "a", toolName: "look", input: "{", invalid: true, error: "no JSON" },
			{ type: "finish", finishReason: "stop" },
		];
		const items = await allOf(
			readStream(
				"ai-sdk",
				parts.map((part) => `${JSON.stringify(part)}\n`),
			),
		);
		expect(items.at(-1)).toMatchObject({ good: true });
	});
});
