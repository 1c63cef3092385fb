// Recover a run
//
// A process is killed in the middle of a payment, and leaves nothing but its ledger. Another process with the same tools
// recovers the run from it and goes on: what was answered stands, what was paid is not paid again, and the model is told
// that nobody knows how the payment ended.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createEngine, fileLedger, readLedger, recover, scriptedModel, tool } from "wavetrain";
import { z } from "zod";

const [which = "", ledgerPath = ""] = process.argv.slice(2);

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
	execute: ({ euros }) => {
		print(`  (pays ${euros} euros)`);
		process.kill(process.pid, "SIGKILL");
	},
});
const model = scriptedModel([
	{ calls: [{ name: "reserve", args: { euros: 40 } }] },
	{ calls: [{ name: "pay", args: { euros: 40 } }] },
	({ messages }) => {
		const last = messages.at(-1);
		const isKnown = last?.role === "tool" && last.outcome.ok;
		return isKnown ? "Forty euros are paid." : "Please see whether forty euros were paid; I do not know.";
	},
]);

if (which === "first") await begin();
else if (which === "second") await goOn();
else await both();

async function begin(): Promise<void> {
	const engine = createEngine({ tools: [reserve, pay], ledger: fileLedger(ledgerPath) });
	await engine.run({ model, input: "Pay the bill.", runId: "bill" });
}

async function goOn(): Promise<void> {
	const ledger = fileLedger(ledgerPath);
	const engine = createEngine({ tools: [reserve, pay], ledger });
	const checkpoint = await recover(ledger, "bill");
	// A host that runs waves by itself has checkpoints of waves.
	if (checkpoint.kind === "run") {
		const run = await engine.resume(checkpoint, { model });
		print(`  ${run.status} after ${run.steps} steps: ${run.text}`);
	}
	await engine.close();
}

/** One process after the other. */
async function both(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "wavetrain-example-"));
	const path = join(folder, "ledger");
	for (const name of ["first", "second"]) {
		print(`the ${name} process:`);
		const again = [...process.execArgv, fileURLToPath(import.meta.url), name, path];
		const { stdout, signal } = spawnSync(process.execPath, again, { encoding: "utf8" });
		process.stdout.write(stdout);
		if (signal !== null) print(`  is killed by ${signal}`);
	}
	const kinds: string[] = [];
	for await (const { kind } of readLedger(path)) kinds.push(kind);
	print(kinds.join(" "));
	rmSync(folder, { recursive: true });
}

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

// Prints:
//   the first process:
//     (reserves 40 euros)
//     (pays 40 euros)
//     is killed by SIGKILL
//   the second process:
//     done after 3 steps: Please see whether forty euros were paid; I do not know.
//   run_started model_called model_returned tool_called tool_result model_called model_returned run_resumed tool_called tool_result model_called model_returned run_finished
