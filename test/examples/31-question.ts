// A question
//
// A tool asks a person in the middle of its work. The run pauses; with the answer the tool runs again from its beginning,
// gets the answer where it asked, and what it had already done by a call of its own is not done twice.

import process from "node:process";
import { createEngine, scriptedModel, tool } from "wavetrain";
import { z } from "zod";

const look = tool({
	name: "look_for_tables",
	parameters: z.object({ day: z.string() }),
	effect: "read",
	execute: ({ day }) => {
		print(`(looks for tables on ${day})`);
		return ["by the window", "in the garden"];
	},
});
const book = tool({
	name: "book_table",
	parameters: z.object({ day: z.string() }),
	effect: "write",
	mayAsk: true,
	execute: async ({ day }, { invokeTool, interrupt }) => {
		const tables = await invokeTool("look_for_tables", { day });
		const chosen = await interrupt({ ask: "Which table?", options: tables as string[] });
		return `booked the table ${String(chosen)} for ${day}`;
	},
});

const model = scriptedModel([
	{ calls: [{ name: "book_table", args: { day: "Friday" } }] },
	({ messages }) => {
		const last = messages.at(-1);
		return last?.role === "tool" && last.outcome.ok ? `I have ${String(last.outcome.value)}.` : "I could not book.";
	},
]);

const engine = createEngine({ tools: [look, book] });
const run = await engine.run({ model, input: "A table for Friday, please." });
if (run.status !== "paused") throw new Error(`the run is ${run.status}`);
const [asked] = run.questions;
print(JSON.stringify(asked?.question));
const answers = { [asked?.id ?? ""]: "in the garden" };
print((await engine.resume(run.checkpoint, { model, answers })).text);
await engine.close();

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

// Prints:
//   (looks for tables on Friday)
//   {"ask":"Which table?","options":["by the window","in the garden"]}
//   I have booked the table in the garden for Friday.
