// A limit that calls which calls make keep together
//
// At most five pages are opened in a run. Two calls of one reply run at once and open pages of their own: what is left is
// shared between them, so that each may open as many whatever the other does meanwhile. `shares` leaves out the pages that
// the reply opens itself, which open none in their turn.

import process from "node:process";
import { createEngine, definePolicy, neverRan, runMemory, ToolCallError, tool } from "wavetrain";
import { z } from "zod";

interface Opened {
	/** Pages that were opened, and those of calls that run. */
	count: number;
}

function opensAtMost(limit: number) {
	const opened = runMemory<Opened, string>({
		make: () => ({ count: 0 }),
		absorb: (into, from) => {
			into.count += from.count;
		},
		hold: (state, name) => {
			if (name === "open") state.count += 1;
		},
		letGo: (state, name) => {
			if (name === "open") state.count -= 1;
		},
		shares: (name) => name !== "open",
	});
	return definePolicy({
		name: "opens-at-most",
		admit({ name }, view) {
			const seen = opened.enter(view);
			// The call has something held in the form that the model asked for.
			if (view.rewritten) return "clear";
			let most = limit;
			for (const { state, maker } of seen) {
				most = Math.max(0, most - state.count);
				if (maker) most = Math.floor(most / maker.sharing) + (maker.rank < most % maker.sharing ? 1 : 0);
			}
			if (name === "open" && most === 0)
				return { deny: { rule: "opens-at-most", violation: "All pages are opened.", alternative: "Go by those." } };
			opened.hold(view, name);
			return "clear";
		},
		account({ name }, outcome, view) {
			const counts = name === "open" && !neverRan(outcome);
			opened.accounted(view, outcome, counts ? (state) => (state.count += 1) : undefined);
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

const engine = createEngine({ tools: [open, research], policies: [opensAtMost(5)] });
const wave = [
	{ id: "", name: "research", args: { pages: ["a", "b", "c"] } },
	{ id: "", name: "research", args: { pages: ["d", "e", "f"] } },
	{ id: "", name: "open", args: { page: "g" } },
];
const { results } = await engine.executeWave(wave, { runId: "example", step: 0 });
for (const { outcome } of results) process.stdout.write(`${outcome.ok ? outcome.value : outcome.error.message}\n`);
await engine.close();

// Prints:
//   a, b, DENIED
//   d, e, DENIED
//   g
