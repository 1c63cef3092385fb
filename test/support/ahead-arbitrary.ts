// Ahead arbitrary
//
// Random replies as plain data: when each item comes, what turns out to have been something else, how the reply ends,
// how long its tools run, and who changes the world meanwhile.
//
// Owns:      the shape of a case and how likely each part is.
// Does not:  run one (ahead-driver.ts).

import fc from "fast-check";
import type { ReplyItem, ToolCall } from "../../engine/index.js";
import { WORLD_TOOLS, type WorldArgs } from "./ahead-world.js";

/** Somebody outside who changes a cell: under its key, held for a while, or where only a stamp shows it. */
export interface Outsider {
	readonly atMs: number;
	readonly cell: number;
	readonly kind: "keyed" | "stamped";
	readonly heldMs: number;
}

export interface AheadCase {
	readonly items: readonly { readonly atMs: number; readonly item: ReplyItem }[];
	readonly outsiders: readonly Outsider[];
	/** When the host settles. */
	readonly endedMs: number;
	readonly maxParallelToolCalls: number;
	readonly stopOnError: boolean;
}

interface CallSpec {
	readonly name: string;
	readonly cell: number;
	readonly runMs: number;
	readonly looks: WorldArgs["looks"];
	readonly waits: boolean;
	readonly gapMs: number;
	/** `other`: complete with arguments that are not those it closes with. `late`: closed without having been complete. */
	readonly fault: "none" | "other" | "late" | "refused";
}

const callSpecs: fc.Arbitrary<CallSpec> = fc.record({
	name: fc.oneof(
		{ weight: 4, arbitrary: fc.constantFrom("still", "keyed", "stamped", "alone") },
		{ weight: 2, arbitrary: fc.constantFrom<string>(...WORLD_TOOLS) },
	),
	cell: fc.nat(2),
	runMs: fc.constantFrom(0, 1, 5, 20, 60, 200),
	looks: fc.constantFrom<WorldArgs["looks"]>("at once", "at its end"),
	waits: fc.boolean(),
	gapMs: fc.constantFrom(0, 1, 10, 40),
	fault: fc.oneof(
		{ weight: 12, arbitrary: fc.constant("none" as const) },
		{ weight: 1, arbitrary: fc.constantFrom("other" as const, "late" as const, "refused" as const) },
	),
});

const outsiders: fc.Arbitrary<Outsider> = fc.record({
	atMs: fc.nat(160),
	cell: fc.nat(2),
	kind: fc.constantFrom("keyed" as const, "stamped" as const),
	heldMs: fc.constantFrom(0, 5, 50),
});

const ends = fc.oneof(
	{ weight: 8, arbitrary: fc.constant("good" as const) },
	{ weight: 1, arbitrary: fc.constantFrom("length" as const, "filtered" as const, "failed" as const, "none" as const) },
);

/** A random reply of at most eight calls, perhaps after an attempt at it that was restarted. */
export const aheadCases: fc.Arbitrary<AheadCase> = fc
	.record({
		before: fc.option(fc.array(callSpecs, { minLength: 1, maxLength: 3 }), { freq: 5 }),
		calls: fc.array(callSpecs, { maxLength: 8 }),
		end: ends,
		tailMs: fc.constantFrom(0, 5, 100),
		outsiders: fc.array(outsiders, { maxLength: 5 }),
		maxParallelToolCalls: fc.integer({ min: 1, max: 4 }),
		stopOnError: fc.boolean(),
	})
	.map(({ before, calls, end, tailMs, outsiders: outside, ...rest }) => {
		const writer = new ItemWriter();
		if (before !== null) {
			writer.write(before, 50);
			writer.add({ kind: "restart" });
		}
		writer.write(calls, 0);
		writer.wait(tailMs);
		if (end !== "none") writer.add({ kind: "end", good: end === "good", ...(end !== "good" && { cut: end }) });
		// Whoever changes the world does so before the wave could see it either way.
		const endedMs = Math.max(writer.atMs, ...outside.map(({ atMs }) => atMs)) + 1;
		return { items: writer.items, outsiders: outside, endedMs, ...rest };
	});

class ItemWriter {
	readonly items: { atMs: number; item: ReplyItem }[] = [];
	atMs = 0;

	wait(ms: number): void {
		this.atMs += ms;
	}

	add(item: ReplyItem): void {
		this.items.push({ atMs: this.atMs, item });
	}

	write(specs: readonly CallSpec[], firstNumber: number): void {
		for (const [index, spec] of specs.entries()) {
			this.wait(spec.gapMs);
			const call = callOf(spec, firstNumber + index);
			const named = { index, id: call.id, name: call.name };
			this.add({ kind: "call-started", ...named });
			this.wait(spec.gapMs);
			const complete =
				spec.fault === "other" ? callOf({ ...spec, cell: spec.cell + 1 }, firstNumber + index + 50) : call;
			if (spec.fault !== "late") {
				this.add({ kind: "call-complete", ...named, argsText: JSON.stringify(complete.args), call: complete });
			}
			this.wait(spec.gapMs);
			this.add({ kind: "call-closed", ...named, argsText: JSON.stringify(call.args), call });
		}
	}
}

function callOf({ name, cell, runMs, looks, waits, fault }: CallSpec, n: number): ToolCall {
	const args = { n, cell, runMs: fault === "refused" ? "long" : runMs, looks, waits };
	return { id: `call-${n}`, name, args };
}
