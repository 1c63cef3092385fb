// A face that answers nonsense costs the call it answered for, and nothing else: whatever it gives is read once and
// copied, so that no getter, circle or function of the host's can fail in a later stage.

import { describe, expect, it } from "vitest";
import type { ConcurrentInvoke } from "../../engine/admission/concurrent-invoke.js";
import { answered } from "../../engine/core/outcome.js";
import { executeConcurrent, memoryLedger, type ToolCall } from "../../engine/index.js";
import { canonical } from "../../engine/ledger/entry.js";
import { callsOf, entriesOf, shorts } from "../support/law-kit.js";

const circle = (): unknown => {
	const ring: Record<string, unknown> = {};
	ring.ring = ring;
	return ring;
};
const trapped = (): unknown => {
	const { proxy, revoke } = Proxy.revocable({}, {});
	revoke();
	return proxy;
};
const throwing = (field: string, rest: object = {}): object =>
	Object.defineProperty({ ...rest }, field, {
		enumerable: true,
		get: () => {
			throw new Error("a getter broke");
		},
	});
const error = { code: "TOOL_FAILED", message: "It failed.", recovery: "Go on without it." };

/** What is no outcome, whoever is asked for one. */
const NO_OUTCOMES: readonly (readonly [string, () => unknown])[] = [
	["nothing", () => undefined],
	["a number no JSON has", () => 1n],
	["an object without a prototype", () => Object.create(null)],
	["a circle", circle],
	["an object that cannot be read", trapped],
	["an outcome whose ok throws", () => throwing("ok")],
	["an outcome whose value throws", () => throwing("value", { ok: true })],
	["an error of no code", () => ({ ok: false, error: { ...error, code: "__proto__" } })],
	["an error whose cause throws", () => ({ ok: false, error: throwing("cause", error) })],
];

/** Outcomes whose value is no data. */
const NO_DATA: readonly (readonly [string, () => unknown])[] = [
	["a circle", circle],
	["a function", () => () => 1],
	["an object that cannot be read", trapped],
];

type Lie = (call: ToolCall) => unknown;

/** A face of reads in which the given members are replaced for the call `id-1`. */
function lying(member: "invoke" | "account" | "admit" | "tool" | "metaOf", lie: Lie): ConcurrentInvoke<ToolCall> {
	const said = <Value>(where: string, call: ToolCall, truth: Value): Value =>
		where === member && call.id === "id-1" ? (lie(call) as Value) : truth;
	return {
		metaOf: (call) => said("metaOf", call, { name: call.name, effect: "read" as const }),
		admit: (call) => said("admit", call, { cleared: call }),
		tool: (call) => said("tool", call, { invoke: () => said("invoke", call, answered(call.id)) }),
		account: (call, _ticket, outcome) => said("account", call, outcome),
	};
}

async function codesOf(face: ConcurrentInvoke<ToolCall>): Promise<string[]> {
	const ledger = memoryLedger();
	const wave = await executeConcurrent(face, callsOf("a 0", "a 1", "a 2"), { ledger });
	for (const entry of await entriesOf(ledger)) canonical(entry);
	return shorts(wave);
}

const only = (code: string): string[] => ['"id-0"', code, '"id-2"'];

describe("a face that lies", () => {
	describe.each(NO_OUTCOMES)("by %s", (_what, lie) => {
		it.each(["at once", "by a promise"])("%s in place of an outcome fails that call alone", async (how) => {
			const told: Lie = how === "at once" ? lie : async () => lie();
			expect(await codesOf(lying("invoke", told))).toEqual(only("TOOL_FAILED"));
			expect(await codesOf(lying("account", told))).toEqual(only("POLICY_FAILED"));
			expect(await codesOf(lying("admit", told))).toEqual(only("POLICY_FAILED"));
			const answering: Lie = how === "at once" ? () => ({ answered: lie() }) : async () => ({ answered: lie() });
			expect(await codesOf(lying("admit", answering))).toEqual(only("POLICY_FAILED"));
		});

		it("in place of what a call runs on, or of its registration, fails that call alone", async () => {
			expect(await codesOf(lying("tool", lie))).toEqual(only("POLICY_FAILED"));
			const isUnknown = lie() === undefined;
			expect(await codesOf(lying("metaOf", lie))).toEqual(only(isUnknown ? '"id-1"' : "POLICY_FAILED"));
		});
	});

	it.each(NO_DATA)(
		"about a value, which is %s, has an answer that is not data for that call alone",
		async (_what, lie) => {
			const outcome = { ok: true, value: lie() };
			for (const told of [() => outcome, async () => outcome]) {
				expect(await codesOf(lying("invoke", told))).toEqual(only("NOT_CLONEABLE"));
				expect(await codesOf(lying("account", told))).toEqual(only("NOT_CLONEABLE"));
				expect(await codesOf(lying("admit", async () => ({ answered: await told() })))).toEqual(only("NOT_CLONEABLE"));
			}
		},
	);

	it.each(NO_DATA)(
		"about an error's cause and details, which are %s, keeps the error without them",
		async (_what, lie) => {
			const outcome = { ok: false, error: { ...error, cause: lie(), details: lie() } };
			const wave = await executeConcurrent(
				lying("invoke", () => outcome),
				callsOf("a 0", "a 1"),
			);
			expect(wave.results[1]?.outcome).toEqual({ ok: false, error });
		},
	);

	it("by changing an outcome it gave changes nothing that was accounted", async () => {
		const value = { n: 1 };
		const face = lying("invoke", () => ({ ok: true, value }));
		const { results } = await executeConcurrent(face, callsOf("a 0", "a 1"));
		value.n = 2;
		expect(results[1]?.outcome).toEqual({ ok: true, value: { n: 1 } });
	});
});
