// Command operands
//
// The words of a command that may be places: those that are no options, the values of options, and the folders that a command
// has changed to before it looks at them.
//
// Owns:      telling those from the other words.
// Does not:  know which command means what by them (discarding-commands.ts).

import { nameOfPath } from "./command-names.js";
import type { ShellWord } from "./shell-words.js";

/** The words that are no options, and the values of those that are written with `=`. */
export function operands(words: readonly ShellWord[]): readonly ShellWord[] {
	const end = words.findIndex(({ text }) => text === "--");
	return words.flatMap((word, place) => {
		if (end !== -1 && place > end) return [word];
		const value = /^-{0,2}[\w-]+=(.+)$/s.exec(word.text)?.[1];
		const whole = word.text.startsWith("-") || word.text === "" ? [] : [word];
		return value === undefined ? whole : [...whole, { ...word, text: value }];
	});
}

/** What stands behind such an option in the same word, or else is the next word. */
export function valuesOf(words: readonly ShellWord[], option: RegExp): readonly ShellWord[] {
	return words.flatMap((word, place) => {
		const [found] = option.exec(word.text) ?? [];
		if (found === undefined) return [];
		const own = word.text.slice(found.length).replace(/^=/, "");
		return own === "" ? words.slice(place + 1, place + 2) : [{ ...word, text: own }];
	});
}

/** The folders that later words may be meant from: the command may have changed to this one, or failed to. */
export function afterCd(from: readonly string[], [word]: readonly ShellWord[]): readonly string[] {
	if (word === undefined || isSomewhere(word) || word.text.startsWith("-")) return from;
	const to = word.text;
	const absolute = /^(?:[\\/~]|[A-Za-z]:)/.test(to);
	return [...from, ...(absolute ? [to] : from.map((folder) => `${folder}/${to}`))];
}

/** Whether nobody can say which folder is meant. */
export function isSomewhere({ text, pattern, unknown }: ShellWord): boolean {
	return unknown || pattern || /^~[^\\/]/.test(text);
}

const CHANGES: ReadonlySet<string> = new Set(["cd", "pushd", "chdir"]);
const HOME: ShellWord = { text: "~", pattern: false, unknown: false };

/** The folders that a command of this name may change to: its first word, or where it is given none the home. */
export function changesTo(name: string, rest: readonly ShellWord[]): readonly ShellWord[] {
	if (CHANGES.has(name)) return [operands(rest)[0] ?? HOME];
	return name === "env" ? valuesOf(rest, /^(?:-[0iv]*C|--chdir(?==|$))/) : [];
}

/** The name under which something stands in the folder it is put into; empty where its content is put there itself. */
export function copiedName(text: string): string {
	const name = /[\\/]$/.test(text) ? "" : nameOfPath(text);
	return name === "." || name === ".." ? "" : name;
}
