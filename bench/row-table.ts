// Row table
//
// The rows of a subject as a table of plain text: without colours, since most of it is piped, pasted and compared.
//
// Owns:      the columns and how a figure is rounded.
// Does not:  judge a row (harness.ts).

import Table from "cli-table3";
import { met, type Row } from "./harness.js";

export function rowTable(rows: readonly Row[]): string {
	const table = new Table({
		head: ["what", "ours", "baseline", "unit", "against", "ratio", "target", ""],
		// Left out, both are coloured, to a terminal or not.
		style: { head: [], border: [] },
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
