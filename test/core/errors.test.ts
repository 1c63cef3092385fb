// Both tables of codes, and the error that this package throws.

import { describe, expect, it } from "vitest";
import { CALL_ERRORS } from "../../engine/core/call-codes.js";
import { ENGINE_ERRORS, type EngineErrorCode } from "../../engine/core/engine-codes.js";
import { EngineError, isEngineError } from "../../engine/core/errors.js";
import { invariant } from "../../engine/core/invariant.js";
import { showValue } from "../../engine/core/show-value.js";

const rows = [...Object.entries(CALL_ERRORS), ...Object.entries(ENGINE_ERRORS)];

describe("the tables of codes", () => {
	it.each(rows)("E1: %s has a meaning, and a recovery that is a sentence", (code, { meaning, recovery }) => {
		expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
		expect(meaning).toMatch(/^[a-z].+[^.]$/);
		expect(recovery).toMatch(/^[A-Z].+\.$/);
	});

	it("says of a code that is in both the same about repeating", () => {
		const both = Object.entries(ENGINE_ERRORS).filter(([code]) => Object.hasOwn(CALL_ERRORS, code));
		expect(both.map(([, row]) => row.retry)).toEqual(
			both.map(([code]) => CALL_ERRORS[code as "TOOL_LOCK_CYCLE"].retry),
		);
	});
});

describe("EngineError", () => {
	it.each(Object.keys(ENGINE_ERRORS) as EngineErrorCode[])(
		"says with %s what failed, what was wrong and what to do",
		(code) => {
			const cause = new Error("below");
			const error = new EngineError(code, { action: "do this", problem: "that was wrong", cause });
			const { recovery, retry } = ENGINE_ERRORS[code];
			expect(error.message).toBe(`Could not do this: that was wrong. ${recovery}`);
			expect(error).toMatchObject({
				name: "EngineError",
				code,
				errorCode: code,
				action: "do this",
				recovery,
				retry,
				cause,
			});
		},
	);

	it("takes the sentence of a site that knows better", () => {
		const error = new EngineError("INVALID_OPTIONS", { action: "a", problem: "b", recovery: "Do c." });
		expect([error.recovery, error.message]).toEqual(["Do c.", "Could not a: b. Do c."]);
	});

	it("is recognised by its mark and not by its class, so that two copies of the package know each other's", () => {
		const error = new EngineError("STEP_CLOSED", { action: "a", problem: "b" });
		const ofAnotherCopy = Object.defineProperty(new Error("x"), Symbol.for("wavetrain.EngineError"), { value: true });
		expect([error, ofAnotherCopy].map(isEngineError)).toEqual([true, true]);
		expect([new Error("x"), { code: "STEP_CLOSED" }, null, "STEP_CLOSED"].map(isEngineError)).toEqual([
			false,
			false,
			false,
			false,
		]);
	});

	it("keeps its mark out of what is copied and printed", () => {
		const error = new EngineError("STEP_CLOSED", { action: "a", problem: "b" });
		expect(Object.getOwnPropertySymbols({ ...error })).toEqual([]);
	});
});

describe("invariant", () => {
	it("throws only what names the broken invariant", () => {
		expect(() => invariant(true, "R1", "fine")).not.toThrow();
		expect(() => invariant(false, "R1", "index 3 came twice")).toThrow(
			"wavetrain broke its own invariant R1: index 3 came twice. Please report this with the stack below.",
		);
	});
});

describe("showValue", () => {
	it("cuts a long text and says how much is left out", () => {
		expect(showValue("x".repeat(200))).toBe(`"${"x".repeat(200)}"`);
		expect(showValue("x".repeat(201))).toBe(`"${"x".repeat(200)}"... 1 more character`);
		expect(showValue("x".repeat(1_000_200))).toBe(`"${"x".repeat(200)}"... 1000000 more characters`);
	});

	it.each<[unknown, string]>([
		["text", '"text"'],
		[undefined, "undefined"],
		[12n, "12n"],
		[new TypeError("bad"), "TypeError: bad"],
		[{ a: [1, { b: 2 }] }, "{ a: [ 1, [Object] ] }"],
		[Object.create(null), "[Object: null prototype] {}"],
	])("shows %o in one line", (value, text) => {
		expect(showValue(value)).toBe(text);
	});

	it("never throws", () => {
		const hostile = Object.defineProperty(new Error("x"), "message", {
			get() {
				throw new Error("no");
			},
		});
		expect(showValue(hostile)).toBe("a value that cannot be read");
	});
});
