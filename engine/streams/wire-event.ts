// Wire event
//
// One event of a provider's stream as parsed JSON, and the careful reading of its fields: a provider may send anything,
// so no field is trusted to be there or to be of its kind. Fields are read by their literal names and then judged; one
// function that takes the name cost a third of the time of a small event.
//
// Owns:      the shape of an event, and the reading of one field.
// Does not:  know what any field means; the readers do.

/** `name` is the event's name on the wire, where it had one. Of `value` only strings and numbers outlast the event. */
export interface WireEvent {
	readonly kind: "data";
	readonly name: string | undefined;
	readonly value: Fields;
}

export type Fields = { readonly [name: string]: unknown };

export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An empty object if the value is no object. */
export function asFields(value: unknown): Fields {
	return isFields(value) ? value : NO_FIELDS;
}

/** An empty list if the value is no list. */
export function asList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : NO_LIST;
}

/** An empty text if the value is no text. */
export function asText(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** A place in a list; undefined unless the value is a whole number from 0. */
export function asPlace(value: unknown): number | undefined {
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const NO_FIELDS: Fields = Object.freeze({});
const NO_LIST: readonly unknown[] = Object.freeze([]);
