// Path arguments
//
// Arguments that a stream delivers piece by piece, each with the JSON path of the place it belongs to. Every piece has
// exactly one place it can go; one that has none makes the whole unreadable, since a tool must not run on arguments of
// which something was left out.
//
// Owns:      where a piece may go, the value, its text.
// Does not:  read a path (json-path.ts) or know which call a piece belongs to (gemini.ts).
//
// Invariants:
//   PA1. A place is written once; only a string goes on, at once and until its last piece.
//   PA2. A list has no gaps.
//   PA3. After a piece that does not fit, the text is no JSON value.

import { ARGUMENTS_CHARS_MAX } from "../core/limits.js";
import { GrowingText } from "./growing-text.js";
import { type PathStep, readJsonPath } from "./json-path.js";
import { type WholeArguments, wholeArguments } from "./whole-arguments.js";
import { asFields, asText, type Fields } from "./wire-event.js";

type Leaf = string | number | boolean | null;
type Node = Leaf | Node[] | { [name: string]: Node };
type Container = Extract<Node, object>;

/** The string that is still going on. */
interface OpenString {
	readonly path: string;
	readonly container: Container;
	readonly step: PathStep;
	readonly text: GrowingText;
}

export class PathArguments {
	readonly #root: { [name: string]: Node } = {};
	#open: OpenString | undefined;
	/** The first piece that did not fit, as text. */
	#misfit: string | undefined;
	#chars = 0;

	/** Takes the next piece. */
	apply(piece: unknown): void {
		if (this.#misfit !== undefined) return;
		const fields = asFields(piece);
		if (!this.#place(fields)) this.#misfit = wholeArguments(piece).text;
	}

	/** The arguments, once the provider says that there are no more pieces. */
	whole(): WholeArguments {
		if (this.#open !== undefined) write(this.#open.container, this.#open.step, this.#open.text.text());
		const misfit = this.#misfit ?? (this.#open && JSON.stringify({ jsonPath: this.#open.path, willContinue: true }));
		if (misfit === undefined) return { text: JSON.stringify(this.#root), args: this.#root };
		// PA3: shows both what was assembled and what would not fit; a reader stops where the second begins.
		return { text: `${JSON.stringify(this.#root)} ${misfit}` };
	}

	#place(fields: Fields): boolean {
		const goesOn = fields.willContinue ?? false;
		const leaf = leafOf(fields);
		const path = asText(fields.jsonPath);
		if (typeof goesOn !== "boolean" || leaf === undefined) return false;
		this.#chars += typeof leaf === "string" ? leaf.length : 1;
		if (this.#open !== undefined) return typeof leaf === "string" && this.#continue(this.#open, { path, leaf, goesOn });
		if (goesOn && typeof leaf !== "string") return false;
		this.#chars += path.length;
		if (this.#chars > ARGUMENTS_CHARS_MAX) return false;
		const steps = readJsonPath(path);
		const step = steps?.at(-1);
		const container = steps === undefined ? undefined : containerOf(this.#root, steps);
		if (container === undefined || step === undefined || !isFree(container, step)) return false;
		write(container, step, leaf);
		if (goesOn && typeof leaf === "string") this.#open = { path, container, step, text: new GrowingText(leaf) };
		return true;
	}

	#close({ container, step, text }: OpenString): void {
		write(container, step, text.text());
		this.#open = undefined;
	}

	// PA1: a piece for another place before the string's last one is not the order that the provider promises.
	#continue(open: OpenString, piece: { path: string; leaf: string; goesOn: boolean }): boolean {
		if (piece.path !== open.path || this.#chars > ARGUMENTS_CHARS_MAX) return false;
		open.text.append(piece.leaf);
		if (!piece.goesOn) this.#close(open);
		return true;
	}
}

/** The one value of a piece; undefined if it has none, or several. */
function leafOf({ stringValue, numberValue, boolValue, nullValue }: Fields): Leaf | undefined {
	const given = [stringValue, numberValue, boolValue, nullValue].filter((value) => value !== undefined);
	if (given.length !== 1) return undefined;
	if (typeof stringValue === "string") return stringValue;
	if (typeof boolValue === "boolean") return boolValue;
	if (typeof numberValue === "number" && Number.isFinite(numberValue)) return numberValue;
	return nullValue === null || nullValue === "NULL_VALUE" ? null : undefined;
}

/** The object or list that the last step leads into, made on the way where it is not there yet. */
function containerOf(root: Container, steps: readonly PathStep[]): Container | undefined {
	let container = root;
	for (const [place, step] of steps.slice(0, -1).entries()) {
		if (isFree(container, step)) write(container, step, typeof steps[place + 1] === "number" ? [] : {});
		const next = read(container, step);
		if (typeof next !== "object" || next === null) return undefined;
		container = next;
	}
	return container;
}

/** PA2: whether a step of this kind can write here; in a list only the place behind its end is free. */
function isFree(container: Container, step: PathStep): boolean {
	if (typeof step === "number") return Array.isArray(container) && step === container.length;
	return !Array.isArray(container) && !Object.hasOwn(container, step);
}

function read(container: Container, step: PathStep): Node | undefined {
	if (Array.isArray(container)) return typeof step === "number" ? container[step] : undefined;
	return typeof step === "string" && Object.hasOwn(container, step) ? container[step] : undefined;
}

function write(container: Container, step: PathStep, value: Node): void {
	// Assigning to `__proto__` would set the prototype and lose the field.
	if (step === "__proto__")
		Object.defineProperty(container, step, { value, enumerable: true, configurable: true, writable: true });
	else if (Array.isArray(container) && typeof step === "number") container[step] = value;
	else if (!Array.isArray(container)) container[step] = value;
}
