// The gate of a step: shares together, an exclusive one alone, first come first served.

import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StepGate } from "../../engine/execution/step-gate.js";
import "../support/property-seed.js";

interface Entry {
	readonly exclusive: boolean;
	readonly abort: AbortController;
	state: "waiting" | "inside" | "over";
	release: (() => void) | undefined;
}

/** All entries in the order they asked; the checks look at nothing else. */
class GateWorld {
	readonly gate = new StepGate();
	readonly entries: Entry[] = [];

	enter(exclusive: boolean): void {
		const abort = new AbortController();
		const entry: Entry = { exclusive, abort, state: "waiting", release: undefined };
		this.entries.push(entry);
		const entered = exclusive ? this.gate.exclusive(abort.signal) : this.gate.share(abort.signal);
		entered.then(
			(release) => {
				entry.state = "inside";
				entry.release = release;
			},
			() => {
				entry.state = "over";
			},
		);
	}

	of(state: Entry["state"]): Entry[] {
		return this.entries.filter((entry) => entry.state === state);
	}

	leave(pick: number): void {
		const inside = this.of("inside");
		const entry = inside[pick % inside.length];
		if (entry === undefined) return;
		entry.state = "over";
		entry.release?.();
	}

	leaveAgain(pick: number): void {
		const over = this.of("over");
		over[pick % over.length]?.release?.();
	}

	abort(pick: number): void {
		const waiting = this.of("waiting");
		waiting[pick % waiting.length]?.abort.abort("enough");
	}

	/** An entry is inside exactly if nothing before it keeps it out. */
	check(): void {
		const alive = this.entries.filter(({ state }) => state !== "over");
		for (const [place, entry] of alive.entries()) {
			const keptOut = alive.slice(0, place).some((earlier) => earlier.exclusive || entry.exclusive);
			if (entry.state !== (keptOut ? "waiting" : "inside")) throw new Error(`entry ${place} is ${entry.state}`);
			const listeners = getEventListeners(entry.abort.signal, "abort").length;
			if (listeners !== (keptOut ? 1 : 0)) throw new Error(`entry ${place} left ${listeners} listeners`);
		}
	}
}

const told = async (): Promise<void> => {
	for (let turn = 0; turn < 3; turn += 1) await undefined;
};

describe("StepGate", () => {
	it("SG1, SG2: has inside exactly those whom nobody before them keeps out, whatever leaves or aborts", async () => {
		const step = fc.record({
			kind: fc.constantFrom("share", "share", "exclusive", "leave", "leave", "leaveAgain", "abort"),
			pick: fc.nat(9),
		});
		let waited = 0;
		const property = fc.asyncProperty(fc.array(step, { maxLength: 100, size: "max" }), async (steps) => {
			const world = new GateWorld();
			for (const { kind, pick } of steps) {
				if (kind === "share" || kind === "exclusive") world.enter(kind === "exclusive");
				else world[kind as "leave"](pick);
				await told();
				world.check();
				waited += world.of("waiting").length > 0 ? 1 : 0;
			}
			while (world.of("inside").length > 0) {
				world.leave(0);
				await told();
				world.check();
			}
			expect(world.of("waiting")).toEqual([]);
		});
		await fc.assert(property, { numRuns: 300 });
		expect(waited).toBeGreaterThan(1_000);
	}, 60_000);

	it("rejects with the reason, before and while waiting", async () => {
		const gate = new StepGate();
		await gate.exclusive();
		await expect(gate.share(AbortSignal.abort("before"))).rejects.toBe("before");
		const late = new AbortController();
		const waiting = gate.exclusive(late.signal);
		late.abort("while");
		await expect(waiting).rejects.toBe("while");
	});

	it("lets a call give up its share and run alone once those beside it are done", async () => {
		const gate = new StepGate();
		const [own, beside] = [await gate.share(), await gate.share()];
		own();
		let alone = false;
		const exclusive = gate.exclusive().then((release) => {
			alone = true;
			return release;
		});
		const after = gate.share();
		await told();
		expect(alone).toBe(false);
		beside();
		(await exclusive)();
		(await after)();
	});
});
