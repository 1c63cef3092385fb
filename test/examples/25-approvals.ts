// Approvals
//
// Drafts are written unasked and nothing is ever dropped; mail needs a person's yes, which here comes in a second process:
// the pause is JSON.

import process from "node:process";
import { approvals, createEngine, tool } from "wavetrain";
import { z } from "zod";

const about = z.object({ about: z.string() });
const tools = ["draft", "send", "drop"].map((name) =>
	tool({
		name,
		parameters: about,
		effect: name === "send" ? { connector: "mail" } : "write",
		execute: ({ about }) => `${name}: ${about}`,
	}),
);
const policies = [
	approvals({
		deny: [{ tools: ["drop"], reason: "Nothing is dropped here." }],
		allow: [{ tools: ["draft"] }],
		ask: [{ effects: ["connector"], reason: "It leaves the house." }],
	}),
];

const engine = createEngine({ tools, policies });
const calls = ["draft", "drop", "send"].map((name) => ({ id: "", name, args: { about: "tea" } }));
const { questions, checkpoint } = await engine.executeWave(calls, { runId: "example" });
for (const { id, question } of questions) process.stdout.write(`${id} asks ${JSON.stringify(question)}\n`);
await engine.close();

const later = createEngine({ tools, policies });
const answers = Object.fromEntries(questions.map(({ id }) => [id, { approve: true }]));
const { results } = await later.resume(JSON.parse(JSON.stringify(checkpoint)), { answers });
for (const { outcome } of results) {
	process.stdout.write(`${outcome.ok ? String(outcome.value) : outcome.error.message}\n`);
}
await later.close();

// Prints:
//   example/0/2/0 asks {"kind":"approval","tool":"send","args":{"about":"tea"},"digest":"006cf41f5117f7f9da0afa7d28b20d25aa2e7d1b6ec37813ac36ac9dd8c2da79","title":"send","detail":"It leaves the house."}
//   draft: tea
//   Nothing is dropped here.
//   send: tea
