// Host exit child
//
// A host that loses a thread, is answered, and forgets to close its pool. Run as a process of its own.

import { gist, RealPool } from "./thread-kit.js";

const pool = new RealPool({ max: 2 });
const outcomes = [
	await pool.run("faults/exitNow", { code: 3 }),
	await pool.run("faults/exitLater", { code: 4 }),
	await pool.run("plain/echo", "an answer"),
];
process.stdout.write(`${JSON.stringify(outcomes.map(gist))}\n`);
