// Text schemas
//
// The fields that more than one file tool takes from a model.
//
// Owns:      what a text must be to be written to a file as it is.
// Does not:  say where a path may lead (find-place.ts).

import { z } from "zod";
import { WRITE_TEXT_CHARS_MAX } from "../core/tool-limits.js";

// Half of a pair of code units is no character; UTF-8 has no bytes for it, and something else would be written.
const HALF_A_PAIR = /\p{Surrogate}/u;

/** A text that a file can hold. */
export const fileText = z
	.string()
	.max(WRITE_TEXT_CHARS_MAX)
	.refine((text) => !HALF_A_PAIR.test(text), "holds half of a surrogate pair, which is no character");

/** What `write_file` and `file_write` put into a file. */
export const wholeText = fileText.describe("All of the file's new text");

/** What an exact edit takes beside the path. */
export const editFields = {
	oldText: fileText.min(1).describe("The text to replace, exactly as the file holds it, line ends included"),
	newText: fileText.describe("What stands there instead, taken as it is"),
	replaceAll: z.boolean().default(false).describe("Replace every place; otherwise the text must occur exactly once"),
};
