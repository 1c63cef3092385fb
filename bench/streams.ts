// Streams
//
// What reading a reply costs beyond cutting its wire into parsed events, a delta of arguments; and whether a long
// argument in tiny deltas stays linear. Both sides read the same bytes in the same pieces: the baseline is the wire's own
// parser (server-sent events by `eventsource-parser`, lines by a split, frames by Amazon's codec) and `JSON.parse`.
//
// Owns:      the bytes, the bare parsers beside the readers, and the rows.
// Does not:  know the events of a format (stream-recipes.ts).

import { EventStreamCodec } from "@smithy/eventstream-codec";
import { createParser } from "eventsource-parser";
import { readStream, type StreamFormat } from "wavetrain";
import { inTurns, type Row, type Subject } from "./harness.js";
import { RECIPES, type Recipe, type Wire } from "./stream-recipes.js";

/** Most that a delta may cost beyond its wire, in microseconds. */
const DELTA_US_MAX = 2;

/** Longest that a megabyte of arguments may take to read, in milliseconds. */
const MEGABYTE_MS_MAX = 1_000;

// The text of an argument as a model writes it, escapes and all; no delta is that before it.
const ARGUMENT = String.raw`function sum(values) {\n\tlet total = 0;\n\tfor (const value of values)\n\t\ttotal += value;\n\treturn total; // \"so\"\n}\n`;
const DELTA_CHARS = 4;
const DELTAS = ARGUMENT.match(/.{4}/gs) ?? [];
const DELTAS_OF_MEGABYTE = (1024 * 1024) / DELTA_CHARS;
const DELTAS_SAMPLED = 20_000;

/** Pieces as a network delivers them, and as a proxy that breaks them up does. */
const PIECE_BYTES = 1_400;
const SMALL_PIECE_BYTES = 100;

const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const codec = new EventStreamCodec(
	(bytes) => decoder.decode(bytes as Uint8Array),
	(text) => encoder.encode(text),
);

function frameOf(event: object): Uint8Array {
	const [name, payload] = Object.entries(event)[0] ?? ["", {}];
	const headers = {
		":event-type": { type: "string" as const, value: name },
		":content-type": { type: "string" as const, value: "application/json" },
		":message-type": { type: "string" as const, value: "event" },
	};
	return codec.encode({ headers, body: encoder.encode(JSON.stringify(payload)) });
}

function bytesOf({ before, delta, after, wire }: Recipe, deltas: number): Uint8Array {
	const encode = (event: object): Uint8Array => {
		if (wire === "frames") return frameOf(event);
		const text = JSON.stringify(event);
		return encoder.encode(wire === "JSON lines" ? `${text}\n` : `data: ${text}\n\n`);
	};
	const each = DELTAS.map((text) => encode(delta(text)));
	const streamed = Array.from({ length: deltas }, (_, at) => each[at % each.length] ?? NOTHING);
	return Buffer.concat([...before.map(encode), ...streamed, ...after.map(encode)]);
}

function piecesOf(bytes: Uint8Array, pieceBytes: number): Uint8Array[] {
	const count = Math.ceil(bytes.length / pieceBytes);
	return Array.from({ length: count }, (_, at) => bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes));
}

async function* asSource(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* pieces;
}

async function read(format: StreamFormat, pieces: readonly Uint8Array[]): Promise<void> {
	for await (const item of readStream(format, asSource(pieces))) void item;
}

/** The same pieces to parsed events, and nothing more. */
async function parse(wire: Wire, pieces: readonly Uint8Array[]): Promise<void> {
	const take = (data: string): unknown => JSON.parse(data);
	const feed = wire === "frames" ? framesTo(take) : wire === "JSON lines" ? linesTo(take) : eventsTo(take);
	for await (const piece of asSource(pieces)) feed(piece);
}

type Feed = (piece: Uint8Array) => void;

function eventsTo(take: (data: string) => void): Feed {
	const text = new TextDecoder();
	const parser = createParser({ onEvent: ({ data }) => take(data) });
	return (piece) => parser.feed(text.decode(piece, { stream: true }));
}

function linesTo(take: (data: string) => void): Feed {
	const text = new TextDecoder();
	let rest = "";
	return (piece) => {
		const lines = (rest + text.decode(piece, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) take(line);
	};
}

function framesTo(take: (data: string) => void): Feed {
	let rest: Uint8Array = NOTHING;
	return (piece) => {
		rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
		while (rest.length >= 4) {
			const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
			if (length > rest.length) return;
			take(decoder.decode(codec.decode(rest.subarray(0, length)).body));
			rest = rest.subarray(length);
		}
	};
}

async function deltaRow(recipe: Recipe, pieceBytes: number): Promise<Row> {
	const pieces = piecesOf(bytesOf(recipe, DELTAS_SAMPLED), pieceBytes);
	const works = { ours: () => read(recipe.format, pieces), wire: () => parse(recipe.wire, pieces) };
	const ms = await inTurns(works, { warmUp: 3, measured: 9 });
	const beyondUs = ((ms.ours - ms.wire) * 1000) / DELTAS_SAMPLED;
	return {
		what: `${recipe.format}: a delta beyond its wire, in ${pieceBytes}-byte pieces`,
		ours: beyondUs,
		baseline: (ms.wire * 1000) / DELTAS_SAMPLED,
		unit: "µs a delta",
		against: `the wire alone (${recipe.wire}); the ratio is to the budget of ${DELTA_US_MAX} µs`,
		ratio: beyondUs / DELTA_US_MAX,
		target: { atMost: 1 },
	};
}

async function megabyteRow(recipe: Recipe, pieceBytes: number): Promise<Row> {
	const pieces = piecesOf(bytesOf(recipe, DELTAS_OF_MEGABYTE), pieceBytes);
	const { ours } = await inTurns({ ours: () => read(recipe.format, pieces) }, { warmUp: 1, measured: 3 });
	return {
		what: `${recipe.format}: 1 MB of arguments, ${DELTA_CHARS}-byte deltas in ${pieceBytes}-byte pieces`,
		ours,
		baseline: MEGABYTE_MS_MAX,
		unit: "ms",
		against: "the budget",
		ratio: ours / MEGABYTE_MS_MAX,
		target: { atMost: 1 },
	};
}

/** What a delta costs in arguments eight times as long. */
async function lengthRow(recipe: Recipe): Promise<Row> {
	const [short, long] = [DELTAS_OF_MEGABYTE / 4, DELTAS_OF_MEGABYTE * 2].map((deltas) =>
		piecesOf(bytesOf(recipe, deltas), PIECE_BYTES),
	) as [Uint8Array[], Uint8Array[]];
	const repeated = async (): Promise<void> => {
		for (let time = 0; time < 8; time += 1) await read(recipe.format, short);
	};
	const ms = await inTurns({ short: repeated, long: () => read(recipe.format, long) }, { warmUp: 1, measured: 3 });
	return {
		what: `${recipe.format}: 2 MB of arguments`,
		ours: ms.long,
		baseline: ms.short,
		unit: "ms",
		against: "eight times 256 KB",
		ratio: ms.long / ms.short,
		target: { atMost: 1.5 },
	};
}

export const streams: Subject = {
	name: "streams",
	notMeasured: "a network, a reader that does something with the items, the engine that they go to",
	async run(): Promise<readonly Row[]> {
		const rows: Row[] = [];
		for (const row of [deltaRow, megabyteRow])
			for (const recipe of RECIPES)
				for (const pieceBytes of [SMALL_PIECE_BYTES, PIECE_BYTES]) rows.push(await row(recipe, pieceBytes));
		for (const recipe of RECIPES) rows.push(await lengthRow(recipe));
		return rows;
	},
};
