// Shell words
//
// A line for a shell, taken apart far enough to see which commands it runs and on which words. It is no shell: nothing is
// expanded, and where a word cannot be known (a variable, the output of a command) the word says so. Whoever asks wants to
// know what could be lost, so a line that is read wrongly must be read as doing more, never as doing less.
//
// Owns:      quotes, escapes, comments, separators, redirections, lines that stand in others: `$(...)`, backticks,
//            parentheses, here-documents.
// Does not:  know what a command does (discarding-commands.ts).

import { SHELL_DEPTH_MAX } from "../core/limits.js";
import { PATTERN } from "./shell-pattern.js";

export interface ShellWord {
	/** Quotes and escapes taken away; patterns as they stand. */
	readonly text: string;
	/** Holds `*`, `?`, `[` or braces that the shell would read. */
	readonly pattern: boolean;
	/** Holds a variable or the output of a command. */
	readonly unknown: boolean;
}

export interface ShellCommand {
	readonly words: readonly ShellWord[];
	/** What `>` or `<>` writes over. What `>>` adds to loses nothing. */
	readonly overwritten: readonly ShellWord[];
}

export function literalWord(text: string): ShellWord {
	return { text, pattern: false, unknown: false };
}

export function shellCommands(line: string, depth = 0): readonly ShellCommand[] {
	return depth > SHELL_DEPTH_MAX ? UNREAD : new LineReader(line, depth).read();
}

/** A line that is too deep in others to be read may discard anything. */
const UNREAD: readonly ShellCommand[] = [
	{ words: [literalWord("rm"), { text: "$", pattern: false, unknown: true }], overwritten: [] },
];

/** Stands in the place of a pipe from or to another command, which `<(` and `>(` name. */
export const COMMAND_PIPE = "/dev/null";

const JOINED = /&(?:\d+-?|-)(?![^\s;&|<>()])/y;

type Aim = "word" | "overwritten" | "skipped" | "delimiter";

class LineReader {
	readonly #line: string;
	readonly #depth: number;
	readonly #commands: ShellCommand[] = [];
	#words: ShellWord[] = [];
	#overwritten: ShellWord[] = [];
	#word: { text: string; pattern: boolean; unknown: boolean; quotesSigns: boolean } | undefined;
	/** What the next word is for. */
	#aim: Aim = "word";
	/** The last lines of the here-documents that begin behind this line. */
	#delimiters: string[] = [];
	#at = 0;

	constructor(line: string, depth: number) {
		this.#line = line;
		this.#depth = depth;
	}

	read(): readonly ShellCommand[] {
		while (this.#at < this.#line.length) this.#take(this.#line[this.#at] ?? "");
		this.#endCommand();
		return this.#commands;
	}

	#take(char: string): void {
		this.#at += 1;
		if (char === "'") this.#add(this.#upTo("'"));
		else if (char === '"') this.#takeQuoted();
		else if (char === "\\") this.#takeEscape();
		else if (char === "`") this.#takeInner(this.#upToUnescaped("`"));
		else if (char === "$" && this.#line[this.#at] === "'") this.#takeEscapedQuotes();
		else if (char === "$") this.#takeDollar();
		else if (char === "#" && this.#word === undefined) this.#upTo("\n", true);
		else if (char === ">" || char === "<") this.#takeRedirection(char);
		else if (char === "&" && this.#line[this.#at] === ">") this.#endWord();
		else if (char === "\n") this.#endLine();
		else if (";&|()".includes(char)) this.#endCommand();
		else if (/\s/.test(char)) this.#endWord();
		else this.#add(char, PATTERN.test(char));
	}

	#add(text: string, pattern = false): void {
		this.#word ??= { text: "", pattern: false, unknown: false, quotesSigns: false };
		this.#word.text += text;
		this.#word.pattern ||= pattern;
		this.#word.quotesSigns ||= !pattern && PATTERN.test(text);
	}

	#takeEscape(): void {
		const next = this.#line[this.#at] ?? "";
		this.#at += 1;
		if (next !== "\n") this.#add(next);
	}

	#takeQuoted(): void {
		this.#add("");
		while (this.#at < this.#line.length) {
			const char = this.#line[this.#at] ?? "";
			this.#at += 1;
			if (char === '"') return;
			if (char === "\\") this.#takeEscape();
			else if (char === "`") this.#takeInner(this.#upToUnescaped("`"));
			else if (char === "$") this.#takeDollar();
			else this.#add(char);
		}
	}

	/** `$'...'`: the one kind of single quotes that has escapes, and they may mean any character. */
	#takeEscapedQuotes(): void {
		this.#at += 1;
		this.#addUnknown(this.#upToUnescaped("'"));
	}

	#takeDollar(): void {
		if (this.#line[this.#at] === "(") {
			this.#at += 1;
			this.#takeInner(this.#upToClosing());
			return;
		}
		this.#addUnknown("$");
	}

	/** A command whose output stands in the word. */
	#takeInner(inner: string): void {
		this.#readInner(inner);
		this.#addUnknown("$");
	}

	#readInner(inner: string): void {
		for (const command of shellCommands(inner, this.#depth + 1)) this.#commands.push(command);
	}

	#addUnknown(text: string): void {
		this.#add(text);
		if (this.#word !== undefined) this.#word.unknown = true;
	}

	#takeRedirection(char: string): void {
		if (this.#line[this.#at] === "(") {
			this.#at += 1;
			this.#readInner(this.#upToClosing());
			// No file is named here: what stands behind belongs to the same command.
			this.#add(COMMAND_PIPE);
			return;
		}
		// A number right before it says which output, and is no word.
		if (this.#word !== undefined && /^\d+$/.test(this.#word.text)) this.#word = undefined;
		this.#endWord();
		const next = this.#line[this.#at];
		const writes = char === ">" ? next !== ">" : next === ">";
		// Two signs, or three characters where tabs are taken off the document's lines; three signs are a text by itself.
		const [, document] = char === "<" ? (/^(<-?)(?!<)/.exec(this.#line.slice(this.#at, this.#at + 2)) ?? []) : [];
		// What a command is given to read; a shell reads it as a line.
		const isHereString = char === "<" && this.#line.startsWith("<<", this.#at);
		while (">|<&".includes(this.#line[this.#at] ?? " ")) {
			const joins = this.#joinsAnother();
			this.#at += 1;
			if (joins) {
				this.#aim = "skipped";
				return;
			}
		}
		if (isHereString) this.#aim = "word";
		else this.#aim = writes ? "overwritten" : "skipped";
		if (document === undefined) return;
		this.#at += document.length - 1;
		this.#aim = "delimiter";
	}

	/** Whether the number of an output stands behind the sign, and no name that begins like one. */
	#joinsAnother(): boolean {
		JOINED.lastIndex = this.#at;
		return JOINED.test(this.#line);
	}

	#endWord(): void {
		if (this.#word === undefined) return;
		const { text, pattern, unknown, quotesSigns } = this.#word;
		this.#word = undefined;
		// Of a pattern's signs the text does not say which were quoted, and mean themselves.
		const word: ShellWord = { text, pattern, unknown: unknown || (pattern && quotesSigns) };
		if (this.#aim === "overwritten") this.#overwritten.push(word);
		if (this.#aim === "word") this.#words.push(word);
		if (this.#aim === "delimiter") this.#delimiters.push(word.text);
		this.#aim = "word";
	}

	#endCommand(): void {
		this.#endWord();
		this.#aim = "word";
		if (this.#words.length > 0 || this.#overwritten.length > 0) {
			this.#commands.push({ words: this.#words, overwritten: this.#overwritten });
		}
		this.#words = [];
		this.#overwritten = [];
	}

	/** A quote inside a document ends with it: what stands behind would else be read as quoted. */
	#endLine(): void {
		this.#endCommand();
		const delimiters = this.#delimiters;
		this.#delimiters = [];
		for (const delimiter of delimiters) this.#readInner(this.#document(delimiter));
	}

	#document(delimiter: string): string {
		const from = this.#at;
		while (this.#at < this.#line.length) {
			const begin = this.#at;
			if (this.#upTo("\n").replace(/^\t+/, "") === delimiter) return this.#line.slice(from, begin);
		}
		return this.#line.slice(from);
	}

	/** What stands before the mark, which is passed over; the rest of the line where there is none. */
	#upTo(mark: string, keepMark = false): string {
		const found = this.#line.indexOf(mark, this.#at);
		const end = found === -1 ? this.#line.length : found;
		const text = this.#line.slice(this.#at, end);
		this.#at = keepMark ? end : end + 1;
		return text;
	}

	/** The same, where a mark behind a backslash is none. What that escapes is as it would be without. */
	#upToUnescaped(mark: string): string {
		let text = "";
		while (this.#at < this.#line.length) {
			const char = this.#line[this.#at] ?? "";
			const next = this.#line[this.#at + 1] ?? "";
			this.#at += 1;
			if (char === mark) break;
			const escapes = char === "\\" && (next === mark || next === "\\" || next === "$");
			text += escapes ? next : char;
			if (escapes) this.#at += 1;
		}
		return text;
	}

	/** What stands in the parentheses behind a `$`. One that is quoted closes nothing. */
	#upToClosing(): string {
		const from = this.#at;
		let open = 1;
		while (this.#at < this.#line.length && open > 0) {
			const char = this.#line[this.#at];
			this.#at += 1;
			if (char === "\\") this.#at += 1;
			else if (char === "'") this.#upTo("'");
			else if (char === '"') this.#passQuoted();
			else if (char === "(") open += 1;
			else if (char === ")") open -= 1;
		}
		return this.#line.slice(from, open === 0 ? this.#at - 1 : this.#at);
	}

	#passQuoted(): void {
		while (this.#at < this.#line.length) {
			const char = this.#line[this.#at];
			this.#at += 1;
			if (char === '"') return;
			if (char === "\\") this.#at += 1;
			if (char !== "$" || this.#line[this.#at] !== "(") continue;
			this.#at += 1;
			this.#upToClosing();
		}
	}
}
