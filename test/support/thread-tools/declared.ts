// Declared thread tools
//
// A module that declares tools once, by a list and by single exports: the host reads the declarations and the threads
// run the code.
//
// Owns:      those tools.
// Does not:  test them.

import { isMainThread } from "node:worker_threads";
import { z } from "zod";
import { onThread } from "../../../engine/core/thread-ref.js";
import { tool } from "../../../engine/core/tool.js";

/** A helper with the name of a tool: never what a thread runs for it. */
export const doubled = (value: number): number => value * 2;

export const tools = [
	tool({
		name: "doubled",
		parameters: z.object({ value: z.number() }),
		effect: "read",
		execute: ({ value }) => ({ value: doubled(value), onThread: !isMainThread }),
	}),
];

export const halve = tool({
	name: "halved",
	parameters: z.object({ value: z.number() }),
	effect: "read",
	execute: ({ value }) => value / 2,
});

export const elsewhere = tool({
	name: "elsewhere",
	parameters: z.object({}),
	execute: onThread(new URL("./plain.mjs", import.meta.url), "nothing"),
});
