// Describe tools
//
// What a model is told of each tool: its name, its description, and the JSON Schema of what it may send. That is the
// schema's input, not its output: a default need not be sent, and a transform is the engine's work.
//
// Zod says its JSON Schema itself, and so does any schema that implements Standard JSON Schema. For another, the model is
// told that the arguments are an object and no more: the description has to say the rest, and a call that does not fit is
// answered with what did not. To refuse the tool was the alternative; it would make a schema that checks arguments well
// useless for a run.
//
// Owns:      that description, made once a tool.
// Does not:  check arguments (admission/prepare-call.ts).

import { z } from "zod";
import { EngineError } from "../core/errors.js";
import { copyJson, type JsonObject } from "../core/json-value.js";
import { causeOf } from "../core/outcome.js";
import type { Tool } from "../core/tool.js";
import type { ToolDescription } from "./model-port.js";

const TARGET = "draft-2020-12";
const ANY_OBJECT: JsonObject = { type: "object" };

const described = new WeakMap<Tool, ToolDescription>();

/** Throws `INVALID_TOOL` where a schema fails to say what it takes. */
export function describeTools(tools: Iterable<Tool>): readonly ToolDescription[] {
	return [...tools].map(describe);
}

function describe(tool: Tool): ToolDescription {
	const known = described.get(tool);
	if (known !== undefined) return known;
	const { name, description = "" } = tool;
	const made = { name, description, parameters: parametersOf(tool) };
	described.set(tool, made);
	return made;
}

function parametersOf({ name, parameters }: Tool): JsonObject {
	try {
		const copied = copyJson(jsonSchemaOf(parameters));
		if (!copied.ok) throw new TypeError(`it is not data at ${copied.path}: ${copied.problem}`);
		// The dialect is the port's promise and would be paid for in every request.
		const { $schema: _dialect, ...rest } = copied.value as JsonObject;
		return rest;
	} catch (cause) {
		const problem = `its schema has no JSON Schema: ${causeOf(cause).message}`;
		throw new EngineError("INVALID_TOOL", { action: `describe the tool ${JSON.stringify(name)}`, problem, cause });
	}
}

/** Standard JSON Schema, where a schema implements it. */
interface JsonSchemaSource {
	readonly "~standard": {
		readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown };
	};
}

function jsonSchemaOf(schema: unknown): unknown {
	// What JSON cannot say (a date, a symbol) is told as anything, rather than costing the tool.
	if (isZod(schema)) return z.toJSONSchema(schema, { io: "input", target: TARGET, unrepresentable: "any" });
	const source = (schema as JsonSchemaSource)["~standard"].jsonSchema;
	return source?.input === undefined ? ANY_OBJECT : source.input({ target: TARGET });
}

// By its mark and not its class: a host may have another copy of Zod.
function isZod(schema: unknown): schema is z.ZodType {
	return typeof schema === "object" && schema !== null && "_zod" in schema;
}
