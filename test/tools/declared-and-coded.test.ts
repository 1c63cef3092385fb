// Declared and coded
//
// The workspace tools that read are declared on the host and coded on threads, in two trees that may not import each other. Here
// the two are held together: the compiler compares what a schema gives with what the code takes.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { readSchemas } from "../../engine/tools/workspace-schemas.js";
import * as code from "../../workers/tools/workspace.js";

type Schemas = ReturnType<typeof readSchemas>;
type Codes = { readonly [Name in keyof Schemas]: (args: z.output<Schemas[Name]>, context: ToolContext) => unknown };

// Does not compile when a tool's code takes what its schema does not give.
const codes: Codes = code;

const schemas = readSchemas("/the/root");

describe("the workspace tools", () => {
	it("have code for every schema and a schema for all code", () => {
		expect(Object.keys(codes).sort()).toEqual(Object.keys(schemas).sort());
	});

	it("give the code the host's root, and refuse one among the model's arguments", () => {
		expect(schemas.readFile.parse({ path: "a" })).toEqual({ path: "a", fromLine: 1, root: "/the/root" });
		const refused = schemas.readFile.safeParse({ path: "a", root: "/" });
		expect(refused.error?.issues[0]).toMatchObject({ code: "unrecognized_keys", keys: ["root"] });
	});

	it("refuse an expression that cannot be read before any thread has it", () => {
		const refused = schemas.grepFiles.safeParse({ pattern: "(", regex: true });
		expect(refused.error?.issues[0]).toMatchObject({ path: ["pattern"] });
		expect(schemas.grepFiles.safeParse({ pattern: "(" }).success).toBe(true);
	});

	it("can be described to a model: each schema has a JSON Schema of its input, without a root", () => {
		for (const schema of Object.values(schemas)) {
			const { properties } = z.toJSONSchema(schema, { io: "input" });
			expect(Object.keys(properties ?? {})).not.toContain("root");
		}
	});
});
