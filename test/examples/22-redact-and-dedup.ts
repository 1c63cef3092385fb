// Redact and dedup
//
// The model reads a token, the ledger does not hold it. Then the same step is taken up again with the answers that the
// ledger holds: nothing runs twice, and what is answered is what was recorded.

import process from "node:process";
import { createEngine, dedup, memoryLedger, type Outcome, readLedger, redact, tool } from "wavetrain";
import { z } from "zod";

const login = tool({
	name: "login",
	parameters: z.object({ user: z.string() }),
	effect: "write",
	execute: ({ user }) => {
		process.stdout.write(`login runs for ${user}\n`);
		return `glpat-${"wWPw5k4aXcaT4fNP0Ucn"}`;
	},
});
const calls = [{ id: "1", name: "login", args: { user: "marie" } }];
const place = { runId: "example", step: 0 };

const ledger = memoryLedger();
const engine = createEngine({ tools: [login], policies: [redact()], ledger });
const { results } = await engine.executeWave(calls, place);
process.stdout.write(`the model reads ${said(results[0]?.outcome)}\n`);

const recorded = [];
for await (const { kind, data } of readLedger(ledger)) {
	if (kind !== "tool_result") continue;
	recorded.push({
		...place,
		index: Number(data.index),
		name: "login",
		args: calls[0]?.args,
		outcome: data.outcome as Outcome,
	});
}
await engine.close();

const again = createEngine({ tools: [login], policies: [dedup({ answers: recorded })] });
const second = await again.executeWave(calls, place);
process.stdout.write(`answered again with ${said(second.results[0]?.outcome)}\n`);
await again.close();

function said(outcome: Outcome | undefined): string {
	return outcome?.ok ? String(outcome.value) : "no value";
}

// Prints:
//   login runs for marie
//   the model reads glpat-wWPw5k4aXcaT4fNP0Ucn
//   answered again with [redacted:gitlab-token:d6e6f426fdc6]
