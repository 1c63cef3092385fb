// Start up after a crash
//
// A process runs four conversations into one ledger and is killed. The next process knows none of their ids: it asks the
// ledger which runs there are, goes on with every one that is unfinished, and leaves the one that waits for a person.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createEngine, fileLedger, listRuns, recover, scriptedModel, tool } from "wavetrain";
import { z } from "zod";

const [which = "", ledgerPath = ""] = process.argv.slice(2);
const crashes = which === "first";

const none = z.object({});
const search = tool({
	name: "search",
	parameters: none,
	effect: "read",
	// In the first process the answer does not come in time.
	execute: () => (crashes ? new Promise(() => undefined) : "three trains"),
});
const write = tool({ name: "write", parameters: none, effect: "write", execute: () => "written" });
const book = tool({ name: "book", parameters: none, effect: "write", requiresApproval: true, execute: () => "booked" });
const mail = tool({
	name: "mail",
	parameters: none,
	effect: "write",
	execute: () => process.kill(process.pid, "SIGKILL"),
});
const model = scriptedModel([
	({ messages: [asked] }) => ({ calls: [{ name: asked?.role === "user" ? asked.text : "", args: {} }] }),
	({ messages }) => {
		const last = messages.at(-1);
		return last?.role === "tool" && last.outcome.ok ? "It is done." : "Please see whether it was done; I do not know.";
	},
]);
const tools = [search, write, book, mail];

if (which === "first") await work();
else if (which === "second") await startUp();
else await both();

async function work(): Promise<void> {
	const engine = createEngine({ tools, ledger: fileLedger(ledgerPath) });
	await engine.run({ model, input: "write", runId: "notes" });
	await engine.run({ model, input: "book", runId: "journey" });
	// Waits for its search while the next one mails.
	void engine.run({ model, input: "search", runId: "trains" });
	await engine.run({ model, input: "mail", runId: "letter" });
}

async function startUp(): Promise<void> {
	const ledger = fileLedger(ledgerPath);
	const engine = createEngine({ tools, ledger });
	for (const run of await listRuns(ledger)) {
		if (run.standing === "paused") print(`  ${run.runId} waits for ${run.questions} answer`);
		if (run.standing === "finished") print(`  ${run.runId} has ended: ${run.status}`);
		if (run.standing !== "unfinished") continue;
		const checkpoint = await recover(ledger, run.runId);
		// Waves that a host runs by itself are of another kind, and are resumed without a model.
		if (checkpoint.kind !== "run") continue;
		const { status, text } = await engine.resume(checkpoint, { model });
		print(`  ${run.runId} goes on to its end: ${status}. ${text}`);
	}
	await engine.close();
	const left = await listRuns(ledgerPath);
	print(`  unfinished now: ${left.filter(({ standing }) => standing === "unfinished").length}`);
}

/** One process after the other. */
async function both(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "wavetrain-example-"));
	for (const name of ["first", "second"]) {
		print(`the ${name} process:`);
		const again = [...process.execArgv, fileURLToPath(import.meta.url), name, join(folder, "ledger")];
		const { stdout, signal } = spawnSync(process.execPath, again, { encoding: "utf8" });
		process.stdout.write(stdout);
		if (signal !== null) print(`  is killed by ${signal}`);
	}
	rmSync(folder, { recursive: true });
}

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

// Prints:
//   the first process:
//     is killed by SIGKILL
//   the second process:
//     notes has ended: done
//     journey waits for 1 answer
//     trains goes on to its end: done. It is done.
//     letter goes on to its end: done. Please see whether it was done; I do not know.
//     unfinished now: 0
