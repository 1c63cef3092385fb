// Net sabotages
//
// The faults that break what the checkpoint net promises of a run that goes on, one line each.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const net = (title: string) => ({ file: "test/policy/net-after-crash.test.ts", title });
const late = (title: string) => ({ file: "test/policy/net-late-edits.test.ts", title });
const begins = (title: string) => ({ file: "test/policy/policy-begin.test.ts", title });
const places = (title: string) => ({ file: "test/policy/net-safe-places.test.ts", title });
const shells = (title: string) => ({ file: "test/policy/discarding-shells.test.ts", title });
const lines = (title: string) => ({ file: "test/policy/discarding-commands.test.ts", title });

export const NET_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Checkpoint net: nothing is kept again for a call that is only told",
		file: "engine/policy/checkpoint-net.ts",
		find: "if (isPast(view)) return recalled(",
		replace: "if (isPast({ ...view, runId: view.runId, resumed: undefined as never })) return recalled(",
		test: net("keeps nothing of the calls that the ledger holds"),
	},
	{
		law: "Checkpoint net: which call a copy is for is noted beside it",
		file: "engine/policy/net.ts",
		find: "await writeNote(base, noted.place, noted.note(manifest.reference));",
		replace: "await Promise.resolve(noted.note(manifest.reference));",
		test: net("names both forms of a call that middleware"),
	},
	{
		law: "Checkpoint net: a call that runs again has its first copy named",
		file: "engine/policy/checkpoint-net.ts",
		find: 'if (view.resumed !== "begun") return orphan;',
		replace: "if (view.resumed !== undefined || orphan.length >= 0) return orphan;",
		test: net("and where it finds none, what it had found before"),
	},
	{
		law: "Checkpoint net: an admission that came to nothing leaves no note",
		file: "engine/policy/checkpoint-net.ts",
		find: "if (reference === undefined && known.length === 0",
		replace: "if (reference === null && known.length === 0",
		test: net("names nothing of an admission that came to nothing"),
	},
	{
		law: "Checkpoint net: copies of calls without an entry are named where the call around them ends",
		file: "engine/policy/net-notes.ts",
		find: "return notes.depth === 0 ? withKept(",
		replace: "return notes.depth < 0 ? withKept(",
		test: net("that makes other calls than before"),
	},
	{
		law: "Checkpoint net: a note is looked for below its own call only",
		file: "engine/policy/net-calls.ts",
		find: "return path === own || path.startsWith(",
		replace: "return path.startsWith(own) || path.startsWith(",
		test: { file: "test/policy/net-calls.test.ts", title: "NK1: the note of a call is found at its place" },
	},
	{
		law: "Checkpoint net: a call that it refused is not accounted where it is told of it",
		file: "engine/admission/policy-catch-up.ts",
		find: "if (policy.name === refusedBy || saidBy",
		replace: "if (saidBy",
		test: net("says no more of a call that it had refused"),
	},
	{
		law: "Checkpoint net: a line that is too deep in others may discard anything",
		file: "engine/policy/shell-words.ts",
		find: "return depth > SHELL_DEPTH_MAX ? UNREAD :",
		replace: "return depth > SHELL_DEPTH_MAX ? [] :",
		test: lines("is everything in the folder where it cannot be known"),
	},
	{
		law: "Checkpoint net: a parenthesis between quotes closes nothing",
		file: "engine/policy/shell-words.ts",
		find: "else if (char === '\"') this.#passQuoted();",
		replace: "",
		test: lines('echo "$(echo ")")"; rm a.txt'),
	},
	{
		law: "Checkpoint net: a quote in a here-document ends with it",
		file: "engine/policy/shell-words.ts",
		find: 'if (this.#aim === "delimiter") this.#delimiters.push(word.text);',
		replace: "",
		test: lines("cat <<EOF >> b.txt"),
	},
	{
		law: "Checkpoint net: the folders that a line may be in are bounded",
		file: "engine/policy/discarding-commands.ts",
		find: "const tooMany = to.length > SHELL_FOLDERS_MAX;",
		replace: "const tooMany = false;",
		test: lines("is meant from no more folders than there are words, or a bound"),
	},
	{
		law: "Checkpoint net: a line that may mean too many places is refused",
		file: "engine/policy/discarding-commands.ts",
		find: "if (total.places > SHELL_PLACES_MAX)",
		replace: "if (total.places < 0)",
		test: lines("cannot be said of xargs"),
	},
	{
		law: "Checkpoint net: no path of a call is left out of what is kept",
		file: "engine/policy/call-stakes.ts",
		find: "if (found.length > NET_PATHS_MAX) throw",
		replace: "if (found.length > NET_PATHS_MAX) found.pop(); if (found.length < 0) throw",
		test: { file: "test/policy/call-stakes.test.ts", title: "have the call refused where they are more" },
	},
	{
		law: "Checkpoint net: what is kept is what the call finds when it begins",
		file: "engine/policy/checkpoint-net.ts",
		find: "begin: (call, view) => keptAtBegin({ net, notes }, call, view),",
		replace: "",
		test: late("is what the call's entry names and a restore gives back: in a repository, the net asked last"),
	},
	{
		law: "Checkpoint net: what a call made of its files itself takes no first copy's place",
		file: "engine/policy/checkpoint-net.ts",
		find: "const outdated = view.again === true ? undefined :",
		replace: "const outdated =",
		test: late("stands behind what was there first"),
	},
	{
		law: "Checkpoint net: of a call that others run beside only what its keys cover is looked at anew",
		file: "engine/policy/checkpoint-net.ts",
		find: "return (path) => keys.has(",
		replace: "return (path) => keys !== undefined || keys.has(",
		test: late("have kept what each of them writes over"),
	},
	{
		law: "begin: a call that a policy ends does not act",
		file: "engine/wave/start-call.ts",
		find: "if (said === undefined && !isStopped(owner, state)) return actOnRecord(starting);",
		replace: "if (!isStopped(owner, state)) return actOnRecord(starting);",
		test: begins("ends the call where it refuses it"),
	},
	{
		law: "begin: a call that a policy ends lets go of its keys",
		file: "engine/wave/start-call.ts",
		find: "	release();\n	return unrun(starting, said === undefined",
		replace: "	return unrun(starting, said === undefined",
		test: begins("ends the call where it refuses it"),
	},
	{
		law: "Checkpoint net: a folder that git has no word for is put back with what was in it",
		file: "engine/policy/at-stake.ts",
		find: "for (const one of folders.filter(isMeant)) await this.#folders(join(repository.top, one));",
		replace: "",
		test: places("has the folders put back that git has no word for: git clean -fdx"),
	},
	{
		law: "CN1: what cannot be known is git's own files too",
		file: "engine/policy/at-stake.ts",
		find: 'await this.#place(real, "folders");',
		replace: "",
		test: places("git's own files with it: X=.git; rm -rf $X a.txt"),
	},
	{
		law: "CN1: no copy is put into a folder that may be emptied",
		file: "engine/policy/net-places.ts",
		find: "&& !swept.some((one) => isWithin(one, place))",
		replace: "",
		test: places("where git is to clean the folder of copies away"),
	},
	{
		law: "CN1: a pattern is matched against the folder of copies that is made after it",
		file: "engine/policy/net.ts",
		find: "if (!isSafe) await rm(made, { recursive: true });",
		replace: "if (!isSafe) return true;",
		test: places("is a part of everything: rm -rf .[!.]* *"),
	},
	{
		law: "CN1: braces of a pattern stand for words that may begin with a dot",
		file: "engine/policy/shell-pattern.ts",
		find: "/^\\.|^[^.]*\\{/s",
		replace: "/^\\./s",
		test: places("git's own files with it: rm -rf {.git,a.txt}"),
	},
	{
		law: "CN1: a copy is not among git's own files where a redirection may write over those",
		file: "engine/policy/net-places.ts",
		find: "return anywhere ? places.reverse() : places;",
		replace: "return places;",
		test: places("writes over under an unknown name"),
	},
	{
		law: "Checkpoint net: options that widen a shell's patterns make them mean everything",
		file: "engine/policy/discarding-commands.ts",
		find: "lost ||= WIDENS.test(text);",
		replace: "",
		test: places("git's own files with it: bash -O dotglob"),
	},
	{
		law: "Checkpoint net: a command that a variable names is one",
		file: "engine/policy/discarding-commands.ts",
		find: "|| (hidden.isRun && hidden.isNamed)",
		replace: "",
		test: lines("cannot be known: RM='rm -rf'; $RM a.txt"),
	},
	{
		law: "Checkpoint net: a file that is opened to be read and written may be written over",
		file: "engine/policy/shell-words.ts",
		find: ': next === ">";',
		replace: ": false;",
		test: lines("echo x 1<>a.txt"),
	},
	{
		law: "Checkpoint net: a range in braces may be any name",
		file: "engine/policy/shell-pattern.ts",
		find: 'choice.includes("..") ? ".*"',
		replace: 'choice.includes("...") ? ".*"',
		test: shells("of a pattern: rm a{1..3}.txt"),
	},
	{
		law: "Checkpoint net: what is quoted of a pattern is not taken for its signs",
		file: "engine/policy/shell-words.ts",
		find: "unknown: unknown || (pattern && quotesSigns)",
		replace: "unknown: unknown && (pattern || quotesSigns)",
		test: shells("of a pattern: rm f"),
	},
	{
		law: "Checkpoint net: a shell is looked into for what other commands print",
		file: "engine/policy/discarding-commands.ts",
		find: "isFed ||= operands(rest).every(({ text }) => text === COMMAND_PIPE);",
		replace: "isFed &&= operands(rest).length === 0;",
		test: shells("of a shell's own words: echo"),
	},
	{
		law: "Checkpoint net: an alias of git's may be any line",
		file: "engine/policy/discarding-git.ts",
		find: "if (before.some(({ text }) => ALIAS.test(text)))",
		replace: "if (before.some(({ text }) => ALIAS.test(text) && text === subcommand.text))",
		test: shells("of git's: git -c alias"),
	},
	{
		law: "Checkpoint net: what was added for the next commit is in none",
		file: "engine/policy/git-command.ts",
		find: "files: [...files, ...added, ...unseen]",
		replace: "files: [...files, ...unseen]",
		test: shells("of git's: git reset --hard"),
	},
	{
		law: "Checkpoint net: what git is not to look at is not what it has kept",
		file: "engine/policy/git-command.ts",
		find: "marked.filter((line) => marks.test(line))",
		replace: "marked.filter((line) => !marks.test(line) && line === marks.source)",
		test: shells("of git's: git checkout"),
	},
	{
		law: "Checkpoint net: a pipe to a command does not end the command it is given to",
		file: "engine/policy/shell-words.ts",
		find: "this.#add(COMMAND_PIPE);",
		replace: "this.#endCommand();",
		test: shells("of a shell's own words: cp"),
	},
	{
		law: "Checkpoint net: what a link in a folder leads to is written through",
		file: "engine/policy/at-stake.ts",
		find: 'reach === "links") await',
		replace: 'reach === "itself") await',
		test: shells("of a command's: cp -r ../source/. sub"),
	},
	{
		law: "Checkpoint net: a sign of a pattern is a byte where a shell has no longer characters",
		file: "engine/policy/shell-pattern.ts",
		find: "byCharacters.test(name) || byBytes.test(bytesOf(name))",
		replace: "byCharacters.test(name) || byBytes.test(name)",
		test: shells("matches all that a shell matches by it"),
	},
];
