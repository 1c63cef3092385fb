// Doors
//
// One rule for each effect that is not a read. A call stands before the door of its effect, as the tool declared it for
// these arguments, and is let through, refused, or asked about. What leaves the machine is looked at for secrets first:
// the arguments of an egress or of a connector are what the world would be told.
//
// Owns:      the doors, their defaults, the look at outgoing arguments.
// Does not:  ask anybody (a verdict does) or hold the key of a door open for later calls.

import type { ToolCall } from "../core/call.js";
import { type Effect, effectName } from "../core/effect.js";
import type { KnownFields } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";
import { type EffectKind, kindOf } from "./effect-kind.js";
import type { Policy, PolicyView, Verdict } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { secretKindsIn } from "./secrets.js";

/**
 * What a door does with a call: lets it through, refuses it, or has a person asked.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type DoorRule = "allow" | "deny" | "ask";

/**
 * The rule of each door.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface DoorsOptions {
	/** For every write, or a table by area; an area that it does not name, and a write without one, has its `'*'`, else `'deny'`. Default `'allow'`. */
	readonly write?: DoorRule | Readonly<Record<string, DoorRule>>;
	/** For every connector, or a table by label; one that it does not name has its `'*'`, else `'deny'`. Default `'ask'`. */
	readonly connector?: DoorRule | Readonly<Record<string, DoorRule>>;
	/** Default `'allow'`. */
	readonly egress?: DoorRule;
	/** Default `'ask'`. */
	readonly spawn?: DoorRule;
	/** Default `'ask'`. */
	readonly govern?: DoorRule;
	/** For a call of an egress or a connector whose arguments hold what looks like a secret. Default `'deny'`. */
	readonly secrets?: DoorRule;
}

const FIELDS: KnownFields<DoorsOptions> = {
	write: true,
	connector: true,
	egress: true,
	spawn: true,
	govern: true,
	secrets: true,
};

type DoorName = Exclude<EffectKind, "read">;
type Table = ReadonlyMap<string, DoorRule>;

const DEFAULTS: Readonly<Record<DoorName | "secrets", DoorRule>> = {
	write: "allow",
	connector: "ask",
	egress: "allow",
	spawn: "ask",
	govern: "ask",
	secrets: "deny",
};

const RULES: readonly unknown[] = ["allow", "deny", "ask"];
const ANY = "*";

/**
 * Lets calls through by their effect. Reads pass; a refusal is `DENIED` by the rule `door.<effect>`, or `door.secrets` for
 * arguments that would carry a secret out; a door that asks has a person asked.
 *
 * @throws EngineError `INVALID_OPTIONS` for a door or a rule that does not exist.
 * @remarks Since 0.1.0.
 * @public
 */
export function doors(options: DoorsOptions = {}): Policy {
	const tables = tablesOf(options);
	const secrets = tables.secrets.get(ANY) ?? DEFAULTS.secrets;
	return {
		name: "doors",
		judgesFormAlone: true,
		admit(call, view) {
			const kind = kindOf(view.effect);
			if (kind === "read") return "clear";
			const rule = ruleFor(view.effect, tables[kind]);
			if (rule === "deny") return closed(kind, view.effect);
			const leaves = kind === "egress" || kind === "connector";
			const carried = leaves && secrets !== "allow" ? carriedBy(call, view) : [];
			if (carried.length > 0 && secrets === "deny") return carriesSecrets(call, carried);
			return rule === "ask" || carried.length > 0 ? question({ call, view, kind, carried }) : "clear";
		},
	};
}

function ruleFor(effect: Effect, table: Table): DoorRule {
	return table.get(placeOf(effect)) ?? table.get(ANY) ?? "deny";
}

/** The area or the connector's label. */
function placeOf(effect: Effect): string {
	if (typeof effect === "string") return "";
	return "write" in effect ? effect.write : effect.connector;
}

// What the tool gets is what its schema made of the arguments; what the model wrote may have been taken apart by that.
function carriedBy(call: ToolCall, view: PolicyView): readonly string[] {
	const [parsed, written] = [secretKindsIn(view.args), secretKindsIn(call.args)];
	return parsed.length + written.length === 0 ? parsed : [...new Set([...parsed, ...written])];
}

function closed(kind: DoorName, effect: Effect): Verdict {
	return {
		deny: {
			rule: `door.${kind}`,
			violation: `The door for ${effectName(effect)} is closed.`,
			alternative: "Do without this effect, or ask whoever runs this host to open the door for it.",
		},
	};
}

function carriesSecrets({ name }: ToolCall, carried: readonly string[]): Verdict {
	return {
		deny: {
			rule: "door.secrets",
			violation: `The arguments of ${name} would carry out what looks like a secret (${carried.join(", ")}).`,
			alternative: "Send the call again without the secret; name where it is kept instead.",
		},
	};
}

interface Question {
	readonly call: ToolCall;
	readonly view: PolicyView;
	readonly kind: DoorName;
	readonly carried: readonly string[];
}

function question({ call, view, kind, carried }: Question): Verdict {
	const secrets = carried.length === 0 ? {} : { secrets: carried };
	return { ask: { kind: "door", door: kind, tool: call.name, effect: effectName(view.effect), ...secrets } };
}

function tablesOf(options: DoorsOptions): Readonly<Record<DoorName | "secrets", Table>> {
	demandKnown(options, FIELDS);
	const names = Object.keys(DEFAULTS) as (DoorName | "secrets")[];
	const tables = names.map((name) => [name, tableOf(name, options[name] ?? DEFAULTS[name])] as const);
	return Object.fromEntries(tables) as Record<DoorName | "secrets", Table>;
}

function tableOf(name: DoorName | "secrets", rules: DoorRule | Readonly<Record<string, DoorRule>>): Table {
	if (typeof rules === "string") return new Map([[ANY, checked(rules, name)]]);
	if (typeof rules !== "object" || rules === null || (name !== "write" && name !== "connector")) {
		refuse(`${name} is ${showValue(rules)}, none of ${RULES.join(", ")}`);
	}
	return new Map(Object.entries(rules).map(([place, rule]) => [place, checked(rule, `${name}.${place}`)]));
}

function checked(rule: unknown, option: string): DoorRule {
	return RULES.includes(rule)
		? (rule as DoorRule)
		: refuse(`${option} is ${showValue(rule)}, none of ${RULES.join(", ")}`);
}
