// Folder option
//
// The tools that keep to a folder are made with its path. Without one they would keep to none, or fail at their first
// call in words that name no option.
//
// Owns:      the check of that option, and its absolute form.
// Does not:  look for the folder: it may be made later.

import { isAbsolute, sep } from "node:path";
import process from "node:process";
import { EngineError } from "../core/errors.js";
import { strayField } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";

/** The folder's absolute path, from options that hold it under the field; throws `INVALID_OPTIONS` for any others. */
export function folderOption<Field extends string>(options: Readonly<Record<Field, string>>, field: Field): string {
	const problem = problemOf(options, field);
	if (problem !== undefined) throw new EngineError("INVALID_OPTIONS", { action: "take the tools' folder", problem });
	const folder = options[field];
	// Not normalised as text: `link/..` is what the file system takes it for.
	return isAbsolute(folder) ? folder : process.cwd() + sep + folder;
}

function problemOf(options: unknown, field: string): string | undefined {
	if (typeof options !== "object" || options === null) return `the options are ${showValue(options)}, not an object`;
	const stray = strayField(options, { [field]: true });
	if (stray !== undefined) return stray;
	const folder = (options as Readonly<Record<string, unknown>>)[field];
	if (typeof folder === "string" && folder !== "" && !folder.includes("\0")) return undefined;
	return `${field} is ${showValue(folder)}, not a path`;
}
