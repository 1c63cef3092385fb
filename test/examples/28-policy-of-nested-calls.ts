// A policy that knows calls which calls make
//
// No page is opened twice. Two calls of one reply run at once and open pages of their own: what one of them has opened the
// other does not know of, whoever was first, and all that comes later knows of both.

import process from "node:process";
import { createEngine, definePolicy, runMemory, ToolCallError, tool } from "wavetrain";
import { z } from "zod";

function opensOnce() {
	const opened = runMemory<Set<string>>({
		make: () => new Set(),
		absorb: (into, from) => {
			for (const page of from) into.add(page);
		},
	});
	const pageOf = (args: unknown) => (args as { page?: string }).page;
	return definePolicy({
		name: "opens-once",
		admit(_call, view) {
			const page = pageOf(view.args) ?? "";
			const isOpened = opened.enter(view).some(({ state }) => state.has(page));
			if (!isOpened) return "clear";
			return { deny: { rule: "opens-once", violation: `${page} was opened before.`, alternative: "Open another." } };
		},
		account(_call, outcome, view) {
			const page = pageOf(view.args);
			opened.accounted(view, outcome, page && outcome.ok ? (state) => state.add(page) : undefined);
		},
	});
}

const open = tool({
	name: "open",
	parameters: z.object({ page: z.string() }),
	effect: "read",
	execute: ({ page }) => page,
});
const research = tool({
	name: "research",
	parameters: z.object({ pages: z.array(z.string()) }),
	effect: "read",
	async execute({ pages }, { invokeTool }) {
		const found: unknown[] = [];
		for (const page of pages) {
			const opened = invokeTool("open", { page });
			found.push(await opened.catch((error) => (error instanceof ToolCallError ? error.code : String(error))));
		}
		return found.join(", ");
	},
});

const engine = createEngine({ tools: [open, research], policies: [opensOnce()] });
for (const [step, calls] of [
	[
		["a", "a"],
		["a", "b"],
	],
	[["b", "c"]],
].entries()) {
	const wave = calls.map((pages) => ({ id: "", name: "research", args: { pages } }));
	const { results } = await engine.executeWave(wave, { runId: "example", step });
	for (const { outcome } of results) process.stdout.write(`${outcome.ok ? outcome.value : outcome.error.message}\n`);
}
await engine.close();

// Prints:
//   a, DENIED
//   a, b
//   DENIED, c
