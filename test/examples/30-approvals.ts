// Approvals
//
// A model wants two notes sent and one read. The run pauses before anything is sent; a person approves one and declines
// the other, in any order, and the model reads what was decided.

import process from "node:process";
import { createEngine, scriptedModel, tool } from "wavetrain";
import { z } from "zod";

const note = z.object({ note: z.string() });
const readNote = tool({
	name: "read_note",
	parameters: note,
	effect: "read",
	execute: ({ note }) => `${note}: buy milk`,
});
const sendNote = tool({
	name: "send_note",
	parameters: note,
	effect: "egress",
	requiresApproval: ({ note }) => note !== "draft",
	presentation: ({ note }) => ({ title: `Send the note "${note}"` }),
	execute: ({ note }) => {
		print(`(sends ${note})`);
		return "sent";
	},
});

const call = (name: string, note: string) => ({ name, args: { note } });
const model = scriptedModel([
	{ calls: [call("read_note", "list"), call("send_note", "list"), call("send_note", "diary")] },
	"The list is sent, the diary is not.",
]);

const engine = createEngine({ tools: [readNote, sendNote] });
const run = await engine.run({ model, input: "Send my notes.", runId: "example" });
if (run.status !== "paused") throw new Error(`the run is ${run.status}`);
for (const { id, question } of run.questions) print(`${id} asks: ${(question as { title: string }).title}?`);

const answers = {
	"example/0/2/0": { approve: false, reason: "it is private" },
	"example/0/1/0": { approve: true },
};
const rest = await engine.resume(run.checkpoint, { model, answers });
for (const message of rest.messages) {
	if (message.role !== "tool") continue;
	print(`${message.name}: ${message.outcome.ok ? String(message.outcome.value) : message.outcome.error.message}`);
}
print(`${rest.status}: ${rest.text}`);
await engine.close();

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

// Prints:
//   example/0/1/0 asks: Send the note "list"?
//   example/0/2/0 asks: Send the note "diary"?
//   (sends list)
//   read_note: list: buy milk
//   send_note: sent
//   send_note: A person declined the call: it is private
//   done: The list is sent, the diary is not.
