// Wire event
//
// One event of a provider's stream as parsed JSON, and the careful reading of its fields: a provider may send anything,
// so no field is trusted to be there or to be of its kind.

/** `name` is the event's name on the wire, where it had one. */
export interface WireEvent {
	readonly kind: "data";
	readonly name: string | undefined;
	readonly value: Fields;
}

export type Fields = { readonly [name: string]: unknown };

export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object field; an empty object if there is none. */
export function fieldsOf(of: Fields, name: string): Fields {
	const value = of[name];
	return isFields(value) ? value : NO_FIELDS;
}

export function listOf(of: Fields, name: string): readonly Fields[] {
	const value = of[name];
	return Array.isArray(value) ? value.filter(isFields) : NO_LIST;
}

/** A text field; empty if it is missing or not a text. */
export function textOf(of: Fields, name: string): string {
	const value = of[name];
	return typeof value === "string" ? value : "";
}

/** A place in a list; undefined unless it is a whole number from 0. */
export function placeOf(of: Fields, name: string): number | undefined {
	const value = of[name];
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const NO_FIELDS: Fields = Object.freeze({});
const NO_LIST: readonly Fields[] = Object.freeze([]);
