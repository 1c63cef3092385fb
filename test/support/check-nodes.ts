// Checks every supported Node
//
// `require('wavetrain')` and `import` of the built package on each supported major, with a wave run on both. What
// `npm run check:nodes` runs, after a build; each Node comes from the npm package of that name.
//
// Owns:      the majors and the script they run.
// Does not:  build.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** The oldest release that is supported, and the newest of each later major. */
const NODES = ["20.19.0", "20", "22", "24"];

const SCRIPT = `
const byRequire = require("wavetrain");
const { z } = require("zod");
const wave = async ({ createEngine, tool }) => {
	const add = tool({
		name: "add",
		parameters: z.object({ a: z.number(), b: z.number() }),
		effect: "read",
		execute: ({ a, b }) => a + b,
	});
	const engine = createEngine({ tools: [add] });
	const { results } = await engine.executeWave([{ id: "1", name: "add", args: '{"a":1,"b":2}' }]);
	await engine.close();
	return results[0].outcome.value;
};
import("wavetrain").then(async (byImport) => {
	const answers = [await wave(byRequire), await wave(byImport)];
	if (byRequire.createEngine !== byImport.createEngine) throw new Error("require and import give two copies");
	if (answers.join() !== "3,3") throw new Error("the waves answered " + answers.join());
	console.log("Node " + process.versions.node + ": require and import give one package, and its waves run");
});
`;

const failed = NODES.filter((version) => {
	const { status } = spawnSync("npx", ["--yes", "--package", `node@${version}`, "node", "--eval", SCRIPT], {
		cwd: ROOT,
		stdio: "inherit",
	});
	return status !== 0;
});
if (failed.length > 0) process.stdout.write(`failed on Node ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
