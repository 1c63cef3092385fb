// Budget and memo
//
// A run that may use three calls. The second look at the same thing is answered from memory and uses none of them.

import process from "node:process";
import { budget, createEngine, memo, tool } from "wavetrain";
import { z } from "zod";

const about = z.object({ about: z.string() });
let looks = 0;
const look = tool({
	name: "look",
	parameters: about,
	effect: "read",
	execute: ({ about }) => {
		looks += 1;
		return `${about}, look ${looks}`;
	},
});
const change = tool({ name: "change", parameters: about, effect: "write", execute: () => "changed" });

const engine = createEngine({ tools: [look, change], policies: [budget({ run: { calls: 3 } }), memo()] });
for (const [step, name] of ["look", "look", "change", "look", "change"].entries()) {
	const calls = [{ id: "", name, args: { about: "the table" } }];
	const { results } = await engine.executeWave(calls, { runId: "example", step });
	for (const { outcome } of results) {
		process.stdout.write(`${name}: ${outcome.ok ? String(outcome.value) : outcome.error.message}\n`);
	}
}
await engine.close();

// Prints:
//   look: the table, look 1
//   look: the table, look 1
//   change: changed
//   look: the table, look 2
//   change: The budget of the run is used up in calls: 3 of 3 are used, and the call asks for 1.
