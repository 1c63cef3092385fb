// The builders of outcomes: no error without a recovery sentence, nothing thrown that escapes.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALL_ERRORS, type ErrorCode } from "../../engine/core/call-codes.js";
import { EngineError } from "../../engine/core/errors.js";
import { InvariantError } from "../../engine/core/invariant.js";
import { CAUSE_DEPTH_MAX, MESSAGE_CHARS_MAX } from "../../engine/core/limits.js";
import { answered, causeOf, failed, isCallCode, isOutcome, type Outcome, threw } from "../../engine/core/outcome.js";

const codes = Object.keys(CALL_ERRORS) as ErrorCode[];

function errorOf(outcome: Outcome): Extract<Outcome, { ok: false }>["error"] {
	if (outcome.ok) throw new Error("the outcome is a value");
	return outcome.error;
}

function revoked(): object {
	const { proxy, revoke } = Proxy.revocable({}, {});
	revoke();
	return proxy;
}

describe("failed", () => {
	it.each(codes)("O1: gives an error %s the recovery sentence of its code", (code) => {
		expect(failed(code, { message: "m" })).toEqual({
			ok: false,
			error: { code, message: "m", recovery: CALL_ERRORS[code].recovery },
		});
	});

	it("O1: builds no error without a message or a recovery", () => {
		expect(() => failed("DENIED", { message: "" })).toThrow(InvariantError);
		expect(() => failed("DENIED", { message: "m", recovery: "" })).toThrow(/invariant O1/);
	});

	it("keeps the sentence, the cause and the details of a site that knows better", () => {
		const parts = { message: "m", recovery: "Do r.", cause: { name: "E", message: "c" }, details: { rule: "x" } };
		expect(errorOf(failed("DENIED", parts))).toEqual({ code: "DENIED", ...parts });
	});
});

describe("answered", () => {
	it.each([0, "", false, null])("takes the falsy value %j for an answer", (value) => {
		expect(answered(value)).toStrictEqual({ ok: true, value });
	});

	it("has no value for undefined", () => {
		expect(answered(undefined)).toStrictEqual({ ok: true });
	});

	it("names the path of what is not data", () => {
		expect(errorOf(answered({ rows: [Symbol("x")] }))).toMatchObject({
			code: "NOT_CLONEABLE",
			message: "The answer is not data at $.rows[0]: a symbol is not data.",
			details: { path: "$.rows[0]" },
		});
	});
});

describe("threw", () => {
	it("makes an outcome of anything that can be thrown", () => {
		// Made by a function each, because fast-check looks into the values it holds, and some of these bite.
		const hostile = [revoked, () => Symbol("s"), () => revoked, () => new Proxy({}, { get: revoked, has: () => true })];
		const parts = fc.record({
			name: fc.anything(),
			message: fc.anything(),
			cause: fc.anything(),
			stack: fc.anything(),
		});
		const anything = fc.oneof(fc.anything({ withBigInt: true, withNullPrototype: true }), parts);
		const make = fc.oneof(
			anything.map((value) => () => value),
			fc.constantFrom(...hostile),
		);
		fc.assert(
			fc.property(make, (thrown) => {
				const error = errorOf(threw(thrown()));
				expect(error.code).toBe("TOOL_FAILED");
				expect(error.message.length * error.recovery.length).toBeGreaterThan(0);
				expect(JSON.parse(JSON.stringify(error.cause))).toEqual(error.cause);
			}),
		);
	});

	it.each<[unknown, string]>([
		["", "The tool threw string without a message."],
		[undefined, "undefined"],
		[new TypeError("no such file"), "no such file"],
		[new RangeError(), "The tool threw RangeError without a message."],
		[{ status: 404 }, '{"status":404}'],
	])("says of %j: %s", (thrown, message) => {
		expect(errorOf(threw(thrown)).message).toBe(message);
	});

	it("keeps the code and the recovery of an engine's error that a call can end with", () => {
		const cycle = new EngineError("TOOL_LOCK_CYCLE", { action: "acquire", problem: "a circle", recovery: "Wait." });
		expect(errorOf(threw(cycle))).toMatchObject({ code: "TOOL_LOCK_CYCLE", recovery: "Wait." });
		const waits = 'a waits for "k" of b';
		expect(errorOf(threw(Object.assign(cycle, { circle: waits }))).details).toEqual({ circle: waits });
		const closed = new EngineError("ENGINE_CLOSED", { action: "call", problem: "closed" });
		expect(errorOf(threw(closed)).code).toBe("TOOL_FAILED");
	});
});

describe("causeOf", () => {
	it("keeps names, codes and the chain of causes", () => {
		const inner = Object.assign(new Error("inner"), { code: "ENOENT" });
		expect(causeOf(new TypeError("outer", { cause: inner }))).toMatchObject({
			name: "TypeError",
			message: "outer",
			stack: expect.stringContaining("TypeError: outer"),
			cause: { name: "Error", message: "inner", code: "ENOENT" },
		});
	});

	it("ends a chain of causes that leads back to itself, and cuts a message without end", () => {
		const circle = new Error("x".repeat(MESSAGE_CHARS_MAX + 1));
		circle.cause = circle;
		let cause = causeOf(circle);
		expect(cause.message).toHaveLength(MESSAGE_CHARS_MAX + 1);
		let depth = 0;
		for (; cause.cause !== undefined; depth += 1) cause = cause.cause;
		expect(depth).toBe(CAUSE_DEPTH_MAX);
	});
});

describe("isOutcome", () => {
	it.each(codes)("knows what failed() built with %s", (code) => {
		expect(isOutcome(failed(code, { message: "m" }))).toBe(true);
	});

	it.each<[string, unknown]>([
		["nothing", undefined],
		["a text", "ok"],
		["an unknown code", { ok: false, error: { code: "toString", message: "m", recovery: "r" } }],
		["an error without a recovery (O1)", { ok: false, error: { code: "DENIED", message: "m" } }],
		["an error without a message (O1)", { ok: false, error: { code: "DENIED", message: "", recovery: "r" } }],
		["a truthy ok", { ok: 1 }],
	])("refuses %s", (_, value) => {
		expect(isOutcome(value)).toBe(false);
	});

	it("takes no inherited name for a code", () => {
		expect(["constructor", "DENIED", 7].map(isCallCode)).toEqual([false, true, false]);
	});
});
