// Uncloneable
//
// Where in a value the part is that cannot leave its thread. Asked only once a message was refused, so it may try each
// part in turn.
//
// Owns:      the search.
// Does not:  copy anything that is kept.

import { causeOf } from "../engine/core/outcome.js";

export interface Uncloneable {
	/** Such as `$.rows[3].parent`. */
	readonly path: string;
	readonly problem: string;
}

/** `undefined` if the whole value can be cloned. */
export function uncloneableIn(value: unknown): Uncloneable | undefined {
	const seen = new Set<unknown>();
	let at = { path: "$", value, problem: refusalOf(value) };
	if (at.problem === undefined) return undefined;
	while (typeof at.value === "object" && at.value !== null && !seen.has(at.value)) {
		seen.add(at.value);
		const inner = partsOf(at.value)
			.map(([step, part]) => ({ path: at.path + step, value: part, problem: refusalOf(part) }))
			.find(({ problem, value: part }) => problem !== undefined && !seen.has(part));
		if (inner === undefined) break;
		at = inner;
	}
	return { path: at.path, problem: at.problem ?? "" };
}

function partsOf(value: object): [string, unknown][] {
	if (Array.isArray(value)) return value.map((item, index) => [`[${index}]`, item]);
	return Object.entries(value).map(([key, field]) => [
		/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
		field,
	]);
}

function refusalOf(value: unknown): string | undefined {
	try {
		structuredClone(value);
		return undefined;
	} catch (error) {
		return causeOf(error).message.replace(/\.$/, "");
	}
}
