// Host exit child
//
// A host that loses a thread, is answered, and forgets to close its pool, as well as one that it warmed up and never
// used, and some of which no thread can be made. Run as a process of its own.

import { gist, RealPool, threadWork } from "./thread-kit.js";

new RealPool({ min: 1 }, [threadWork("plain/echo")]);
const pool = new RealPool({ max: 2 });
const unmakeable = [
	{ execArgv: ["--nonsense"] },
	{ execArgv: ["--max-old-space-size=100"] },
	{ env: { NODE_OPTIONS: "--nonsense" } },
];
const outcomes = [
	await pool.run("faults/exitNow", { code: 3 }),
	await pool.run("faults/exitLater", { code: 4 }),
	await pool.run("plain/echo", "an answer"),
];
for (const threads of unmakeable) outcomes.push(await new RealPool(threads).run("plain/echo"));
process.stdout.write(`${JSON.stringify(outcomes.map(gist))}\n`);
