// Canonical pieces
//
// A canonical text on its way to a digest. Whole, the text of a long run is tens of megabytes that are put together once a
// level and then copied as bytes; in pieces none of it is copied.
//
// Owns:      taking a value's outer levels apart in canonical order.
// Does not:  say what is canonical of what is inside (json-value.ts).

import { canonicalJson, type JsonObject, type JsonValue } from "./json-value.js";

/** How one value is written, and how many levels of the whole are taken apart; a value below them is one piece. */
interface Pieces {
	readonly levels: number;
	readonly pieceOf: (value: JsonValue) => string;
}

/** Joined, the pieces are `canonicalJson(value)` where that is the `pieceOf`. */
export function* canonicalPieces(value: JsonValue, { levels, pieceOf }: Pieces): Generator<string, void> {
	const inside = { levels: levels - 1, pieceOf };
	if (levels === 0 || typeof value !== "object" || value === null) yield pieceOf(value);
	else if (isList(value)) yield* piecesOfList(value, inside);
	else yield* piecesOfObject(value, inside);
}

function* piecesOfList(list: readonly JsonValue[], inside: Pieces): Generator<string, void> {
	yield "[";
	for (const [place, item] of list.entries()) {
		if (place > 0) yield ",";
		yield* canonicalPieces(item, inside);
	}
	yield "]";
}

function* piecesOfObject(object: JsonObject, inside: Pieces): Generator<string, void> {
	yield "{";
	// By code units, as RFC 8785 orders them.
	const fields = Object.keys(object).filter((key) => object[key] !== undefined);
	for (const [place, key] of fields.sort().entries()) {
		yield `${place > 0 ? "," : ""}${canonicalJson(key)}:`;
		yield* canonicalPieces(object[key] ?? null, inside);
	}
	yield "}";
}

function isList(value: object): value is readonly JsonValue[] {
	return Array.isArray(value);
}
