// Bench
//
// Runs every subject, or those that are named, one after another, and prints a table a subject. Exits with 1 when a
// ratio misses its target, and with 2 when a word names no subject.
//
// Owns:      the command's words and its exit codes.
// Does not:  measure (harness.ts) or know a subject (subjects.ts).

import { availableParallelism, cpus } from "node:os";
import process from "node:process";
import { met } from "./harness.js";
import { rowTable } from "./row-table.js";
import { chosenSubjects, SUBJECTS } from "./subjects.js";

// By the sources, which tsx compiles its own way, a call looks up to four times as dear as it is to a user.
if (!import.meta.resolve("wavetrain").endsWith("/dist/index.js")) {
	process.stderr.write("The bench measures the built package; run it with `npm run bench`.\n");
	process.exit(2);
}
const chosen = chosenSubjects(process.argv.slice(2));
if ("unknown" in chosen) {
	const names = SUBJECTS.map(({ name }) => name).join(", ");
	process.stderr.write(`No subject is named ${JSON.stringify(chosen.unknown)}. The subjects: ${names}.\n`);
	process.exit(2);
}

const machine = `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
process.stdout.write(`${machine}\n`);
let missed = 0;
for (const subject of chosen.subjects) {
	const rows = await subject.run();
	missed += rows.filter((row) => !met(row)).length;
	process.stdout.write(`\n${subject.name} (not measured: ${subject.notMeasured})\n${rowTable(rows)}\n`);
}
process.exitCode = missed === 0 ? 0 : 1;
