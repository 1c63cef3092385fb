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

function objectBytesOf(value: object): number {
	// The two brackets, and a comma after every item or field but the last.
	let bytes = 1;
	if (Array.isArray(value)) {
		for (let at = 0; at < value.length; at += 1) bytes += jsonBytesOf(value[at]) + 1;
	} else if (Object.getPrototypeOf(value) === Object.prototype) {
		for (const [key, field] of Object.entries(value)) bytes += textBytesOf(key) + 1 + jsonBytesOf(field) + 1;
	} else return Number.NaN;
	return bytes === 1 ? 2 : bytes;
}

function textBytesOf(text: string): number {
	let bytes = 2;
	for (let at = 0; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		if (unit < 0x80) bytes += ASCII_BYTES[unit] ?? 1;
		else if (unit < 0x800) bytes += 2;
		else if (!isHalf(unit)) bytes += 3;
		else if (isPair(unit, text.charCodeAt(at + 1))) {
			bytes += 4;
			at += 1;
		} else bytes += ESCAPED_BYTES;
	}
	return bytes;
}

/** How JSON writes what it escapes by number, such as half of a pair. */
const ESCAPED_BYTES = "\\ud800".length;

/** The bytes of each ASCII character inside a JSON text. */
const ASCII_BYTES = Uint8Array.from(
	{ length: 0x80 },
	(_, unit) => JSON.stringify(String.fromCharCode(unit)).length - 2,
);

function isHalf(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdfff;
}

function isPair(first: number, second: number): boolean {
	return first < 0xdc00 && second >= 0xdc00 && second <= 0xdfff;
}
