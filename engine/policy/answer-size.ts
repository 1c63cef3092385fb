// Answer size
//
// How much an outcome is, for policies that count answers.
//
// Owns:      the exact measure that a budget counts.
// Does not:  say how much is too much (budget.ts).

import type { Outcome } from "../core/outcome.js";

/** Bytes of binary; of anything else, those of its JSON text; of a failure, those of its message. */
export function bytesOf(outcome: Outcome): number {
	if (!outcome.ok) return Buffer.byteLength(outcome.error.message);
	const { value } = outcome;
	if (value === undefined) return 0;
	if (value instanceof Uint8Array) return value.byteLength;
	const bytes = jsonBytesOf(value);
	// A policy further in may have answered with what is no data yet.
	return Number.isNaN(bytes) ? Buffer.byteLength(JSON.stringify(value)) : bytes;
}

/** As many bytes as `JSON.stringify` would write, without writing them; no number for what is not plain data. */
function jsonBytesOf(value: unknown): number {
	switch (typeof value) {
		case "string":
			return textBytesOf(value);
		case "number":
		case "boolean":
			return JSON.stringify(value).length;
		case "object":
			return value === null ? JSON.stringify(value).length : objectBytesOf(value);
		default:
			return Number.NaN;
	}
}

type Fields = Readonly<Record<string, unknown>>;

function objectBytesOf(value: object): number {
	// The two brackets, and a comma after every item or field but the last.
	let bytes = 1;
	if (Array.isArray(value)) {
		for (let at = 0; at < value.length; at += 1) bytes += jsonBytesOf(value[at]) + 1;
	} else if (Object.getPrototypeOf(value) === Object.prototype) {
		for (const key of Object.keys(value)) bytes += textBytesOf(key) + 1 + jsonBytesOf((value as Fields)[key]) + 1;
	} else return Number.NaN;
	return bytes === 1 ? 2 : bytes;
}

function textBytesOf(text: string): number {
	if (text.length > ROOM.length) return escapedBytesOf(text);
	let bytes = 2;
	if (text.length < ROOM_FROM) {
		for (let at = 0; at < text.length; at += 1) {
			const unit = text.charCodeAt(at);
			if (unit > ASCII_MAX) return escapedBytesOf(text);
			bytes += ASCII_BYTES[unit] ?? 1;
		}
		return bytes;
	}
	const { read, written } = ENCODER.encodeInto(text, ROOM);
	// Not all of it was ASCII, or the room was full before its end.
	if (read !== text.length || written !== text.length) return escapedBytesOf(text);
	for (let at = 0; at < written; at += 1) bytes += ASCII_BYTES[ROOM[at] ?? 0] ?? 1;
	return bytes;
}

function escapedBytesOf(text: string): number {
	return Buffer.byteLength(JSON.stringify(text));
}

const ASCII_MAX = 0x7f;

/** The bytes of each ASCII character inside a JSON text. */
const ASCII_BYTES = Uint8Array.from(
	{ length: ASCII_MAX + 1 },
	(_, unit) => JSON.stringify(String.fromCharCode(unit)).length - 2,
);

/** From so many characters on they are read faster from a copy in bytes, whatever the text was put together from. */
const ROOM_FROM = 48;
const ROOM = new Uint8Array(16_384);
const ENCODER = new TextEncoder();
