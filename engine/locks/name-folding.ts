// Name folding
//
// Whether `Note.md` and `note.md`, or two Unicode forms of one name, are one file is decided by the folder they are in:
// by its file system, and on some by the folder alone. It is asked by looking a name up in another spelling. The
// platform says nothing about it: Linux mounts folders that fold case, macOS volumes that do not.
//
// Owns:      asking folders, and one spelling for all that a folder takes for the same name.
// Does not:  follow links (core/real-path.ts); it is given real paths.
//
// A name is folded also where its file does not exist yet, or the key of a file would change when the file is made. A
// fold may put two files under one key, which costs a wait; it must not give one file two keys.

import { lstat, opendir } from "node:fs/promises";
import { dirname, parse, sep } from "node:path";
import { FOLDED_FOLDERS_MAX, FOLDER_LOOKS_MAX, FOLDER_NAMES_ASKED_MAX } from "../core/limits.js";
import { unlessMissing } from "../core/real-path.js";

/** What is asked of a file system. */
export interface NameLookup {
	/** What tells the file of that name from all others; `undefined` if there is none. */
	identify(path: string): Promise<string | undefined>;
	/** The names in a folder, as they are stored. */
	names(folder: string): AsyncIterable<string>;
}

interface Folder {
	readonly real: string;
	readonly folded: string;
	readonly parent: Folder | undefined;
	/** Whether it takes names for one that differ in case, or in Unicode form; left out until a name could tell. */
	foldsCase: boolean | undefined;
	foldsForm: boolean | undefined;
}

type Respell = (name: string) => string;

export class NameFolding {
	readonly #lookup: NameLookup;
	readonly #folders = new Map<string, Folder>();

	constructor(lookup: NameLookup = systemLookup) {
		this.#lookup = lookup;
	}

	/** One spelling of the path for all spellings that lead to the same file. */
	async fold(realPath: string): Promise<string> {
		return (await this.#folder(realPath)).folded;
	}

	async #folder(real: string): Promise<Folder> {
		const known = this.#folders.get(real);
		if (known !== undefined) return known;
		const above = dirname(real);
		const unasked = { real, foldsCase: undefined, foldsForm: undefined };
		if (above === real) return { ...unasked, folded: real, parent: undefined };
		const parent = await this.#folder(above);
		const name = real.slice(above === parse(real).root ? above.length : above.length + sep.length);
		const folded =
			(parent.folded.endsWith(sep) ? parent.folded : parent.folded + sep) + (await this.#foldName(parent, name));
		this.#remember(parent);
		return { ...unasked, folded, parent };
	}

	// Only folders that hold something are remembered: a file is asked for often, but it is no folder.
	#remember(folder: Folder): void {
		if (this.#folders.size >= FOLDED_FOLDERS_MAX) this.#folders.clear();
		this.#folders.set(folder.real, folder);
	}

	async #foldName(folder: Folder, name: string): Promise<string> {
		if (swapCase(name) !== name && (await this.#foldsCase(folder, name))) {
			return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
		}
		if (swapForm(name) !== name && (await this.#foldsForm(folder, name))) return name.normalize("NFC");
		return name;
	}

	async #foldsCase(folder: Folder, name: string): Promise<boolean> {
		folder.foldsCase ??= await this.#ask(folder, name, swapCase);
		if (folder.foldsCase !== undefined) return folder.foldsCase;
		// An empty or missing folder cannot be asked; new folders take after the one they are made in.
		if (folder.parent === undefined) return false;
		return this.#foldsCase(folder.parent, folder.real.slice(folder.parent.real.length).replace(sep, ""));
	}

	async #foldsForm(folder: Folder, name: string): Promise<boolean> {
		folder.foldsForm ??= await this.#ask(folder, name, swapForm);
		return folder.foldsForm ?? false;
	}

	/** Whether a name that exists is found in another spelling too; `undefined` if the folder holds none that could tell. */
	async #ask(folder: Folder, wanted: string, respell: Respell): Promise<boolean | undefined> {
		const respelled = respell(wanted) !== wanted && (await this.#lookup.identify(pathIn(folder, wanted))) !== undefined;
		for (let left = FOLDER_LOOKS_MAX; left > 0; left -= 1) {
			const name = respelled ? wanted : await this.#nameToAsk(folder.real, respell);
			const isOne = name === undefined ? undefined : await this.#areOneName(folder, name, respell(name));
			if (name === undefined || isOne !== undefined) return isOne;
		}
		return undefined;
	}

	/** `undefined` if the name led to another file in between: what was seen of it would be remembered for good. */
	async #areOneName(folder: Folder, name: string, other: string): Promise<boolean | undefined> {
		const file = await this.#lookup.identify(pathIn(folder, name));
		const found = await this.#lookup.identify(pathIn(folder, other));
		if (file === undefined) return undefined;
		if (found !== file) return (await this.#lookup.identify(pathIn(folder, name))) === file ? false : undefined;
		// Both stored side by side are hard links. Either one alone, or a third spelling, is a name that the other finds.
		let stored = 0;
		for await (const one of this.#lookup.names(folder.real)) if (one === name || one === other) stored += 1;
		return stored < 2;
	}

	async #nameToAsk(folder: string, respell: Respell): Promise<string | undefined> {
		let left = FOLDER_NAMES_ASKED_MAX;
		for await (const name of this.#lookup.names(folder)) {
			if (respell(name) !== name) return name;
			left -= 1;
			if (left === 0) return undefined;
		}
		return undefined;
	}
}

function pathIn(folder: Folder, name: string): string {
	return folder.real.endsWith(sep) ? folder.real + name : folder.real + sep + name;
}

const systemLookup: NameLookup = {
	async identify(path) {
		const stat = await unlessMissing(lstat(path, { bigint: true }));
		return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
	},
	async *names(folder) {
		const entries = await unlessMissing(opendir(folder));
		for await (const entry of entries ?? []) yield entry.name;
	},
};

// ASCII letters where there are any: file systems disagree about the case of some others, and none about these.
function swapCase(name: string): string {
	const letters = /[a-z]/i.test(name) ? /[a-z]/gi : /\p{L}/gu;
	return name.replace(letters, (letter) => {
		const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
		return swapped.length === letter.length ? swapped : letter;
	});
}

function swapForm(name: string): string {
	const composed = name.normalize("NFC");
	return composed === name ? name.normalize("NFD") : composed;
}
