// Killed loop
//
// A process with an engine that recovers its run and goes on with it, or begins it, and says what it does, until it is
// killed or the run ends. Each write leaves a file of its own, which must not be there yet. Built and run by
// killed-loop.test.ts.

import { writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createEngine, fileLedger, recover, scriptedModel, tool } from "../../engine/index.js";

const [, , folder = ""] = process.argv;
const STEPS = 40;

const say = (line: string): void => void writeSync(1, `${line}\n`);

const parameters = z.object({ n: z.number() });
const look = tool({ name: "look", parameters, effect: "read", execute: ({ n }) => n });
const put = tool({
	name: "put",
	parameters,
	effect: "write",
	execute: ({ n }) => {
		// Throws where it is there already: the write would be one too many.
		writeFileSync(join(folder, `put-${n}`), "", { flag: "wx" });
		say(`put ${n}`);
		return n;
	},
});
const model = scriptedModel([
	...Array.from({ length: STEPS }, (_, step) => () => {
		say(`step ${step}`);
		return { calls: ["look", "put", "put"].map((name, index) => ({ name, args: { n: step * 10 + index } })) };
	}),
	"done",
]);

const ledger = fileLedger(join(folder, "ledger"));
const engine = createEngine({ tools: [look, put], ledger });
const checkpoint = await recover(ledger, "r").catch((error: { code?: string }) => {
	if (error.code === "RUN_NOT_FOUND") return undefined;
	throw error;
});
if (checkpoint?.kind === "wave") throw new Error("a run was taken for a wave");
const run =
	checkpoint === undefined ? engine.run({ model, input: "x", runId: "r" }) : engine.resume(checkpoint, { model });
const { status, steps } = await run;
say(`${status} ${steps}`);
await engine.close();
