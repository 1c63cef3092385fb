// An executor of one's own
//
// Tools that are placed with onThread run in a process each: a crash of native code, or memory outside of the heap, costs
// one call and nothing else. The engine's laws hold as ever: one outcome a call, and a write that died is unknown.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { createEngine, type Executor, type Outcome, onThread, type ThreadRef, tool } from "wavetrain";
import { z } from "zod";

/** What a process runs: one call, whose answer it sends back. */
const CHILD = `
process.once("message", async ({ moduleUrl, exportName, args }) => {
	const answer = async () => (await import(moduleUrl))[exportName](args);
	process.send(await answer().then((value) => ({ value }), (error) => ({ message: String(error?.message ?? error) })));
	process.disconnect();
});`;

function failure(code: "TOOL_FAILED" | "WORKER_LOST", message: string): Outcome {
	return { ok: false, error: { code, message, recovery: "Go on without this tool." } };
}

function processExecutor(): Executor<ThreadRef> {
	const running = new Set<() => void>();
	return {
		start({ work, args, hooks }) {
			const child = spawn(process.execPath, ["--input-type=module", "--eval", CHILD], {
				stdio: ["ignore", "inherit", "ignore", "ipc"],
			});
			const kill = (): void => void child.kill("SIGKILL");
			running.add(kill);
			hooks.onBegan();
			child.send({ ...work, args });
			const ended = new Promise<Outcome>((resolve) => {
				let outcome: Outcome | undefined;
				child.once("message", (told: { value?: never; message?: string }) => {
					const { value, message } = told;
					outcome = message === undefined ? { ok: true, value: value as never } : failure("TOOL_FAILED", message);
				});
				// Only now nothing of the call runs any more.
				child.once("exit", (code, signal) => {
					running.delete(kill);
					resolve(outcome ?? failure("WORKER_LOST", `The process ended with ${signal ?? code}.`));
				});
			});
			// A host whose tools heed a signal would send it on, and kill `graceMs` later.
			return { ended, endsWhenStopped: true, stop: kill };
		},
		async close() {
			for (const kill of running) kill();
			return { abandoned: 0 };
		},
	};
}

const folder = mkdtempSync(join(tmpdir(), "wavetrain-"));
const moduleUrl = pathToFileURL(join(folder, "tools.mjs"));
writeFileSync(
	moduleUrl,
	`export const square = ({ n }) => n * n;
	 export const crash = () => process.kill(process.pid, "SIGSEGV");`,
);
const parameters = z.object({ n: z.number() });
const engine = createEngine({
	tools: [
		tool({ name: "square", parameters, effect: "read", execute: onThread(moduleUrl, "square") }),
		tool({ name: "read_crash", parameters, effect: "read", execute: onThread(moduleUrl, "crash") }),
		tool({ name: "write_crash", parameters, effect: "write", execute: onThread(moduleUrl, "crash") }),
	],
	executor: processExecutor(),
});
const { results } = await engine.executeWave([
	{ id: "a", name: "square", args: { n: 12 } },
	{ id: "b", name: "read_crash", args: { n: 1 } },
	{ id: "c", name: "write_crash", args: { n: 1 } },
	{ id: "d", name: "square", args: { n: 3 } },
]);
for (const { id, outcome } of results) {
	process.stdout.write(`${id}: ${outcome.ok ? outcome.value : outcome.error.code}\n`);
}
await engine.close();
rmSync(folder, { recursive: true });

// Prints:
//   a: 144
//   b: WORKER_LOST
//   c: OUTCOME_UNKNOWN
//   d: 9
