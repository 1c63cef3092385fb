// Steer
//
// Somebody changes their mind while the calls of a step run. What they say is written where it came, and the model reads
// it after the whole step, never between two of its calls.

import process from "node:process";
import { createEngine, memoryLedger, readLedger, scriptedModel, tool } from "wavetrain";
import { z } from "zod";

const place = z.object({ place: z.string() });
const measure = tool({
	name: "measure",
	parameters: place,
	effect: "read",
	execute: ({ place }) => {
		run.steer("In metres, please.");
		return `${place}: 12 feet`;
	},
});
const paint = tool({ name: "paint", parameters: place, effect: "write", execute: ({ place }) => `${place} is blue` });

const model = scriptedModel([
	{
		calls: [
			{ name: "measure", args: { place: "hall" } },
			{ name: "paint", args: { place: "hall" } },
		],
	},
	({ messages }) => {
		for (const message of messages) {
			const { role } = message;
			print(`the model reads ${role === "tool" && message.outcome.ok ? message.outcome.value : role}`);
			if (role === "user") print(`  ${message.text}`);
		}
		return "The hall is 3.66 m long, and blue.";
	},
]);

const ledger = memoryLedger();
const engine = createEngine({ tools: [measure, paint], ledger, ahead: false });
const run = engine.run({ model, input: "Measure and paint the hall." });
print((await run).text);
for await (const { kind, data } of readLedger(ledger))
	print(`${kind} ${String(data.index ?? data.text ?? "")}`.trimEnd());
await engine.close();

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

// Prints:
//   the model reads user
//     Measure and paint the hall.
//   the model reads assistant
//   the model reads hall: 12 feet
//   the model reads hall is blue
//   the model reads user
//     In metres, please.
//   The hall is 3.66 m long, and blue.
//   run_started
//   model_called
//   model_returned
//   tool_called 0
//   tool_result 0
//   steer_received In metres, please.
//   tool_called 1
//   tool_result 1
//   model_called
//   model_returned The hall is 3.66 m long, and blue.
//   run_finished
