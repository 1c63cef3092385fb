// Resume in a new process
//
// A run pauses, its checkpoint is kept as a file, and the process ends. Another process with the same tools reads the file
// and goes on: what had been done is not done again, and the ledger reads as if nothing had happened in between.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createEngine, fileLedger, type RunCheckpoint, readLedger, scriptedModel, tool } from "wavetrain";
import { z } from "zod";

const [folder = ""] = process.argv.slice(2);
const place = (name: string): string => join(folder, name);

const amount = z.object({ euros: z.number() });
const reserve = tool({
	name: "reserve",
	parameters: amount,
	effect: "write",
	execute: ({ euros }) => {
		print(`  (reserves ${euros} euros)`);
		return "reserved";
	},
});
const pay = tool({
	name: "pay",
	parameters: amount,
	effect: "write",
	requiresApproval: true,
	execute: ({ euros }) => {
		print(`  (pays ${euros} euros)`);
		return "paid";
	},
});
const model = scriptedModel([
	{
		calls: [
			{ name: "reserve", args: { euros: 40 } },
			{ name: "pay", args: { euros: 40 } },
		],
	},
	"Forty euros are paid.",
]);

if (folder === "") await both();
else await work();

/** One process after the other. */
async function both(): Promise<void> {
	const kept = mkdtempSync(join(tmpdir(), "wavetrain-example-"));
	const again = [...process.execArgv, fileURLToPath(import.meta.url), kept];
	for (const which of ["first", "second"]) {
		print(`the ${which} process:`);
		process.stdout.write(execFileSync(process.execPath, again, { encoding: "utf8" }));
	}
	const kinds: string[] = [];
	for await (const { kind } of readLedger(join(kept, "ledger"))) kinds.push(kind);
	print(kinds.join(" "));
	rmSync(kept, { recursive: true });
}

async function work(): Promise<void> {
	const engine = createEngine({ tools: [reserve, pay], ledger: fileLedger(place("ledger")) });
	const checkpoint = kept();
	const run =
		checkpoint === undefined
			? await engine.run({ model, input: "Pay the bill." })
			: await engine.resume(checkpoint, { model, answers: { [checkpoint.questions[0]?.id ?? ""]: true } });
	if (run.status === "paused") writeFileSync(place("checkpoint.json"), JSON.stringify(run.checkpoint));
	print(`  ${run.status}${run.text === "" ? "" : `: ${run.text}`}`);
	await engine.close();
}

function kept(): RunCheckpoint | undefined {
	try {
		return JSON.parse(readFileSync(place("checkpoint.json"), "utf8")) as RunCheckpoint;
	} catch {
		return undefined;
	}
}

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

// Prints:
//   the first process:
//     (reserves 40 euros)
//     paused
//   the second process:
//     (pays 40 euros)
//     done: Forty euros are paid.
//   run_started model_called model_returned tool_called tool_result question_asked run_paused run_resumed answer_received tool_called tool_result model_called model_returned run_finished
