// Discarding commands
//
// Which files a command could discard, read from its words. It prefers too much: a command's name is looked for in every
// place of the line, so that it is found behind `sudo`, `xargs`, `if` or `find -exec` without knowing those; a word that
// only might be a path is one; and what cannot be known is everything in the folder, git's own files with it.
//
//   rm, unlink, shred, truncate, tee, dd, sed -i …   every word
//   dos2unix, vim, uniq …                            every word
//   gzip, xz …                                       every word, and with an ending more or less
//   sort, curl, wget, iconv …                        what stands behind -o, -O or --output, and the end of an address
//   mv, cp, ln, install                              what stands at the target, and then what mv puts there; of mv beside
//                                                    other commands every word
//   > file, <> file                                  the file; of an unknown one what git has not kept
//   find … -delete or -exec                          the folders it starts from
//   git checkout, reset, clean and all but a few     what git has not kept
//   tar, zip, patch, rsync                           what git has not kept, and the files and folders among their words;
//                                                    everything in those where they delete what they do not bring
//   sh -c, bash -c, eval, trap                       the line they are given, read like this one; of a shell that is given
//                                                    none, what the other commands of the line may print
//
// A program with a language of its own (`python -c`, a script, a build) is not looked into: the caller of the policy names
// those.
//
// Owns:      that table.
// Does not:  read a line (shell-words.ts) or look at a file (at-stake.ts).

import { SHELL_DEPTH_MAX, SHELL_FOLDERS_MAX, SHELL_PLACES_MAX } from "../core/limits.js";
import { MOVES, nameOf, nameOfPath, RULES, type Rule } from "./command-names.js";
import { afterCd, changesTo, copiedName, isSomewhere, operands, valuesOf } from "./command-operands.js";
import { discardedByGit } from "./discarding-git.js";
import type { Discards } from "./discards.js";
import { CannotKeep } from "./net-refusal.js";
import { COMMAND_PIPE, literalWord, type ShellCommand, type ShellWord, shellCommands } from "./shell-words.js";

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
	/** Whether a shell may be given what other commands print. */
	let isFed = false;
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
			for (const word of changesTo(name, rest)) {
				const to = afterCd(from, [word]);
				const tooMany = to.length > SHELL_FOLDERS_MAX;
				lost ||= tooMany || isSomewhere(word);
				if (!tooMany) from = to;
			}
			// Which words a command is given by `xargs` cannot be seen.
			if (name === "xargs" || name === "parallel") addAll(found, ifDiscarding(rest, from));
			if (rule === undefined) continue;
			// A name that is printed, by `which` for one, may be the command of a word that cannot be known.
			hidden.isNamed ||= place > 0 && rest.length === 0;
			if (rule === "shell") {
				lookedInto = from;
				hidden.isRun ||= rest.some((word) => word.unknown);
				isFed ||= operands(rest).every(({ text }) => text === COMMAND_PIPE);
			}
			ruled += 1;
			addAll(found, byRule[rule]({ name, rest, from, look }));
			if (MOVES.has(name)) addAll(moved, byRule.paths({ name, rest, from, look }));
		}
	}
	if (isFed) for (const words of printing(commands)) addAll(found, discardedByText(words, from, look));
	if (ruled > 1) addAll(found, moved);
	const isAnything = (lost && found.length > 0) || (hidden.isRun && hidden.isNamed);
	return isAnything ? [...found, ...everything(from)] : found;
}

/** A variable that is set; what it holds may be a command that is run by the variable's name. */
const ASSIGNED = /^\w+=(.+)$/s;
/** Words that make patterns of a shell match more than they do by themselves, names that begin with a dot too. */
const WIDENS = /^(?:(?:dot|ext|ksh_?|no_?case_?)glob|glob_?dots|extended_?glob|GLOBIGNORE(?:=.*)?)$/is;

function namesCommand(text: string): boolean {
	return text.split(/\s+/).some((word) => RULES.has(nameOf(word)));
}

/** What packing adds to a file's name. */
const PACKED: readonly string[] = [".gz", ".bz2", ".xz", ".lzma", ".zst", ".Z"];

/** Names that mean something of the words behind them, and discard nothing themselves. */
const NO_RULE: ReadonlySet<string> = new Set(["cd", "pushd", "chdir", "xargs", "parallel"]);

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
	readonly name: string;
	readonly rest: readonly ShellWord[];
	readonly from: readonly string[];
	readonly look: Look;
}

const byRule: Readonly<Record<Rule, (named: Named) => readonly Discards[]>> = {
	paths: ({ rest, from }) => operands(rest).map((word) => ({ kind: "path", word, from })),
	packs({ rest, from }) {
		const words = operands(rest);
		const packed = words.flatMap((word) => PACKED.map((ending) => ({ ...word, text: word.text + ending })));
		const unpacked = words.map((word) => ({ ...word, text: word.text.replace(/\.\w+$/, "") }));
		return [...words, ...packed, ...unpacked].map((word) => ({ kind: "path", word, from }));
	},
	outputs({ rest, from }) {
		const files = valuesOf(rest, /^(?:-out|--output(?:-\w+)?)(?==|$)|^-[A-Za-z]*?[oO]/);
		// What is fetched without a name for it may have the one at the end of its address.
		const isNamed = rest.some(({ text }) => /^-[A-Za-z]*[ON]|^--(?:remote-name|timestamping)/.test(text));
		const fetched = isNamed ? rest.filter(({ text }) => text.includes("://")) : [];
		const named = fetched.map((word) => ({ ...word, text: nameOfPath(word.text.replace(/[?#].*$/s, "")) }));
		return [...files, ...named].map((word) => ({ kind: "path", word, from }));
	},
	target({ name, rest, from }) {
		const words = operands(rest);
		const putAt = (targets: readonly ShellWord[], names: readonly ShellWord[]): readonly Discards[] => {
			const moved = MOVES.has(name) ? words : [];
			return targets.map((word) => ({ kind: "target", word, names, moved, from }));
		};
		// A copy that deletes what its source lacks, or that puts one folder into the place of another, may meet anything.
		if (rest.some(({ text }) => /^-\w*T|^--(?:delete|remove|inplace|no-target)/.test(text)))
			return putAt(words, [literalWord("")]);
		const inOption = valuesOf(rest, /^-[A-Za-z]*?t/);
		const first = inOption.length > 0 || rest.some(({ text }) => text.startsWith("--target")) ? 0 : -1;
		const names = words.map((word) => ({ ...word, text: copiedName(word.text) }));
		// A link whose place is not named is made here, under the name of what it leads to.
		const here = words.length === 1 ? words.map((word) => ({ ...word, text: nameOfPath(word.text) })) : [];
		return putAt([...words.slice(first), ...inOption, ...here], names);
	},
	git: ({ rest, from }) => discardedByGit(rest, from),
	unpacks({ name, rest, from, look }) {
		if (name === "zip" && rest.some(({ text }) => /^-[A-Za-z]*m/.test(text)))
			return byRule.paths({ name, rest, from, look });
		// One of the words may be the folder that it unpacks into, and another the archive that it writes.
		const words = [...operands(rest), ...valuesOf(rest, /^-[A-Za-z]*?[Cd]/)];
		const within = [...from, ...words.flatMap((word) => afterCd(from, [word]).slice(from.length))];
		if (rest.some(({ text }) => /^--(?:del|delete|remove|recursive-unlink|move)/.test(text))) return everything(within);
		const files = words.filter(({ pattern }) => !pattern);
		const targets = files.map((word): Discards => ({ kind: "target", word, names: [], moved: [], from }));
		return [{ kind: "not kept", ignored: true, from: within }, ...targets];
	},
	finds({ rest, from }) {
		if (!rest.some(({ text }) => /^-(?:delete|exec|execdir|ok|okdir|fprint.*|fls|x|X)$|^--exec/.test(text))) return [];
		const first = rest.findIndex(({ text }) => text.startsWith("-") && !/^-[HLP]$/.test(text));
		const isFollowing = rest.some(({ text }) => /^-[HL]+$/.test(text));
		const starts = operands(rest.slice(0, first)).map((word) => (isFollowing ? asFolder(word) : word));
		const printed = valuesOf(rest, /^-(?:fprint(?:0|f)?|fls)$/);
		const words = [...(starts.length === 0 ? [literalWord(".")] : starts), ...printed];
		return words.map((word) => ({ kind: "path", word, from }));
	},
	edits({ name, rest, from, look }) {
		const inPlace = rest.some(({ text }) => /^-\w*i|^--in-place/.test(text));
		return inPlace ? byRule.paths({ name, rest, from, look }) : [];
	},
	shell({ name, rest, from, look }) {
		// These put their words together to one line.
		const isJoined = name === "eval" || rest.some(({ text }) => /^(?:-\w*S|--split)/.test(text));
		const lines = [...rest.map((word) => [word]), ...(isJoined ? [rest] : [])];
		return lines.flatMap((words) => discardedByText(words, from, look));
	},
};

/** A link to a folder is the folder, where a slash stands behind it. */
function asFolder(word: ShellWord): ShellWord {
	return { ...word, text: `${word.text}/` };
}

/** The words of those commands whose output a shell may be given as lines. */
function printing(commands: readonly ShellCommand[]): readonly (readonly ShellWord[])[] {
	const lists = commands.map(({ words }) => words);
	return lists.filter((words) => !words.some(({ text }) => RULES.get(nameOf(text)) === "shell"));
}

/** Of words that are read as one line. */
function discardedByText(words: readonly ShellWord[], from: readonly string[], look: Look): readonly Discards[] {
	if (look.depth >= SHELL_DEPTH_MAX) return everything(from);
	const line = words.map(({ text }) => text).join(" ");
	const inner = discardedBy(shellCommands(line), from, { ...look, depth: look.depth + 1 });
	return inner.length > 0 && words.some(({ unknown }) => unknown) ? [...inner, ...everything(from)] : inner;
}

function ifDiscarding(rest: readonly ShellWord[], from: readonly string[]): readonly Discards[] {
	return rest.some(({ text }) => namesCommand(text)) ? everything(from) : [];
}
