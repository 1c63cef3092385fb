// Discarding commands
//
// Which files a command could discard, read from its words. It prefers too much: a command's name is looked for in every
// place of the line, so that it is found behind `sudo`, `xargs`, `if` or `find -exec` without knowing those; a word that
// only might be a path is one; and what cannot be known is everything in the folder.
//
//   rm, unlink, shred, truncate, tee, dd, sed -i …   every word
//   gzip, xz, dos2unix, vim …                        every word
//   sort, curl, wget                                 what stands behind -o, -O or --output
//   mv, cp, ln, install                              what stands at the target, and then what mv puts there; of mv beside
//                                                    other commands every word
//   > file                                           the file
//   find … -delete or -exec                          the folders it starts from
//   git checkout, reset, clean and all but a few     what git has not kept
//   tar, unzip, patch, rsync                          what git has not kept, and the folders among their words
//   sh -c, bash -c, eval                             the line they are given, read like this one
//
// A program with a language of its own (`python -c`, a script, a build) is not looked into: the caller of the policy names
// those.
//
// Owns:      that table.
// Does not:  read a line (shell-words.ts) or look at a file (at-stake.ts).

import { SHELL_DEPTH_MAX } from "../core/limits.js";
import { literalWord, type ShellCommand, type ShellWord, shellCommands } from "./shell-words.js";

/** What a command could discard. Paths and folders are as they are written, from any of the folders in `from`. */
export type Discards =
	| { readonly kind: "path"; readonly word: ShellWord; readonly from: readonly string[] }
	/** A file that something is put at; where it is a folder, what stands in it under these names. */
	| {
			readonly kind: "target";
			readonly word: ShellWord;
			readonly names: readonly ShellWord[];
			/** What is not where it was afterwards; it matters where something is written over: undoing that needs both. */
			readonly moved: readonly ShellWord[];
			readonly from: readonly string[];
	  }
	/** What git has not kept of the folders; with `ignored`, what it was told to ignore too. */
	| { readonly kind: "not kept"; readonly ignored: boolean; readonly from: readonly string[] };

type Rule = "paths" | "outputs" | "target" | "git" | "unpacks" | "finds" | "edits" | "shell";

const RULES = new Map<string, Rule>([
	...names("rm unlink rmdir shred srm truncate tee dd del erase rd remove-item ri clear-content", "paths"),
	// These leave another file in the place of the one they are given, or write it anew.
	...names("gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd compress uncompress", "paths"),
	...names("dos2unix unix2dos sponge ed ex vi vim nvim", "paths"),
	...names("sort curl wget", "outputs"),
	...names("mv cp ln install move copy ren rename move-item copy-item", "target"),
	...names("git", "git"),
	...names("tar unzip patch cpio 7z bsdtar rsync", "unpacks"),
	...names("find fd", "finds"),
	...names("sed perl ruby awk gawk", "edits"),
	...names("sh bash zsh dash ksh ash fish eval su cmd pwsh powershell", "shell"),
]);

const MOVES: ReadonlySet<string> = new Set(["mv", "move", "ren", "rename", "move-item"]);

/** Subcommands of git that change no file of the working tree. */
const GIT_KEEPS: ReadonlySet<string> = new Set(
	"status log diff show add commit branch fetch push remote rev-parse rev-list describe blame shortlog grep ls-files ls-tree cat-file config tag init clone help version for-each-ref show-ref symbolic-ref merge-base name-rev archive bundle fsck count-objects var whatchanged reflog notes hash-object".split(
		" ",
	),
);

function names(list: string, rule: Rule): [string, Rule][] {
	return list.split(" ").map((name) => [name, rule]);
}

/** What a line for a shell could discard when it is run in the folder. */
export function discardedByLine(line: string, folder: string): readonly Discards[] {
	return discardedBy(shellCommands(line), [folder], 0);
}

/** What a program could discard that is given these words as they are. */
export function discardedByProgram(words: readonly string[], folder: string): readonly Discards[] {
	return discardedBy([{ words: words.map(literalWord), overwritten: [] }], [folder], 0);
}

function discardedBy(commands: readonly ShellCommand[], folders: readonly string[], depth: number): Discards[] {
	const found: Discards[] = [];
	let from = folders;
	let lost = false;
	let ruled = 0;
	// What was moved is somewhere, unless another command of the line discards it there.
	const moved: Discards[] = [];
	for (const { words, overwritten } of commands) {
		for (const word of overwritten) found.push({ kind: "path", word, from });
		ruled += overwritten.length;
		for (const [place, { text, unknown }] of words.entries()) {
			const name = nameOf(text);
			const rest = words.slice(place + 1);
			if (name === "cd" || name === "pushd") {
				from = afterCd(from, rest);
				lost ||= rest[0]?.unknown === true;
			}
			// Which words a command is given by `xargs` cannot be seen.
			if (name === "xargs" || name === "parallel") found.push(...ifDiscarding(rest, from));
			const rule = unknown ? undefined : RULES.get(name);
			if (rule === undefined) continue;
			ruled += 1;
			const moves = MOVES.has(name);
			found.push(...byRule[rule]({ rest, from, depth, moves }));
			if (moves) moved.push(...byRule.paths({ rest, from, depth, moves }));
		}
	}
	if (ruled > 1) found.push(...moved);
	return lost && found.length > 0 ? [...found, ...everything(from)] : found;
}

function everything(from: readonly string[]): readonly Discards[] {
	return [{ kind: "not kept", ignored: true, from }];
}

interface Named {
	readonly moves: boolean;
	readonly rest: readonly ShellWord[];
	readonly from: readonly string[];
	readonly depth: number;
}

const byRule: Readonly<Record<Rule, (named: Named) => readonly Discards[]>> = {
	paths: ({ rest, from }) => operands(rest).map((word) => ({ kind: "path", word, from })),
	outputs({ rest, from }) {
		return rest.flatMap(({ text, ...word }, place) => {
			const before = rest[place - 1]?.text ?? "";
			const own = /^--output(?:-\w+)?=(.+)$/s.exec(text)?.[1] ?? /^-[A-Za-z]*[oO](.+)$/s.exec(text)?.[1];
			const named = /^(?:-[A-Za-z]*[oO]|--output(?:-\w+)?)$/.test(before) ? text : own;
			return named === undefined ? [] : [{ kind: "path", word: { ...word, text: named }, from }];
		});
	},
	target({ rest, from, moves }) {
		const words = operands(rest);
		// A copy that deletes what its source lacks, or that puts one folder into the place of another, may meet anything.
		if (rest.some(({ text }) => /^-\w*T|^--(?:delete|remove|inplace|no-target)/.test(text)))
			return byRule.paths({ rest, from, depth: 0, moves: false });
		const names = words.map((word) => ({ ...word, text: copiedName(word.text) }));
		const first = rest.some(({ text }) => /^(?:-\w*t|--target)/.test(text)) ? 0 : -1;
		const moved = moves ? words : [];
		return words.slice(first).map((word) => ({ kind: "target", word, names, moved, from }));
	},
	git({ rest, from }) {
		const at = rest.findIndex(
			({ text }, place) => !text.startsWith("-") && !/^-[Cc]$/.test(rest[place - 1]?.text ?? ""),
		);
		const subcommand = rest[at];
		if (subcommand === undefined || GIT_KEEPS.has(subcommand.text)) return [];
		const folders = rest.slice(0, at).filter((_, place) => rest[place - 1]?.text === "-C");
		const ignored = rest.slice(at + 1).some(({ text }) => /^-\w*[xX]/.test(text));
		return [{ kind: "not kept", ignored, from: folders.reduce((all, word) => afterCd(all, [word]), from) }];
	},
	unpacks: ({ rest, from }) => [
		// One of the words may be the folder that it unpacks into; an archive is none.
		{ kind: "not kept", ignored: true, from: operands(rest).reduce((all, word) => afterCd(all, [word]), from) },
	],
	finds({ rest, from }) {
		if (!rest.some(({ text }) => /^-(?:delete|exec|execdir|ok|okdir|fprint.*|fls|x|X)$|^--exec/.test(text))) return [];
		const first = rest.findIndex(({ text }) => text.startsWith("-") && !/^-[HLP]$/.test(text));
		const starts = operands(rest.slice(0, first));
		return (starts.length === 0 ? [literalWord(".")] : starts).map((word) => ({ kind: "path", word, from }));
	},
	edits({ rest, from }) {
		const inPlace = rest.some(({ text }) => /^-\w*i|^--in-place/.test(text));
		return inPlace ? byRule.paths({ rest, from, depth: 0, moves: false }) : [];
	},
	shell({ rest, from, depth }) {
		if (depth >= SHELL_DEPTH_MAX) return everything(from);
		return rest.flatMap((word) => {
			const inner = discardedBy(shellCommands(word.text), from, depth + 1);
			return inner.length > 0 && word.unknown ? [...inner, ...everything(from)] : inner;
		});
	},
};

function ifDiscarding(rest: readonly ShellWord[], from: readonly string[]): readonly Discards[] {
	return rest.some(({ text }) => RULES.has(nameOf(text))) ? everything(from) : [];
}

/** The words that are no options, and the values of those that are written with `=`. */
function operands(words: readonly ShellWord[]): readonly ShellWord[] {
	const end = words.findIndex(({ text }) => text === "--");
	return words.flatMap((word, place) => {
		if (end !== -1 && place > end) return [word];
		const value = /^-{0,2}[\w-]+=(.+)$/s.exec(word.text)?.[1];
		const whole = word.text.startsWith("-") || word.text === "" ? [] : [word];
		return value === undefined ? whole : [...whole, { ...word, text: value }];
	});
}

/** The folders that later words may be meant from: the command may have changed to this one, or failed to. */
function afterCd(from: readonly string[], [word]: readonly ShellWord[]): readonly string[] {
	if (word === undefined || word.unknown || word.pattern || word.text.startsWith("-")) return from;
	const to = word.text;
	const absolute = /^(?:[\\/~]|[A-Za-z]:)/.test(to);
	return [...from, ...(absolute ? [to] : from.map((folder) => `${folder}/${to}`))];
}

function nameOf(text: string): string {
	return nameOfPath(text)
		.toLowerCase()
		.replace(/\.exe$/, "");
}

function nameOfPath(text: string): string {
	return text.replace(/[\\/]+$/, "").replace(/^.*[\\/]/s, "");
}

/** The name under which something stands in the folder it is put into; empty where its content is put there itself. */
function copiedName(text: string): string {
	const name = /[\\/]$/.test(text) ? "" : nameOfPath(text);
	return name === "." || name === ".." ? "" : name;
}
