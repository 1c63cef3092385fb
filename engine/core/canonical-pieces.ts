// Canonical pieces
//
// A canonical text on its way to a digest. Whole, the text of a long run is tens of megabytes that are put together once a
// level and then copied as bytes; in pieces none of it is copied.
//
// Owns:      taking a value's outer levels apart in canonical order.
// Does not:  say what is canonical of what is inside (json-value.ts).

import { canonicalJson, type JsonObject, type JsonValue } from "./json-value.js";

/** Joined, the pieces are `canonicalJson(value)`. `levels`: how many are taken apart; a value below is one piece. */
export function* canonicalPieces(value: JsonValue, levels: number): Generator<string, void> {
	if (levels === 0 || typeof value !== "object" || value === null) yield canonicalJson(value);
	else if (isList(value)) yield* piecesOfList(value, levels - 1);
	else yield* piecesOfObject(value, levels - 1);
}

function* piecesOfList(list: readonly JsonValue[], levels: number): Generator<string, void> {
	yield "[";
	for (const [place, item] of list.entries()) {
		if (place > 0) yield ",";
		yield* canonicalPieces(item, levels);
	}
	yield "]";
}

function* piecesOfObject(object: JsonObject, levels: number): Generator<string, void> {
	yield "{";
	// By code units, as RFC 8785 orders them.
	const fields = Object.keys(object).filter((key) => object[key] !== undefined);
	for (const [place, key] of fields.sort().entries()) {
		yield `${place > 0 ? "," : ""}${canonicalJson(key)}:`;
		yield* canonicalPieces(object[key] ?? null, levels);
	}
	yield "}";
}

function isList(value: object): value is readonly JsonValue[] {
	return Array.isArray(value);
}
