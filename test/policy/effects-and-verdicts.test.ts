// Every effect against every taint and every door: the verdicts of the two policies, compared with a few plain lines.

import { describe, expect, it } from "vitest";
import type { Effect, ToolAnnotations } from "../../engine/core/effect.js";
import { type DoorRule, doors, type EffectKind, type Policy, taint, type Verdict } from "../../engine/index.js";
import { called, viewOf } from "./policy-kit.js";

const EFFECTS: readonly Effect[] = [
	"read",
	"write",
	{ write: "notes" },
	{ write: "system" },
	"egress",
	{ connector: "mail" },
	{ connector: "bank" },
	"spawn",
	"govern",
];
const RULES: readonly DoorRule[] = ["allow", "deny", "ask"];

function kindOf(effect: Effect): EffectKind {
	return typeof effect === "string" ? effect : (Object.keys(effect)[0] as EffectKind);
}

function placeOf(effect: Effect): string {
	return typeof effect === "string" ? "" : String(Object.values(effect)[0]);
}

/** A verdict in one word: what it is, with the rule of a refusal. */
function word(verdict: Verdict | Promise<Verdict> | undefined): string {
	if (verdict === "clear") return "clear";
	if (typeof verdict !== "object" || "then" in verdict || "answer" in verdict)
		throw new Error("no such verdict is due");
	return "deny" in verdict ? `deny ${verdict.deny.rule}` : "ask";
}

function judged(policy: Policy, effect: Effect): string {
	return word(policy.admit?.(called("any"), viewOf({ effect, index: 9 })));
}

describe("taint, for every effect, source and table", () => {
	const sources: readonly {
		readonly effect: Effect;
		readonly annotations?: ToolAnnotations;
		readonly brings: string[];
	}[] = [
		{ effect: "read", brings: [] },
		{ effect: "write", annotations: { openWorldHint: false }, brings: [] },
		{ effect: "spawn", brings: [] },
		{ effect: "egress", brings: ["egress"] },
		{ effect: { connector: "mail" }, brings: ["connector(mail)"] },
		{ effect: "read", annotations: { openWorldHint: true }, brings: ["open-world"] },
		{ effect: "read", annotations: { open_world_hint: true }, brings: ["open-world"] },
		{ effect: "read", annotations: { taint: "web" }, brings: ["web"] },
		{ effect: "egress", annotations: { taint: ["web", "forum"] }, brings: ["egress", "web", "forum"] },
	];
	const tables: readonly (Record<string, readonly EffectKind[]> | readonly EffectKind[] | undefined)[] = [
		undefined,
		[],
		["write"],
		["read", "govern"],
		{ web: [], egress: ["spawn"] },
		{ "connector(mail)": ["connector", "write"], "open-world": ["egress"] },
	];
	const rows = sources.flatMap((source) => tables.map((closes) => ({ ...source, closes })));

	function expected({ brings, closes }: (typeof rows)[number], effect: Effect): string {
		const kind = kindOf(effect);
		const closedBy = (label: string): boolean => {
			const row = Array.isArray(closes) ? closes : (closes as Record<string, EffectKind[]> | undefined)?.[label];
			return row === undefined ? kind !== "read" : row.includes(kind);
		};
		return brings.some(closedBy) ? "deny taint" : "clear";
	}

	it(`agrees with the plain reading in all ${rows.length * EFFECTS.length} cases`, () => {
		for (const row of rows) {
			const policy = taint(row.closes === undefined ? {} : { closes: row.closes });
			const { effect: from, annotations } = row;
			const view = viewOf({ effect: from, ...(annotations && { annotations }) });
			expect(policy.account?.(called("source"), { ok: true, value: 1 }, view)).toBeUndefined();
			const verdicts = EFFECTS.map((effect) => judged(policy, effect));
			expect({ row, verdicts }).toEqual({ row, verdicts: EFFECTS.map((effect) => expected(row, effect)) });
		}
	});
});

describe("doors, for every effect and rule", () => {
	const kinds = ["write", "egress", "connector", "spawn", "govern"] as const;
	const plain = kinds.flatMap((kind) => RULES.map((rule) => ({ [kind]: rule })));
	const tables = RULES.flatMap((rule) => [
		{ write: { notes: rule } },
		{ write: { notes: rule, "*": "ask" as const } },
		{ connector: { mail: rule, bank: "allow" as const } },
	]);
	const defaults = { write: "allow", egress: "allow", connector: "ask", spawn: "ask", govern: "ask" };

	function expected(options: object, effect: Effect): string {
		const kind = kindOf(effect);
		if (kind === "read") return "clear";
		const given = { ...defaults, ...options }[kind] as DoorRule | Record<string, DoorRule>;
		const rule = typeof given === "string" ? given : (given[placeOf(effect)] ?? given["*"] ?? "deny");
		return rule === "allow" ? "clear" : rule === "deny" ? `deny door.${kind}` : "ask";
	}

	const rows = [{}, ...plain, ...tables];
	it(`agrees with the plain reading in all ${rows.length * EFFECTS.length} cases`, () => {
		for (const options of rows) {
			const verdicts = EFFECTS.map((effect) => judged(doors(options), effect));
			expect({ options, verdicts }).toEqual({ options, verdicts: EFFECTS.map((effect) => expected(options, effect)) });
		}
	});

	it.each(RULES)(
		"says %s of a secret that an egress or a connector would carry out, unless the door is closed",
		(secrets) => {
			const call = called("post", { body: `token ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}` });
			const judge = (options: object, effect: Effect) => {
				return word(doors({ ...options, secrets }).admit?.(call, viewOf({ effect, args: call.args })));
			};
			const said = secrets === "allow" ? "clear" : secrets === "deny" ? "deny door.secrets" : "ask";
			expect(judge({}, "egress")).toBe(said);
			expect(judge({ connector: "allow" }, { connector: "mail" })).toBe(said);
			expect(judge({ egress: "deny" }, "egress")).toBe("deny door.egress");
			expect(judge({}, "write")).toBe("clear");
		},
	);
});
