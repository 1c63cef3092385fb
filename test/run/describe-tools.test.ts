// What a model is told of the tools.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentTool, createEngine, scriptedModel, tool } from "../../engine/index.js";

async function toldOf(...tools: ReturnType<typeof tool>[]) {
	const model = scriptedModel(["done"]);
	const engine = createEngine({ tools });
	await engine.run({ model, input: "x" });
	await engine.close();
	return model.requests[0]?.tools;
}

const execute = () => 1;

describe("a model is told of each tool", () => {
	it("its name, its description, and the JSON Schema of what it may send", async () => {
		const parameters = z.object({
			path: z.string().describe("From the root."),
			lines: z.number().default(10),
			since: z.string().transform((text) => new Date(text)),
			exact: z.date().optional(),
		});
		const read = tool({ name: "read", description: "Reads a file.", parameters, execute });
		expect(await toldOf(read)).toEqual([
			{
				name: "read",
				description: "Reads a file.",
				parameters: {
					type: "object",
					properties: {
						path: { type: "string", description: "From the root." },
						lines: { type: "number", default: 10 },
						since: { type: "string" },
						exact: {},
					},
					required: ["path", "since"],
				},
			},
		]);
	});

	it("that is an agent, like any other", async () => {
		const agent = agentTool({ name: "agent", parameters: z.object({}), model: scriptedModel([]) });
		expect(await toldOf(agent)).toMatchObject([{ name: "agent", description: "", parameters: { type: "object" } }]);
	});

	it("what a schema that implements Standard JSON Schema says, and of another only that arguments are an object", async () => {
		const validate = (value: unknown) => ({ value });
		const jsonSchema = { input: ({ target }: { target: string }) => ({ $schema: "x", type: "object", title: target }) };
		const standard = { version: 1, vendor: "own", validate } as const;
		const says = tool({ name: "says", parameters: { "~standard": { ...standard, jsonSchema } } as never, execute });
		const mute = tool({ name: "mute", parameters: { "~standard": standard }, execute });
		expect((await toldOf(says, mute))?.map(({ parameters }) => parameters)).toEqual([
			{ type: "object", title: "draft-2020-12" },
			{ type: "object" },
		]);
	});

	it("or is not asked, where a schema fails to say what it takes", async () => {
		const jsonSchema = { input: () => ({ type: () => "object" }) };
		const standard = { version: 1, vendor: "own", validate: (value: unknown) => ({ value }), jsonSchema } as const;
		const broken = tool({ name: "broken", parameters: { "~standard": standard } as never, execute });
		await expect(toldOf(broken)).rejects.toMatchObject({
			code: "INVALID_TOOL",
			message: expect.stringContaining('describe the tool "broken"'),
		});
	});
});
