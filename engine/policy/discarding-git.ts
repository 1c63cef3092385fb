// Discarding git
//
// What git could discard, read from its words. Most subcommands change files of the working tree, and what they change is what
// no commit holds; of those that change none, some write their output to a file.
//
// Owns:      which subcommands those are, and git's own options for folders and files.
// Does not:  ask git what it has not kept (git-command.ts).

import { SHELL_FOLDERS_MAX } from "../core/limits.js";
import { afterCd, operands, valuesOf } from "./command-operands.js";
import type { Discards } from "./discards.js";
import type { ShellWord } from "./shell-words.js";

/** Subcommands of git that change no file of the working tree. */
const GIT_KEEPS: ReadonlySet<string> = new Set(
	"status log diff show add commit branch fetch push remote rev-parse rev-list describe blame shortlog grep ls-files ls-tree cat-file config tag init clone help version for-each-ref show-ref symbolic-ref merge-base name-rev archive bundle fsck count-objects var whatchanged reflog notes hash-object".split(
		" ",
	),
);

/** Options before the subcommand whose values are the next word. */
const VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/;

/** By subcommand, what stands before the name of a file that it writes. */
const OUTPUTS: Readonly<Record<string, RegExp>> = {
	archive: /^(?:-o|--output(?==|$))/,
	config: /^(?:-f|--file(?==|$))/,
};
const OUTPUT = /^--output(?==|$)/;
/** A setting by which a subcommand may be any line for a shell. */
const ALIAS = /^(?:--config-env=)?alias\./i;

export function discardedByGit(rest: readonly ShellWord[], from: readonly string[]): readonly Discards[] {
	const at = rest.findIndex(({ text }, place) => !text.startsWith("-") && !VALUED.test(rest[place - 1]?.text ?? ""));
	const subcommand = rest[at];
	if (subcommand === undefined) return [];
	const [before, behind] = [rest.slice(0, at), rest.slice(at + 1)];
	let within = from;
	// One after the other, as with `cd`. Past the bound those before stand for the rest: git is asked about all around them.
	for (const word of valuesOf(before, /^(?:-C$|--work-tree(?==|$))/)) {
		if (within.length <= SHELL_FOLDERS_MAX) within = afterCd(within, [word]);
	}
	if (before.some(({ text }) => ALIAS.test(text))) return [{ kind: "everything", from: within }];
	if (GIT_KEEPS.has(subcommand.text)) {
		const isBundle = subcommand.text === "bundle";
		const files = isBundle ? operands(behind.slice(1)) : valuesOf(behind, OUTPUTS[subcommand.text] ?? OUTPUT);
		return files.map((word) => ({ kind: "path", word, from: within }));
	}
	const ignored = behind.some(({ text }) => /^-\w*[xX]/.test(text));
	const notKept: Discards = { kind: "not kept", ignored, from: within };
	// A working tree beside this one goes with all that is in it.
	const trees = subcommand.text === "worktree" ? operands(behind.slice(1)) : [];
	return [notKept, ...trees.map((word): Discards => ({ kind: "path", word, from: within }))];
}
