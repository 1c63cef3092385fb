// Effect
//
// What a tool declares that a call of it may do. Everything the engine decides about a call (whether it may run beside
// others, whether it may start ahead, whether a lost answer may be repeated) begins with this one word.
//
// Owns:      the closed union, its text form for people, and how MCP annotations become an effect.
// Does not:  judge an effect (policies do) or schedule by it (wave-plan.ts does).

/**
 * What a call may do. Only `'read'` is read-only; a write may name the area it changes and a connector its label.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type Effect =
	| "read"
	| "write"
	| "egress"
	| "spawn"
	| "govern"
	| { readonly write: string }
	| { readonly connector: string };

/**
 * The hints of the Model Context Protocol. Hints in snake case (`read_only_hint`) are understood as well.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolAnnotations {
	/** A name for people. */
	readonly title?: string;
	/** A call changes nothing. Anything but `true` is no. */
	readonly readOnlyHint?: boolean;
	/** A call may destroy something; with `readOnlyHint` beside it the tool is taken for a write. */
	readonly destructiveHint?: boolean;
	/** A repeated call changes nothing more. Anything but `true` is no. */
	readonly idempotentHint?: boolean;
	/** A call reaches beyond this machine. A read with `true` starts early only under `ahead: 'any'`. */
	readonly openWorldHint?: boolean;
	/** Whatever else a server says of its tool; `taint` is read by the policy of that name. */
	readonly [name: string]: unknown;
}

/** For whoever wrote one that does not exist. */
export const EFFECTS_IN_WORDS = "read, write, egress, spawn, govern, { write: area }, { connector: label }";

const PLAIN_EFFECTS: ReadonlySet<unknown> = new Set(["read", "write", "egress", "spawn", "govern"]);

export function isEffect(value: unknown): value is Effect {
	if (PLAIN_EFFECTS.has(value)) return true;
	if (typeof value !== "object" || value === null) return false;
	const keys = Object.keys(value);
	const [key] = keys;
	if (keys.length !== 1 || (key !== "write" && key !== "connector")) return false;
	return typeof (value as Record<string, unknown>)[key] === "string";
}

export function isRead(effect: Effect): boolean {
	return effect === "read";
}

/** The effect as one word for a table or a message: `write(notes)`, `connector(mail)`. */
export function effectName(effect: Effect): string {
	if (typeof effect === "string") return effect;
	return "write" in effect ? `write(${effect.write})` : `connector(${effect.connector})`;
}

type HintName = "readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint";

/** What a tool that contradicts itself is taken for: these hints hold when either spelling says so, the others do not. */
const WARNINGS: ReadonlySet<HintName> = new Set<HintName>(["destructiveHint", "openWorldHint"]);

/** One hint by its MCP name, in either spelling; anything but a plain `true` is `false`. */
export function hint(annotations: ToolAnnotations | undefined, name: HintName): boolean {
	if (annotations === undefined) return false;
	const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	const said = [annotations[name], annotations[snake]].filter((value) => value !== undefined);
	return WARNINGS.has(name) ? said.includes(true) : said.length > 0 && said.every((value) => value === true);
}

/** A tool that declares no effect reads only if its annotations plainly say so and do not contradict themselves. */
export function effectOfAnnotations(annotations: ToolAnnotations | undefined): "read" | "write" {
	const readOnly = hint(annotations, "readOnlyHint") && !hint(annotations, "destructiveHint");
	return readOnly ? "read" : "write";
}
