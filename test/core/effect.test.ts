// The closed union of effects, and how MCP hints in any spelling become one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Effect, effectName, effectOfAnnotations, hint, isEffect, isRead } from "../../engine/core/effect.js";

const effects: [Effect, string][] = [
	["read", "read"],
	["write", "write"],
	["egress", "egress"],
	["spawn", "spawn"],
	["govern", "govern"],
	[{ write: "notes" }, "write(notes)"],
	[{ connector: "mail" }, "connector(mail)"],
];

describe("an effect", () => {
	it.each(effects)("%j is shown as %s, and is a read only if it is 'read'", (effect, name) => {
		expect([isEffect(effect), effectName(effect), isRead(effect)]).toEqual([true, name, effect === "read"]);
	});

	it.each([
		["Read"],
		[""],
		[null],
		[undefined],
		[{}],
		[{ write: 1 }],
		[{ read: "x" }],
		[{ write: "a", connector: "b" }],
		[["read"]],
	])("%j is none", (value) => {
		expect(isEffect(value)).toBe(false);
	});
});

describe("hints", () => {
	it.each([
		["readOnlyHint", "read_only_hint"],
		["destructiveHint", "destructive_hint"],
		["idempotentHint", "idempotent_hint"],
		["openWorldHint", "open_world_hint"],
	] as const)("%s is understood as %s too", (name, snake) => {
		expect([hint({ [name]: true }, name), hint({ [snake]: true }, name)]).toEqual([true, true]);
		expect([hint({}, name), hint(undefined, name), hint({ [name]: false }, name)]).toEqual([false, false, false]);
	});

	it("hold only for a plain true", () => {
		fc.assert(
			fc.property(fc.anything(), fc.constantFrom("readOnlyHint", "read_only_hint"), (value, name) => {
				expect(effectOfAnnotations({ [name]: value })).toBe(value === true ? "read" : "write");
			}),
		);
	});

	it("that contradict each other mean a write, across spellings too", () => {
		expect(effectOfAnnotations({ readOnlyHint: true, destructiveHint: true })).toBe("write");
		expect(effectOfAnnotations({ readOnlyHint: true, destructive_hint: true })).toBe("write");
		expect(effectOfAnnotations({ readOnlyHint: true, read_only_hint: false })).toBe("write");
		expect(effectOfAnnotations({ readOnlyHint: true, destructiveHint: false })).toBe("read");
		expect(hint({ openWorldHint: false, open_world_hint: true }, "openWorldHint")).toBe(true);
		expect(hint({ idempotentHint: false, idempotent_hint: true }, "idempotentHint")).toBe(false);
	});

	it("that are missing mean a write", () => {
		expect([effectOfAnnotations(undefined), effectOfAnnotations({ title: "x" })]).toEqual(["write", "write"]);
	});
});
