// The contract suite for faces: a good face passes it, and each way of being a bad one is found.

import { describe, expect, it } from "vitest";
import type { ConcurrentInvoke, Outcome, ToolCall } from "../../engine/index.js";
import { faceContract } from "../../engine/testing/index.js";
import { settled } from "../support/manual-clock.js";

const value = (answer: string): Outcome => ({ ok: true, value: answer });

/** Reads `look`, writes `put`, refuses `nothing`, knows no other; may be told to be wrong in one way. */
class Face implements ConcurrentInvoke<string> {
	#accounted = 0;

	metaOf({ name }: ToolCall): ReturnType<ConcurrentInvoke["metaOf"]> {
		if (name === "look" || name === "nothing") return { name, effect: "read" };
		return name === "put" ? { name, effect: "write" } : undefined;
	}

	admit({ name }: ToolCall): ReturnType<ConcurrentInvoke<string>["admit"]> {
		if (name === "look" || name === "put") return { cleared: name };
		const refused = { code: "DENIED" as const, message: `No ${name}.`, recovery: "Do without it." };
		return { answered: { ok: false, error: refused } };
	}

	tool(name: string): ReturnType<ConcurrentInvoke["tool"]> {
		return { invoke: ({ args }) => value(`${name} ${JSON.stringify(args)}`) };
	}

	account(_call: ToolCall, _name: string, answered: Outcome): Outcome {
		this.#accounted += 1;
		return answered;
	}

	get accounted(): number {
		return this.#accounted;
	}
}

const CALLS: readonly ToolCall[] = ["look", "look", "put", "look", "nothing", "unknown", "put"].map((name, index) => {
	return { id: `id-${index}`, name, args: { index } };
});

const under = (make: () => ConcurrentInvoke<string>) => ({ make, calls: CALLS });

/** The promises that a face does not keep, by name. */
async function brokenBy(make: () => ConcurrentInvoke<string>): Promise<string[]> {
	const broken: string[] = [];
	for (const { name, run } of faceContract(under(make))) await run().catch(() => broken.push(name));
	return broken;
}

describe("a face that keeps its promises", () => {
	for (const { name, run } of faceContract(under(() => new Face()))) it(name, run);
});

const ACCOUNTS = "accounts each call that it cleared once, in call order, and no other";
const OUTCOMES = "gives each call one outcome that says what to do next, in call order";

describe("a face that breaks one is found:", () => {
	let stamp = 0;
	const wrong: readonly [string, () => ConcurrentInvoke<string>, string][] = [
		[
			"its registrations change",
			() =>
				Object.assign(new Face(), {
					metaOf: (): ReturnType<ConcurrentInvoke["metaOf"]> => {
						stamp += 1;
						return { name: `look ${stamp}`, effect: "read" };
					},
				}),
			"says the same of a call as often as it is asked, and throws for none",
		],
		[
			"it throws for a tool that it does not know",
			() =>
				Object.assign(new Face(), {
					metaOf(call: ToolCall) {
						if (call.name !== "look") throw new Error("what is that");
						return { name: "look", effect: "read" as const };
					},
				}),
			"says the same of a call as often as it is asked, and throws for none",
		],
		[
			"its accounting throws",
			() =>
				Object.assign(new Face(), {
					account() {
						throw new Error("no");
					},
				}),
			OUTCOMES,
		],
		[
			"it answers with an error that has no recovery",
			() =>
				Object.assign(new Face(), {
					admit: () => ({ answered: { ok: false, error: { code: "DENIED", message: "No.", recovery: "" } } }),
				}),
			OUTCOMES,
		],
		[
			"what its tools answer depends on what was accounted meanwhile",
			() => {
				const face = new Face();
				const account = face.account.bind(face);
				return Object.assign(face, {
					account(call: ToolCall, ticket: string, answered: Outcome) {
						account(call, ticket, answered);
						return answered;
					},
					tool: (name: string) => ({
						async invoke() {
							await settled();
							return value(`${name} after ${face.accounted}`);
						},
					}),
				});
			},
			"writes the same lines whatever finishes first",
		],
		[
			"it starts a write early",
			() => Object.assign(new Face(), { ahead: () => ({ invoke: () => value("early") }) }),
			"starts nothing early but what reads",
		],
	];
	for (const [what, make, promise] of wrong) {
		it(what, async () => {
			expect(await brokenBy(make)).toContain(promise);
		});
	}

	it("and one that is right breaks none", async () => {
		expect(await brokenBy(() => new Face())).toEqual([]);
		expect(faceContract(under(() => new Face())).map(({ name }) => name)).toContain(ACCOUNTS);
	});
});
