// Discarding commands
//
// Which files a command could discard, read from its words. It prefers too much: a command's name is looked for in every
// place of the line, so that it is found behind `sudo`, `xargs`, `if` or `find -exec` without knowing those; a word that
// only might be a path is one; and what cannot be known is everything in the folder, git's own files with it.
//
//   rm, unlink, shred, truncate, tee, dd, sed -i …   every word
//   gzip, xz, dos2unix, vim …                        every word
//   sort, curl, wget                                 what stands behind -o, -O or --output
//   mv, cp, ln, install                              what stands at the target, and then what mv puts there; of mv beside
//                                                    other commands every word
//   > file, <> file                                  the file; of an unknown one what git has not kept
//   find … -delete or -exec                          the folders it starts from
//   git checkout, reset, clean and all but a few     what git has not kept
//   tar, unzip, patch, rsync                          what git has not kept, and the folders among their words; everything
//                                                    in them where they delete what they do not bring
//   sh -c, bash -c, eval, trap                       the line they are given, read like this one
//
// A program with a language of its own (`python -c`, a script, a build) is not looked into: the caller of the policy names
// those.
//
// Owns:      that table.
// Does not:  read a line (shell-words.ts) or look at a file (at-stake.ts).

import { SHELL_DEPTH_MAX, SHELL_FOLDERS_MAX, SHELL_PLACES_MAX } from "../core/limits.js";
import { CannotKeep } from "./net-refusal.js";
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
	/**
	 * What git has not kept of the folders; with `ignored`, what it was told to ignore too; with `anywhere`, git's own files
	 * may be written over as well.
	 */
	| {
			readonly kind: "not kept";
			readonly ignored: boolean;
			readonly anywhere?: true;
			readonly from: readonly string[];
	  }
	/** All that is in the folders, and git's own files no less than others. */
	| { readonly kind: "everything"; readonly from: readonly string[] };

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
	...names("sh bash zsh dash ksh ash fish eval trap watch script flock env su cmd pwsh powershell", "shell"),
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

/** What a line for a shell could discard when it is run in the folder. Throws `CannotKeep` where that is too much to say. */
export function discardedByLine(line: string, folder: string): readonly Discards[] {
	return discardedBy(shellCommands(line), [folder], newLook());
}

/** What a program could discard that is given these words as they are; else the same. */
export function discardedByProgram(words: readonly string[], folder: string): readonly Discards[] {
	return discardedBy([{ words: words.map(literalWord), overwritten: [] }], [folder], newLook());
}

/** How deep a line stands in others, and how many places the words of all of them can mean. */
interface Look {
	readonly depth: number;
	readonly total: { places: number };
}

function newLook(): Look {
	return { depth: 0, total: { places: 0 } };
}

function discardedBy(commands: readonly ShellCommand[], folders: readonly string[], look: Look): Discards[] {
	const found: Discards[] = [];
	let from = folders;
	let lost = false;
	let ruled = 0;
	const hidden = { isRun: false, isNamed: false };
	// What was moved is somewhere, unless another command of the line discards it there.
	const moved: Discards[] = [];
	for (const { words, overwritten } of commands) {
		for (const word of overwritten) {
			found.push(
				word.unknown ? { kind: "not kept", ignored: true, anywhere: true, from } : { kind: "path", word, from },
			);
		}
		hidden.isNamed ||= words.some(({ text }) => namesCommand(ASSIGNED.exec(text)?.[1] ?? ""));
		hidden.isRun ||= words.find(({ text }) => !ASSIGNED.test(text))?.unknown === true;
		ruled += overwritten.length;
		/** From where a shell of these words was looked into: what stands behind a further one it was given as well. */
		let lookedInto: readonly string[] | undefined;
		for (const [place, { text, unknown }] of words.entries()) {
			const name = nameOf(text);
			lost ||= WIDENS.test(text);
			const rule = unknown ? undefined : RULES.get(name);
			if ((rule === undefined && !NO_RULE.has(name)) || (rule === "shell" && lookedInto === from)) continue;
			const rest = words.slice(place + 1);
			count(rest.length * from.length, look);
			if (name === "cd" || name === "pushd") {
				const to = afterCd(from, rest);
				const tooMany = to.length > SHELL_FOLDERS_MAX;
				lost ||= tooMany || rest[0]?.unknown === true;
				if (!tooMany) from = to;
			}
			// Which words a command is given by `xargs` cannot be seen.
			if (name === "xargs" || name === "parallel") addAll(found, ifDiscarding(rest, from));
			if (rule === undefined) continue;
			if (rule === "shell") {
				lookedInto = from;
				hidden.isRun ||= rest.some((word) => word.unknown);
			}
			ruled += 1;
			const moves = MOVES.has(name);
			addAll(found, byRule[rule]({ rest, from, look, moves }));
			if (moves) addAll(moved, byRule.paths({ rest, from, look, moves }));
		}
	}
	if (ruled > 1) addAll(found, moved);
	const isAnything = (lost && found.length > 0) || (hidden.isRun && hidden.isNamed);
	return isAnything ? [...found, ...everything(from)] : found;
}

/** A variable that is set; what it holds may be a command that is run by the variable's name. */
const ASSIGNED = /^\w+=(.+)$/s;
/** Words that make patterns of a shell match more than they do by themselves, names that begin with a dot too. */
const WIDENS = /^(?:(?:dot|ext|ksh_?)glob|glob_?dots|extended_?glob|GLOBIGNORE(?:=.*)?)$/is;

function namesCommand(text: string): boolean {
	return text.split(/\s+/).some((word) => RULES.has(nameOf(word)));
}

/** Names that mean something of the words behind them, and discard nothing themselves. */
const NO_RULE: ReadonlySet<string> = new Set(["cd", "pushd", "xargs", "parallel"]);

/** Whoever keeps the places looks at each; and a list of commands may be given the words behind it over and over. */
function count(places: number, { total }: Look): void {
	total.places += places;
	if (total.places > SHELL_PLACES_MAX)
		throw new CannotKeep(`its command may mean more than ${SHELL_PLACES_MAX} places`);
}

// One by one: as arguments of `push` a long list would not fit on the stack.
function addAll(found: Discards[], more: readonly Discards[]): void {
	for (const one of more) found.push(one);
}

function everything(from: readonly string[]): readonly Discards[] {
	return [{ kind: "everything", from }];
}

interface Named {
	readonly moves: boolean;
	readonly rest: readonly ShellWord[];
	readonly from: readonly string[];
	readonly look: Look;
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
	target({ rest, from, look, moves }) {
		const words = operands(rest);
		// A copy that deletes what its source lacks, or that puts one folder into the place of another, may meet anything.
		if (rest.some(({ text }) => /^-\w*T|^--(?:delete|remove|inplace|no-target)/.test(text)))
			return byRule.paths({ rest, from, look, moves: false });
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
		let within = from;
		// One after the other, as with `cd`. Past the bound those before stand for the rest: git is asked about all around them.
		for (const word of folders) if (within.length <= SHELL_FOLDERS_MAX) within = afterCd(within, [word]);
		return [{ kind: "not kept", ignored, from: within }];
	},
	unpacks({ rest, from }) {
		// One of the words may be the folder that it unpacks into; an archive is none.
		const folders = operands(rest).flatMap((word) => afterCd(from, [word]).slice(from.length));
		const within = [...from, ...folders];
		const deletes = rest.some(({ text }) => /^--(?:del|delete|remove|recursive-unlink)/.test(text));
		return deletes ? everything(within) : [{ kind: "not kept", ignored: true, from: within }];
	},
	finds({ rest, from }) {
		if (!rest.some(({ text }) => /^-(?:delete|exec|execdir|ok|okdir|fprint.*|fls|x|X)$|^--exec/.test(text))) return [];
		const first = rest.findIndex(({ text }) => text.startsWith("-") && !/^-[HLP]$/.test(text));
		const starts = operands(rest.slice(0, first));
		return (starts.length === 0 ? [literalWord(".")] : starts).map((word) => ({ kind: "path", word, from }));
	},
	edits({ rest, from, look }) {
		const inPlace = rest.some(({ text }) => /^-\w*i|^--in-place/.test(text));
		return inPlace ? byRule.paths({ rest, from, look, moves: false }) : [];
	},
	shell({ rest, from, look }) {
		if (look.depth >= SHELL_DEPTH_MAX) return everything(from);
		return rest.flatMap((word) => {
			const inner = discardedBy(shellCommands(word.text), from, { ...look, depth: look.depth + 1 });
			return inner.length > 0 && word.unknown ? [...inner, ...everything(from)] : inner;
		});
	},
};

function ifDiscarding(rest: readonly ShellWord[], from: readonly string[]): readonly Discards[] {
	return rest.some(({ text }) => namesCommand(text)) ? everything(from) : [];
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
