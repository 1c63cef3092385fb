// Command names
//
// Which names are those of commands that discard files, and by which rule what they discard is read from their words.
//
// Owns:      the names.
// Does not:  know what a rule says (discarding-commands.ts).

export type Rule = "paths" | "packs" | "outputs" | "target" | "git" | "unpacks" | "finds" | "edits" | "shell";

export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
	...names("rm unlink rmdir shred srm truncate tee dd del erase rd remove-item ri clear-content", "paths"),
	// These leave another file in the place of the one they are given, or write it anew.
	...names("gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd compress uncompress", "packs"),
	...names("dos2unix unix2dos sponge ed ex vi vim nvim uniq", "paths"),
	...names("sort curl wget shuf iconv gpg openssl", "outputs"),
	...names("mv cp ln install scp move copy ren rename move-item copy-item", "target"),
	...names("git", "git"),
	...names("tar unzip zip patch cpio 7z bsdtar rsync", "unpacks"),
	...names("find fd", "finds"),
	...names("sed perl ruby awk gawk", "edits"),
	...names("sh bash zsh dash ksh ash fish eval trap watch script flock env su cmd pwsh powershell", "shell"),
]);

export const MOVES: ReadonlySet<string> = new Set(["mv", "move", "ren", "rename", "move-item"]);

function names(list: string, rule: Rule): [string, Rule][] {
	return list.split(" ").map((name) => [name, rule]);
}

/** The name of a command, however it is written. */
export function nameOf(text: string): string {
	return nameOfPath(text)
		.toLowerCase()
		.replace(/\.exe$/, "");
}

export function nameOfPath(text: string): string {
	return text.replace(/[\\/]+$/, "").replace(/^.*[\\/]/s, "");
}
