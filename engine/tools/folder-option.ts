// Folder option
//
// The tools that keep to a folder are made with its path. Without one they would keep to none, or fail at their first
// call in words that name no option. A folder that is not there is refused as well: of a path that was mistyped the reads
// would say that each file is missing, and the first write would make it. Who wants a new folder makes it first.
//
// Owns:      the check of that option, and its absolute form.
// Does not:  watch the folder: one that is gone later is told of by the calls.

import { statSync } from "node:fs";
import { isAbsolute, sep } from "node:path";
import process from "node:process";
import { EngineError } from "../core/errors.js";
import { strayField } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";

const ACTION = "take the tools' folder";

/** The folder's absolute path, from options that hold it under the field; throws `INVALID_OPTIONS` for any others. */
export function folderOption<Field extends string>(options: Readonly<Record<Field, string>>, field: Field): string {
	const problem = problemOf(options, field);
	if (problem !== undefined) throw new EngineError("INVALID_OPTIONS", { action: ACTION, problem });
	const folder = options[field];
	// Not normalised as text: `link/..` is what the file system takes it for.
	const absolute = isAbsolute(folder) ? folder : process.cwd() + sep + folder;
	const missing = problemAt(absolute);
	if (missing !== undefined) {
		const recovery = "Correct the path, or make the folder first.";
		throw new EngineError("INVALID_OPTIONS", {
			action: ACTION,
			problem: `${field} is ${showValue(folder)}, ${missing}`,
			recovery,
		});
	}
	return absolute;
}

function problemAt(path: string): string | undefined {
	try {
		return statSync(path).isDirectory() ? undefined : "and that is no folder";
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		const isMissing = code === "ENOENT" || code === "ENOTDIR";
		return isMissing ? "and no such folder is there" : `and that cannot be looked at (${code})`;
	}
}

function problemOf(options: unknown, field: string): string | undefined {
	if (typeof options !== "object" || options === null) return `the options are ${showValue(options)}, not an object`;
	const stray = strayField(options, { [field]: true });
	if (stray !== undefined) return stray;
	const folder = (options as Readonly<Record<string, unknown>>)[field];
	if (typeof folder === "string" && folder !== "" && !folder.includes("\0")) return undefined;
	return `${field} is ${showValue(folder)}, not a path`;
}
