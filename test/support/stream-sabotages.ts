// Stream sabotages
//
// The faults that let the reading of a stream depend on what came before it or on how it is split.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts).

import type { Sabotage } from "./sabotages.js";

const streams = (name: string, title: string) => ({ file: `test/streams/${name}.test.ts`, title });

export const STREAM_SABOTAGES: readonly Sabotage[] = [
	{
		law: "AJ1: a text whose end differs from the mould's is parsed",
		file: "engine/streams/alike-json.ts",
		find: "if (text.slice(this.#end) !== last) return false;",
		replace: "",
		test: streams("alike-json", "AJ1: a text that is cut, or goes on"),
	},
	{
		law: "AJ1: a number that does not parse makes its text no JSON",
		file: "engine/streams/alike-json.ts",
		find: "(JSON.parse(text.slice(from, this.#end)) as number)",
		replace: "Number.parseFloat(text.slice(from, this.#end))",
		test: streams("alike-json", "AJ1, JM1: a text gives what JSON.parse gives"),
	},
	{
		law: "AJ2: a string keeps no other text in memory",
		file: "engine/streams/alike-json.ts",
		find: "const COPIED_CHARS_MAX = 12;",
		replace: "const COPIED_CHARS_MAX = 1_000;",
		test: streams("alike-json", "AJ2: a string that the runtime would not copy"),
	},
	{
		law: "JM1: no name comes twice in an object of a mould",
		file: "engine/streams/json-mould.ts",
		find: "if (level.names.has(name)) return false;",
		replace: "",
		test: streams("alike-json", "JM1: a name that comes twice"),
	},
	{
		law: "no reader keeps an object of an event",
		file: "engine/streams/call-blocks.ts",
		find: "{ input: wholeArguments(start.input) }",
		replace: "{ input: { text: JSON.stringify(start.input), args: start.input as never } }",
		test: streams("event-reuse", "blocks whose starts are alike"),
	},
	{
		law: "FH1: headers are read of their own bytes alone",
		file: "engine/streams/frame-headers.ts",
		find: "new DataView(own.buffer)",
		replace: "new DataView(buffer, byteOffset, byteLength)",
		test: streams("frame-headers", "FH1: headers are what Amazon's reader reads"),
	},
	{
		law: "FH1: what is told again is of the same bytes",
		file: "engine/streams/frame-headers.ts",
		find: "if (left[at] !== right[at]) return false;",
		replace: "",
		test: streams("frame-headers", "FH1: headers are what Amazon's reader reads"),
	},
	{
		law: "UP2: what stands before bytes that are no text does not depend on how they are split",
		file: "engine/streams/utf8-pieces.ts",
		find: "return this.#wholeLines(bytes);",
		replace: 'return "";',
		test: streams("utf8-pieces", "UP2: bytes that are not UTF-8 give the whole lines"),
	},
	{
		law: "UP2: no text follows bytes that are no text",
		file: "engine/streams/utf8-pieces.ts",
		find: 'finish(): string {\n\t\tif (this.#damaged) return "";',
		replace: "finish(): string {",
		test: streams("utf8-pieces", "UP2: bytes that are not UTF-8 give the whole lines"),
	},
	{
		law: "EF1: what is held of a frame comes before the next piece",
		file: "engine/streams/event-frames.ts",
		find: "this.#room.set(held);",
		replace: "",
		test: streams("frame-cutting", "EF1"),
	},
	{
		law: "BH1: a body whose first line is damaged is read on, however it is split",
		file: "engine/streams/read-stream.ts",
		find: "sourceIsOver = await head.readOn(pieces);",
		replace: "sourceIsOver = false;",
		test: streams("failed-bodies", "an error with a code, on several lines, ends the reply"),
	},
	{
		law: "BH2: no more than the head is kept of a body",
		file: "engine/streams/body-head.ts",
		find: "this.#text = all.slice(0, BODY_HEAD_CHARS_MAX);",
		replace: "this.#text = all;",
		test: streams("failed-bodies", "BH2: of a body whose error is longer than the head"),
	},
	{
		law: "BH2: nothing is kept of the head once an event was read",
		file: "engine/streams/read-stream.ts",
		find: "\t\t\t\t\thead = undefined;\n",
		replace: "",
		test: streams("failed-bodies", "BH2: of a body nothing is told once an event was read"),
	},
	{
		law: "a body that is read as another format than its own is told as one",
		file: "engine/streams/read-stream.ts",
		find: 'if (event.kind === "data") hint = hintOfFormat(format, event);',
		replace: "",
		test: { file: "test/streams/wrong-format.test.ts", title: "of no format that is known" },
	},
	{
		law: "a reply of which something was read says nothing of formats",
		file: "engine/streams/reply.ts",
		find: "this.#hint === undefined || this.#isRead ?",
		replace: "this.#hint === undefined ?",
		test: { file: "test/streams/wrong-format.test.ts", title: "whose first event nobody knows" },
	},
];
