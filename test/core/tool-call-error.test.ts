// What a caught or uncaught error of this package looks like: its words once, and what was thrown as an error.

import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createEngine, EngineError, ToolCallError, tool } from "../../engine/index.js";
import { anything } from "../support/law-kit.js";

class OutOfInk extends Error {
	override readonly name = "OutOfInk";
	readonly code = "E_INK";
}

const execute = (): never => {
	throw new OutOfInk("no ink is left", { cause: new TypeError("the tank is empty") });
};

async function refused(): Promise<ToolCallError> {
	const print = tool({ name: "print", parameters: anything, effect: "read", execute });
	const engine = createEngine({ tools: [print] });
	const error = await engine.invokeTool("print", {}).catch((thrown: unknown) => thrown);
	await engine.close();
	if (!(error instanceof ToolCallError)) throw new Error("it was not refused");
	return error;
}

describe("a ToolCallError", () => {
	it("is printed with its words once, and then what the tool threw as an error of its own", async () => {
		const shown = inspect(await refused());
		// Its own headline, then that of its cause, whose stack stands under it.
		expect(shown.match(/^.*no ink is left.*$/gm)).toEqual([
			expect.stringMatching(/^ToolCallError: Could not run the tool print: no ink is left\. /),
			expect.stringMatching(/^ {2}\[cause\]: OutOfInk: no ink is left$/),
		]);
		expect(shown.match(/the tank is empty/g)).toHaveLength(1);
	});

	it("holds the outcome, and what the tool threw with its name, code, stack and cause", async () => {
		const { outcome, cause } = await refused();
		expect(outcome).toMatchObject({ ok: false, error: { code: "TOOL_FAILED", message: "no ink is left" } });
		expect(cause).toBeInstanceOf(Error);
		expect(cause).toMatchObject({ name: "OutOfInk", message: "no ink is left", code: "E_INK" });
		expect((cause as Error).stack).toContain("tool-call-error.test.ts");
		expect((cause as Error).cause).toMatchObject({ name: "TypeError", message: "the tank is empty" });
	});
});

describe("an EngineError", () => {
	it("says nothing of a cause where there is none", () => {
		const error = new EngineError("ENGINE_CLOSED", { action: "run a wave", problem: "it is over" });
		expect(inspect(error)).not.toContain("cause");
		expect("cause" in error).toBe(false);
	});
});
