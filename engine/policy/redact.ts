// Redact
//
// History is kept longer, and read by more people, than a secret may be. Spans that look like one become markers before
// their entry reaches the ledger: in the model's reply, in a call's arguments and outcome, in a steer. Only the ledger is
// redacted. The model keeps what it asked for, or its next call could not use it; after a recovery it sees the marker.
//
// Owns:      the marker.
// Does not:  find secrets (secrets.ts) or stop one from leaving the machine (doors.ts).
//
// Invariants:
//   RE1. The same secret has the same marker wherever and whenever it is recorded with the same key.

import { createHmac } from "node:crypto";
import type { JsonObject } from "../core/json-value.js";
import type { KnownFields } from "../core/known-fields.js";
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
	const searched = new RunStates<Searched>(() => ({ calls: NO_CALLS }));
	return {
		name: "redact",
		record({ kind, runId, data }) {
			if (kind === "tool_called" && isSearched(data, searched.known(runId))) return data;
			const kept = withoutSecrets(data, marker);
			if (kind === "model_returned") searched.of(runId).calls = kept === data ? callsIn(data) : NO_CALLS;
			return kept;
		},
	};
}

/** The calls of the run's last reply, if nothing was found in them. */
interface Searched {
	calls: readonly JsonObject[];
}

const NO_CALLS: readonly JsonObject[] = [];

function callsIn({ calls }: JsonObject): readonly JsonObject[] {
	return Array.isArray(calls) ? (calls as readonly JsonObject[]) : NO_CALLS;
}

/** Whether the arguments are the reply's, and nothing else of the entry could hold anything. */
function isSearched(data: JsonObject, searched: Searched | undefined): boolean {
	const { index, args } = data;
	if (typeof args !== "string" || searched?.calls[Number(index)]?.args !== args) return false;
	return Object.keys(data).every((name) => name === "args" || !(mayHold(name) || mayHold(data[name])));
}
