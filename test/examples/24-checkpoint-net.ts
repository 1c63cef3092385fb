// Checkpoint net
//
// A command removes a folder that no commit holds. What it removed was kept before it ran; the entry of the call names it,
// and it is put back.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { checkpointNet, createEngine, memoryLedger, readLedger, workspaceTools } from "wavetrain";

const home = mkdtempSync(join(tmpdir(), "wavetrain-"));
const root = join(home, "workspace");
mkdirSync(join(root, "notes"), { recursive: true });
writeFileSync(join(root, "notes/today.txt"), "buy milk");

const net = checkpointNet({ root, folder: join(home, "kept") });
const ledger = memoryLedger();
const engine = createEngine({ tools: workspaceTools({ root }), policies: [net], ledger });
await engine.executeWave([{ id: "", name: "run_command", args: { command: "rm", args: ["-r", "notes"] } }]);
process.stdout.write(`there after the call: ${existsSync(join(root, "notes/today.txt"))}\n`);

for await (const { kind, data } of readLedger(ledger)) {
	if (kind !== "tool_called" || !Array.isArray(data.kept)) continue;
	const { restored } = await net.restore(String(data.kept[0]));
	process.stdout.write(`put back: ${restored.join(", ")}\n`);
}
process.stdout.write(`there after the restore: ${existsSync(join(root, "notes/today.txt"))}\n`);
await engine.close();
rmSync(home, { recursive: true });

// Prints:
//   there after the call: false
//   put back: notes, notes/today.txt
//   there after the restore: true
