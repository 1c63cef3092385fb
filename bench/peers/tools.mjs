// Tools
//
// What the model of every framework here may call: an edit of a file, some arithmetic, and nothing at all. Each framework
// gets the same code; what wavetrain alone can be told about a tool stands beside it.
//
// Owns:      the tools and what they do.
// Does not:  know a framework.

import { readFile, writeFile } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { z } from "zod";

const BURN_MS = 20;

/** Reads, thinks for a turn of the event loop, and writes: what every edit of a file comes to. */
export async function edit({ path, from, to }) {
	const text = await readFile(path, "utf8");
	await turn();
	await writeFile(path, text.replace(from, to));
	return "edited";
}

export function burn() {
	const untilMs = performance.now() + BURN_MS;
	let sum = 0;
	while (performance.now() < untilMs) sum += Math.sqrt(sum + 1);
	return sum;
}

/** A tool: `effect` and `thread` are for wavetrain alone, which is what it needs to know to do better. */
export const EDIT = {
	name: "edit",
	description: "Replaces a text in a file.",
	parameters: z.object({ path: z.string(), from: z.string(), to: z.string() }),
	execute: edit,
	effect: "write",
};

export const BURN = {
	name: "burn",
	description: "Does arithmetic for 20 ms.",
	parameters: z.object({}),
	execute: burn,
	effect: "read",
	thread: { url: import.meta.url, exportName: "burn" },
};

export const NO_OP = {
	name: "no_op",
	description: "Answers its argument.",
	parameters: z.object({ key: z.number() }),
	execute: async ({ key }) => key,
	effect: "read",
};
