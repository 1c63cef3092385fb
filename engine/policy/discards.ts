// Discards
//
// What a command could discard, as its words say it: paths that are still to be looked up, from folders that it may be in.
//
// Owns:      the shape.
// Does not:  read words (discarding-commands.ts) or look at a file (at-stake.ts).

import type { ShellWord } from "./shell-words.js";

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
