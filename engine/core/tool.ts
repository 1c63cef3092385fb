// Tool
//
// What a host declares once and the engine asks about every call: its schema, its effect, whether it may run beside
// others, what it changes, and where its code runs.
//
// Owns:      the definition, its check, and the questions the engine asks of it (each with its safe answer when the
//            host's function throws or answers nonsense).
// Does not:  read raw arguments (call.ts) or run anything.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import {
	EFFECTS_IN_WORDS,
	type Effect,
	effectOfAnnotations,
	hint,
	isEffect,
	isRead,
	type ToolAnnotations,
} from "./effect.js";
import { EngineError } from "./errors.js";
import { type KnownFields, strayField } from "./known-fields.js";
import type { LockKeys } from "./lock-keys.js";
import { showValue } from "./show-value.js";
import { hearOut } from "./thenable.js";
import { isThreadRef, type ThreadRef } from "./thread-ref.js";
import type { ToolContext } from "./tool-context.js";
import type { InputDelta, InputPlace } from "./tool-input.js";

const TOOL = Symbol.for("wavetrain.Tool");

/**
 * What a call is shown as to a person.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface Presentation {
	/** One line: what the call would do. */
	readonly title: string;
	/** What else a person should see before they approve. */
	readonly detail?: string;
}

/**
 * A tool as its author writes it. `Args` is the output of the schema: every function gets the value that was parsed
 * once.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolDefinition<Args = unknown, Schema extends StandardSchemaV1 = StandardSchemaV1> {
	/** What a model calls it by; not empty, and no two of one engine alike. */
	readonly name: string;
	/** What a model is told of it. */
	readonly description?: string;
	/** A Zod schema, or any schema that implements Standard Schema. */
	readonly parameters: Schema;
	/** What a call may do. Left out: `'read'` if `annotations.readOnlyHint` plainly says so, else `'write'`. */
	readonly effect?: Effect | ((args: Args) => Effect);
	/** Hints by their MCP names. Default: none. */
	readonly annotations?: ToolAnnotations;
	/** Whether a call may run beside other safe calls. Left out: its effect is `'read'`. A check that throws: no. */
	readonly isConcurrencySafe?: boolean | ((args: Args) => boolean);
	/** What a call changes, as keys that no two running calls hold at once. */
	readonly lockKeys?: (args: Args, context: ToolContext) => LockKeys | Promise<LockKeys>;
	/**
	 * A cheap stamp of what a read reads, as data: a file's size and change time, a table's version. Taken when the read
	 * starts before its reply has ended, and again at its admission; if the two differ, the read runs again. It is asked on
	 * the host's thread, for early starts alone; one that throws, or answers nothing, keeps the read from starting early.
	 */
	readonly observed?: (args: Args) => unknown;
	/** A call may be repeated without harm, so a lost one may run again. Left out: `annotations.idempotentHint`. */
	readonly idempotent?: boolean;
	/** Longest a call may run, in milliseconds. The clock starts when the work begins. Left out: `timeouts.toolMs`. */
	readonly timeout?: number;
	/**
	 * Whether a person must approve a call before it runs. A check that throws, or answers anything but `false`: yes.
	 * Left out: no.
	 */
	readonly requiresApproval?: boolean | ((args: Args) => boolean);
	/** A call may ask a person (`context.interrupt`), so it never starts while the model still generates. Left out: no. */
	readonly mayAsk?: boolean;
	/** How a person is shown the call. */
	readonly presentation?: (args: Args) => Presentation;
	/** How the answer is to be shown: `'generic'` or a name of the host's own; copied into `tool_called`. */
	readonly render?: string;
	/** Told that a call's arguments begin to arrive. What any of these three throws costs nobody and is reported as an event. */
	readonly onInputStart?: (place: InputPlace) => unknown;
	/** Told of each piece of the arguments' text, in order. */
	readonly onInputDelta?: (delta: InputDelta) => unknown;
	/** Told of the arguments once they are whole and the schema takes them. The reply may still end badly. */
	readonly onInputAvailable?: (available: InputPlace & { readonly args: Args }) => unknown;
	/** The code: a function of this thread, or an export that runs on a worker thread ({@link onThread}). */
	readonly execute: ((args: Args, context: ToolContext) => unknown) | ThreadRef;
}

/**
 * A checked tool; made by {@link tool}. Spreading one into a new object keeps it a tool.
 *
 * @remarks Since 0.1.0.
 * @public
 */
// biome-ignore lint/suspicious/noExplicitAny: the schema's output type is known only to the tool's own functions
export interface Tool extends ToolDefinition<any> {
	/** Only `tool` can set it: whoever takes a tool takes one that was checked. */
	readonly [TOOL]: true;
}

const FIELDS: KnownFields<ToolDefinition> = {
	name: true,
	description: true,
	parameters: true,
	effect: true,
	annotations: true,
	isConcurrencySafe: true,
	lockKeys: true,
	observed: true,
	onInputStart: true,
	onInputDelta: true,
	onInputAvailable: true,
	idempotent: true,
	timeout: true,
	requiresApproval: true,
	mayAsk: true,
	presentation: true,
	render: true,
	execute: true,
};

/** The optional fields that are functions and nothing else. */
const FUNCTIONS = [
	"lockKeys",
	"observed",
	"presentation",
	"onInputStart",
	"onInputDelta",
	"onInputAvailable",
] as const satisfies readonly (keyof ToolDefinition)[];

/**
 * Declares a tool.
 *
 * @example
 * ```ts
 * const readNote = tool({
 *   name: 'read_note',
 *   parameters: z.object({ path: z.string() }),
 *   effect: 'read',
 *   execute: async ({ path }) => readFile(path, 'utf8'),
 * });
 * ```
 * @throws EngineError `INVALID_TOOL` naming the field, also for a field that no tool has.
 * @remarks Since 0.1.0.
 * @public
 */
export function tool<Schema extends StandardSchemaV1>(
	definition: ToolDefinition<StandardSchemaV1.InferOutput<Schema>, Schema>,
): Tool {
	const problem = problemOf(definition as ToolDefinition);
	if (problem !== undefined) {
		const named = definition?.name === undefined ? "a tool" : `the tool ${showValue(definition.name)}`;
		throw new EngineError("INVALID_TOOL", { action: `declare ${named}`, problem });
	}
	return Object.freeze({ ...definition, [TOOL]: true as const }) as Tool;
}

export function isTool(value: unknown): value is Tool {
	return typeof value === "object" && value !== null && TOOL in value;
}

/** The effect of one call. A function that throws, or answers no effect, is taken for a write. */
export function effectOf(of: Tool, args: unknown): Effect {
	if (typeof of.effect !== "function") return of.effect ?? effectOfAnnotations(of.annotations);
	try {
		const effect: unknown = of.effect(args);
		if (isEffect(effect)) return effect;
		hearOut(effect);
		return "write";
	} catch {
		return "write";
	}
}

/** Whether one call of the given effect may run beside other safe calls. */
export function isSafe(of: Tool, args: unknown, effect: Effect): boolean {
	if (of.isConcurrencySafe === undefined) return isRead(effect);
	if (typeof of.isConcurrencySafe === "boolean") return of.isConcurrencySafe;
	try {
		const safe: unknown = of.isConcurrencySafe(args);
		// A promise is truthy; taking it for an answer would call every call of an async check safe.
		if (safe !== true) hearOut(safe);
		return safe === true;
	} catch {
		return false;
	}
}

/** Whether a person must approve one call; in doubt they must. */
export function needsApproval({ requiresApproval = false }: Tool, args: unknown): boolean {
	if (typeof requiresApproval === "boolean") return requiresApproval;
	try {
		const needs: unknown = requiresApproval(args);
		if (needs !== false) hearOut(needs);
		return needs !== false;
	} catch {
		return true;
	}
}

/** Whether some call of the tool may make a person be asked. */
export function asksPeople({ requiresApproval = false, mayAsk = false }: Tool): boolean {
	return mayAsk || requiresApproval !== false;
}

/** How a person is shown one call; nothing when the tool does not say, or fails to. */
export function presentationOf(of: Tool, args: unknown): Presentation | undefined {
	try {
		const presented = of.presentation?.(args);
		const { title, detail } = (presented ?? {}) as Partial<Record<keyof Presentation, unknown>>;
		if (typeof title !== "string") {
			hearOut(presented);
			return undefined;
		}
		return { title, ...(typeof detail === "string" && { detail }) };
	} catch {
		return undefined;
	}
}

export function titleOf(of: Tool, args: unknown): string | undefined {
	return presentationOf(of, args)?.title;
}

export function isIdempotent(of: Tool): boolean {
	return of.idempotent ?? hint(of.annotations, "idempotentHint");
}

function problemOf(definition: ToolDefinition): string | undefined {
	if (typeof definition !== "object" || definition === null) return `it is ${showValue(definition)}, not an object`;
	const stray = strayField(definition, FIELDS);
	if (stray !== undefined) return stray;
	const { name, parameters, effect, timeout, render, execute } = definition;
	if (typeof name !== "string" || name === "") return `its name is ${showValue(name)}, not a text`;
	if (!isSchema(parameters)) return "its parameters are not a Zod schema or a Standard Schema";
	if (effect !== undefined && typeof effect !== "function" && !isEffect(effect)) {
		return `its effect is ${showValue(effect)}, which is none of the effects: ${EFFECTS_IN_WORDS}`;
	}
	if (timeout !== undefined && !(typeof timeout === "number" && timeout >= 1)) {
		return `its timeout is ${showValue(timeout)}, not 1 ms or more`;
	}
	if (render !== undefined && (typeof render !== "string" || render === "")) {
		return `its render is ${showValue(render)}, not a name`;
	}
	if (typeof execute !== "function" && !isThreadRef(execute)) {
		return "its execute is neither a function nor made by onThread()";
	}
	return problemOfFunctions(definition);
}

function problemOfFunctions(definition: ToolDefinition): string | undefined {
	const { annotations, isConcurrencySafe, idempotent, requiresApproval, mayAsk } = definition;
	if (annotations !== undefined && (typeof annotations !== "object" || annotations === null)) {
		return `its annotations are ${showValue(annotations)}, not an object`;
	}
	if (isConcurrencySafe !== undefined && !["boolean", "function"].includes(typeof isConcurrencySafe)) {
		return `its isConcurrencySafe is ${showValue(isConcurrencySafe)}, not a boolean or a function`;
	}
	for (const field of FUNCTIONS) {
		const value: unknown = definition[field];
		if (value !== undefined && typeof value !== "function") return `its ${field} is not a function`;
	}
	if (requiresApproval !== undefined && !["boolean", "function"].includes(typeof requiresApproval)) {
		return `its requiresApproval is ${showValue(requiresApproval)}, not a boolean or a function`;
	}
	if (mayAsk !== undefined && typeof mayAsk !== "boolean") return `its mayAsk is ${showValue(mayAsk)}, not a boolean`;
	if (idempotent !== undefined && typeof idempotent !== "boolean") {
		return `its idempotent is ${showValue(idempotent)}, not a boolean`;
	}
	return undefined;
}

// Standard Schema allows a schema to be a function as well (ArkType's are).
function isSchema(value: unknown): value is StandardSchemaV1 {
	if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
	const standard = (value as { "~standard"?: { validate?: unknown } })["~standard"];
	return typeof standard?.validate === "function";
}
