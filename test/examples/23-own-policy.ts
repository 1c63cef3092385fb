// A policy of one's own
//
// What it remembers it keeps by run and changes at accounting alone, so its verdicts are the same under every schedule.

import process from "node:process";
import { createEngine, definePolicy, tool } from "wavetrain";
import { z } from "zod";

/** After a failed call a run may read and nothing else, until a read has succeeded. */
function lookAfterFailure() {
	const failed = new Set<string>();
	return definePolicy({
		name: "look-after-failure",
		admit(_call, { runId, effect }) {
			if (effect === "read" || !failed.has(runId)) return "clear";
			const violation = "The last call failed and nobody has looked why.";
			return { deny: { rule: "look-first", violation, alternative: "Read the state first, then change it." } };
		},
		account(_call, outcome, { runId, effect }) {
			if (!outcome.ok) failed.add(runId);
			else if (effect === "read") failed.delete(runId);
		},
	});
}

const nothing = z.object({});
let attempts = 0;
const build = tool({
	name: "build",
	parameters: nothing,
	effect: "write",
	execute: () => {
		attempts += 1;
		if (attempts === 1) throw new Error("a file is missing");
		return "built";
	},
});
const look = tool({ name: "look", parameters: nothing, effect: "read", execute: () => "the file is back" });

const engine = createEngine({ tools: [build, look], policies: [lookAfterFailure()] });
const { results } = await engine.executeWave(
	["build", "build", "look", "build"].map((name) => ({ id: "", name, args: {} })),
);
for (const { name, outcome } of results) {
	process.stdout.write(`${name}: ${outcome.ok ? String(outcome.value) : outcome.error.message}\n`);
}
await engine.close();

// Prints:
//   build: a file is missing
//   build: The last call failed and nobody has looked why.
//   look: the file is back
//   build: built
