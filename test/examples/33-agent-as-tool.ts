// An agent as a tool
//
// A model hands a part of its work to another, which has two tools and a loop of its own. It is one call of the outer run:
// its calls stand below it in the ledger, and because it declares that it reads, it can write nothing.

import process from "node:process";
import { agentTool, createEngine, memoryLedger, readLedger, scriptedModel, tool } from "wavetrain";
import { z } from "zod";

const file = z.object({ file: z.string() });
const listFiles = tool({ name: "list", parameters: z.object({}), effect: "read", execute: () => ["plan", "menu"] });
const readFile = tool({
	name: "read",
	parameters: file,
	effect: "read",
	execute: ({ file }) => `the ${file} says hello`,
});
const writeFile = tool({
	name: "write",
	parameters: file,
	effect: "write",
	execute: ({ file }) => `${file} is written`,
});

const researcher = agentTool({
	name: "research",
	description: "Reads the files and says what they are about.",
	parameters: z.object({ topic: z.string() }),
	effect: "read",
	input: ({ topic }) => `What do the files say about ${topic}?`,
	tools: ["list", "read", "write"],
	model: scriptedModel([
		{ calls: [{ name: "list", args: {} }] },
		{ calls: ["plan", "menu"].map((file) => ({ name: "read", args: { file } })) },
		{ calls: [{ name: "write", args: { file: "plan" } }] },
		({ messages }) => {
			const denied = messages.at(-1);
			if (denied?.role === "tool" && !denied.outcome.ok) print(`the agent reads: ${denied.outcome.error.message}`);
			return "They say hello.";
		},
	]),
});

const model = scriptedModel([
	{ calls: [{ name: "research", args: { topic: "greetings" } }] },
	({ messages }) => {
		const last = messages.at(-1);
		return `I asked, and heard: ${last?.role === "tool" && last.outcome.ok ? String(last.outcome.value) : "nothing"}`;
	},
]);

const ledger = memoryLedger();
const engine = createEngine({ tools: [listFiles, readFile, writeFile, researcher], ledger });
print((await engine.run({ model, input: "What is in the files?" })).text);
for await (const { kind, data } of readLedger(ledger)) {
	if (kind === "tool_called") print(`${(data.lineage as number[]).join(".").padEnd(4)} ${String(data.name)}`);
}
await engine.close();

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

// Prints:
//   the agent reads: write is no read, and the call that makes it declares that it only reads.
//   I asked, and heard: They say hello.
//   0    research
//   0.0  list
//   0.1  read
//   0.2  read
//   0.3  write
