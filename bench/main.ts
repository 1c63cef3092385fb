// Bench
//
// Runs every subject, or those that are named, one after another, and prints a table a subject. Exits with 1 when a
// ratio misses its target.

import { availableParallelism, cpus } from "node:os";
import process from "node:process";
import Table from "cli-table3";
import { met, type Row, type Subject } from "./harness.js";
import { inlineCalls } from "./inline-calls.js";
import { ledgers } from "./ledger.js";
import { locks } from "./locks.js";
import { policies } from "./policies.js";
import { streams } from "./streams.js";
import { threadCalls } from "./thread-calls.js";
import { threadHealth } from "./thread-health.js";
import { threadValues } from "./thread-values.js";
import { workloads } from "./workloads.js";

const SUBJECTS: readonly Subject[] = [
	inlineCalls,
	threadCalls,
	threadValues,
	threadHealth,
	locks,
	streams,
	policies,
	ledgers,
	workloads,
];

const wanted = process.argv.slice(2);
const chosen = SUBJECTS.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const machine = `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
process.stdout.write(`${machine}\n`);
let missed = 0;
for (const subject of chosen) {
	const rows = await subject.run();
	missed += rows.filter((row) => !met(row)).length;
	process.stdout.write(`\n${subject.name} (not measured: ${subject.notMeasured})\n${tableOf(rows)}\n`);
}
process.exitCode = missed === 0 ? 0 : 1;

function tableOf(rows: readonly Row[]): string {
	const table = new Table({
		head: ["what", "ours", "baseline", "unit", "against", "ratio", "target", ""],
		style: { head: [] },
	});
	for (const row of rows)
		table.push([
			row.what,
			figure(row.ours),
			figure(row.baseline),
			row.unit,
			row.against,
			figure(row.ratio),
			targetOf(row),
			met(row) ? "" : "missed",
		]);
	return table.toString();
}

function targetOf({ target }: Row): string {
	const [word, value] = "atMost" in target ? ["≤", target.atMost] : ["≥", target.atLeast];
	return Number.isFinite(value) ? `${word} ${value}` : "none";
}

function figure(value: number): string {
	return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
