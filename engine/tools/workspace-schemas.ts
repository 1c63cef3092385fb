// Workspace schemas
//
// What a model may say to each workspace tool. The root is no part of it: for what runs on a thread the host's root is
// added by the transform, after the model's fields were checked and over whatever they hold, and travels there inside
// the parsed arguments. A root among the model's own arguments is refused like any other unknown field.
//
// Owns:      the fields, their limits and defaults, and adding the root.
// Does not:  say what a call may do (workspace-reads.ts, workspace-tools.ts).

import { z } from "zod";
import { GLOB_CHARS_MAX, GREP_PATTERN_CHARS_MAX } from "../core/tool-limits.js";
import { editFields, wholeText } from "./text-schemas.js";

const path = z.string().min(1).describe("A path from the root of the workspace, such as src/index.ts");
const folder = path.default(".").describe("A file or folder, from the root of the workspace; left out, all of it");
const ending = z.string().min(1).optional().describe("Only files whose name ends so, such as .ts");

/** What the tools that change a file take. */
export const writeFileArgs = z.strictObject({ path, text: wholeText });
export const editFileArgs = z.strictObject({ path, ...editFields });

/** The schemas of the reads over one root, by the name of the export that runs each on a thread. */
export function readSchemas(root: string) {
	const withRoot = <Fields extends object>(fields: Fields) => ({ ...fields, root });
	return {
		readFile: z
			.strictObject({
				path,
				fromLine: z.int().min(1).default(1).describe("The first line to read, from 1"),
				lines: z.int().min(1).optional().describe("How many lines; left out, as many as fit"),
			})
			.transform(withRoot),
		listFiles: z
			.strictObject({
				path: folder,
				ending,
				depth: z.int().min(1).max(64).default(64).describe("How many folders deep; 1 is the folder alone"),
			})
			.transform(withRoot),
		globFiles: z
			.strictObject({
				pattern: z
					.string()
					.min(1)
					.max(GLOB_CHARS_MAX)
					.refine(
						(pattern) => !/^[\\/]|(^|\/)\.\.(\/|$)/.test(pattern),
						"is read from path, and names nothing above it",
					)
					.describe("Such as **/*.test.ts or src/{a,b}/*.md"),
				path: z.string().min(1).default(".").describe("The folder that the pattern is read from"),
			})
			.transform(withRoot),
		grepFiles: z
			.strictObject({
				pattern: z.string().min(1).max(GREP_PATTERN_CHARS_MAX).describe("The text to look for in each line"),
				path: folder,
				regex: z.boolean().default(false).describe("The pattern is a JavaScript regular expression"),
				ignoreCase: z.boolean().default(false),
				ending,
			})
			.superRefine(({ pattern, regex }, context) => {
				const message = regex ? expressionProblem(pattern) : undefined;
				if (message !== undefined) context.addIssue({ code: "custom", path: ["pattern"], message });
			})
			.transform(withRoot),
		hashFile: z.strictObject({ path, algorithm: z.enum(["sha256", "sha512"]).default("sha256") }).transform(withRoot),
		analyseFiles: z
			.strictObject({
				path: folder,
				ending,
				compress: z.boolean().default(false).describe("Also say how far the text compresses; much slower"),
			})
			.transform(withRoot),
	};
}

function expressionProblem(pattern: string): string | undefined {
	try {
		new RegExp(pattern);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}
