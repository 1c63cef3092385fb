// The shared cells: of the two sides that move one phase, exactly one gets through.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallCells } from "../../workers/call-cells.js";

describe("a call's cell", () => {
	it("U1: whatever host and thread do in whatever order, the call is begun or withdrawn, never both", () => {
		const move = fc.constantFrom("withdraw", "withdrawUnclaimed", "load", "begin", "refuse");
		fc.assert(
			fc.property(fc.array(move, { maxLength: 8 }), (moves) => {
				const host = new CallCells();
				const thread = new CallCells(host.memory);
				const cell = host.hand() ?? -1;
				const won = moves.filter((name) => {
					const side = name.startsWith("withdraw") ? host : thread;
					return side[name](cell);
				});
				const isWithdrawn = won.some((name) => name.startsWith("withdraw"));
				const isAnswered = won.includes("begin") || won.includes("refuse");
				expect(isWithdrawn && isAnswered).toBe(false);
				expect(won.filter((name) => name !== "load").length).toBeLessThanOrEqual(1);
			}),
		);
	});

	it("U2: is not given out again before it was freed", () => {
		const cells = new CallCells();
		const given = new Set<number>();
		for (let cell = cells.hand(); cell !== undefined; cell = cells.hand()) given.add(cell);
		const [one = -1, other = -1] = given;
		expect(cells.withdraw(one)).toBe(true);
		expect(cells.hand()).toBeUndefined();
		cells.free(one);
		expect(cells.hand()).toBe(one);
		expect(() => cells.free(other)).toThrow("U2");
	});

	it("is handed without the cancel flag of the call before", () => {
		const cells = new CallCells();
		const cell = cells.hand() ?? -1;
		expect(cells.begin(cell)).toBe(true);
		cells.cancel(cell);
		expect(cells.isCancelled(cell)).toBe(true);
		cells.free(cell);
		expect(cells.hand()).toBe(cell);
		expect(cells.isCancelled(cell)).toBe(false);
	});
});
