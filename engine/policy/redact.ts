// Redact
//
// History is kept longer, and read by more people, than a secret may be. Spans that look like one become markers before
// their entry reaches the ledger: in the model's reply, in a call's arguments and outcome, in a steer. Only the ledger is
// redacted. The model keeps what it asked for, or its next call could not use it; after a recovery it sees the marker.
//
// Owns:      the marker, and which arguments of a run's last reply hold nothing.
// Does not:  find secrets (secrets.ts) or stop one from leaving the machine (doors.ts).
//
// Invariants:
//   RE1. The same secret has the same marker wherever and whenever it is recorded with the same key.
//   RE2. An entry is not searched only if each of its texts was, in this entry or as the arguments of its reply.

import { createHmac } from "node:crypto";
import type { JsonObject } from "../core/json-value.js";
import type { KnownFields } from "../core/known-fields.js";
import { REDACT_CHARS_MAX, REDACT_RUNS_MAX } from "../core/limits.js";
import { showValue } from "../core/show-value.js";
import type { Policy } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { RunStates } from "./run-states.js";
import { mayHold } from "./secret-lines.js";
import { withoutSecrets } from "./secrets.js";

/**
 * How {@link redact} marks.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RedactOptions {
	/**
	 * Keeps a marker from being used to try out guesses of a short secret: whoever lacks the key cannot compute it. Ledgers
	 * that are to be compared need the same. Default: one that everybody knows.
	 */
	readonly key?: string;
}

const FIELDS: KnownFields<RedactOptions> = { key: true };

const KEY_OF_EVERYBODY = "wavetrain";
const DIGEST_CHARS = 12;

/**
 * Replaces secret-shaped spans of every entry by markers such as `[redacted:github:3f9a0c1d22ab]`: the kind of secret and
 * the beginning of its keyed digest, so that two places that held the same secret can still be told to.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option that does not exist, and a key that is no text.
 * @remarks Since 0.1.0.
 * @public
 */
export function redact(options: RedactOptions = {}): Policy {
	demandKnown(options, FIELDS);
	const { key = KEY_OF_EVERYBODY } = options;
	if (typeof key !== "string" || key === "") refuse(`key is ${showValue(key)}, not a text`);
	// RE1: nothing but the key, the kind and the secret goes into the digest.
	const marker = (kind: string, secret: string): string => {
		const digest = createHmac("sha256", key).update(`${kind}\n${secret}`).digest("hex");
		return `[redacted:${kind}:${digest.slice(0, DIGEST_CHARS)}]`;
	};
	// A call's arguments stand in the reply and in the call's own entry: the same text, which is searched once.
	const clean = new RunStates<Clean>(() => ({ args: [] }), REDACT_RUNS_MAX);
	return {
		name: "redact",
		record({ kind, runId, data }) {
			if (kind === "tool_called" && isClean(data, clean.known(runId))) return data;
			const kept = withoutSecrets(data, marker);
			if (kind === "model_returned") clean.of(runId).args = kept === data ? argsIn(data) : [];
			return kept;
		},
	};
}

/** The arguments of the run's last reply by the calls' places, if nothing was found in it. */
interface Clean {
	args: readonly string[];
}

function argsIn({ calls }: JsonObject): readonly string[] {
	if (!Array.isArray(calls)) return [];
	const args = calls.map((call: JsonObject) => (typeof call.args === "string" ? call.args : ""));
	return args.reduce((chars, { length }) => chars + length, 0) <= REDACT_CHARS_MAX ? args : [];
}

/** RE2: whether the entry's arguments are such a reply's, and nothing else that stands in it could hold anything. */
function isClean({ args, ...rest }: JsonObject, clean: Clean | undefined): boolean {
	const isReplys = typeof args === "string" && args !== "" && clean?.args[Number(rest.index)] === args;
	return isReplys && !mayHold(rest);
}
