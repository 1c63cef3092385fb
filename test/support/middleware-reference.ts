// Middleware reference
//
// The serial reference with middleware around each call, in straight lines from the laws: the layers one inside the other,
// behind them a form that is parsed and judged when it comes and run if nothing that may have changed something came
// before. Nothing waits, because nothing is beside anything.
//
// Owns:      the meaning of middleware in a serial run.
// Does not:  use anything of the engine but its contracts and builders, as the serial reference itself.

import type { ToolCall } from "../../engine/core/call.js";
import { isRead } from "../../engine/core/effect.js";
import { canonicalJson, type JsonObject } from "../../engine/core/json-value.js";
import { failed, isOutcome, type Outcome } from "../../engine/core/outcome.js";
import type { Tool } from "../../engine/core/tool.js";
import type { Middleware, WrappedCall } from "../../engine/index.js";
import type { EntryDraft } from "../../engine/ledger/entry.js";
import type { Policy } from "../../engine/policy/policy.js";
import {
	runSerially,
	type SerialFace,
	type SerialResult,
	type SerialWave,
	serialPolicyFace,
} from "./serial-reference.js";

type Prepared = ReturnType<SerialFace["prepare"]>;

interface Form {
	readonly prepared: Prepared;
	readonly ticket: unknown;
	readonly rewritten: boolean;
}

/** What a call was run as last. */
type Ran = Map<number, Form>;

export interface WrappedWave extends Omit<SerialWave, "face"> {
	readonly tools: readonly Tool[];
	readonly policies: readonly Policy[];
	readonly middleware: readonly Middleware[];
}

export async function runWrappedSerially(wave: WrappedWave): Promise<SerialResult> {
	const { tools, policies, middleware, ...rest } = wave;
	const plain = serialPolicyFace(tools, policies);
	const ran: Ran = new Map();
	const face: SerialFace = {
		...plain,
		run: (prepared, ticket) => {
			const asked = { prepared, ticket, rewritten: false };
			const tool = tools.find(({ name }) => name === prepared.call.name);
			const attempts = new Attempts({ face: plain, asked, ran, idempotent: tool?.idempotent === true });
			const { id, name, args } = prepared.call;
			const call = { id, name, args: args as JsonObject, runId: "serial", step: 0, index: prepared.index };
			return through(middleware, { call }, (form) => attempts.one(form));
		},
		account: (prepared, ticket, outcome) => {
			const form = ran.get(prepared.index) ?? { prepared, ticket };
			return plain.account(form.prepared, form.ticket, outcome);
		},
	};
	const result = await runSerially({ ...rest, face });
	return { ...result, entries: result.entries.map((entry) => withRanAs(entry, ran)) };
}

interface Layered {
	readonly call: WrappedCall;
	/** Who changed the arguments last. */
	readonly by?: string;
}

async function through(
	[own, ...inner]: readonly Middleware[],
	{ call, by }: Layered,
	attempt: (call: WrappedCall) => Promise<Outcome>,
): Promise<Outcome> {
	if (own === undefined) return blaming(by, await attempt(call));
	const details = { middleware: own.name };
	try {
		const outcome = await own.wrapToolCall(call, async (given = call) => {
			if (given.name !== call.name) return failed("INVALID_ARGUMENTS", { message: "another tool", details });
			if (given.args === call.args) return through(inner, { call, ...(by !== undefined && { by }) }, attempt);
			return through(inner, { call: { ...call, args: given.args as JsonObject }, by: own.name }, attempt);
		});
		if (isOutcome(outcome)) return outcome;
	} catch {
		// As an answer that is none.
	}
	return failed("POLICY_FAILED", { message: "it failed", details });
}

function blaming(by: string | undefined, outcome: Outcome): Outcome {
	if (by === undefined || outcome.ok || outcome.error.code !== "INVALID_ARGUMENTS") return outcome;
	return failed("INVALID_ARGUMENTS", { message: "refused", details: { middleware: by } });
}

interface AttemptsParts {
	readonly face: SerialFace;
	readonly asked: Form;
	readonly ran: Ran;
	readonly idempotent: boolean;
}

class Attempts {
	readonly #parts: AttemptsParts;
	readonly #forms = new Map<string, Form | { readonly refused: Outcome }>();
	#done: Outcome | undefined;

	constructor(parts: AttemptsParts) {
		this.#parts = parts;
		this.#forms.set(canonicalJson(parts.asked.prepared.call.args as JsonObject), parts.asked);
	}

	async one(call: ToolCall): Promise<Outcome> {
		const { face, asked, ran, idempotent } = this.#parts;
		const { index } = asked.prepared;
		const key = canonicalJson(call.args as JsonObject);
		const form = this.#forms.get(key) ?? (await this.#judged(call, index));
		this.#forms.set(key, form);
		if ("refused" in form) return form.refused;
		const changes = this.#changes(form);
		if (changes && !idempotent && this.#done !== undefined) return this.#done;
		const before = ran.get(index);
		if (before === undefined || changes || !this.#changes(before)) ran.set(index, form);
		const outcome = await face.run(form.prepared, form.ticket);
		if (changes && outcome.ok) this.#done = outcome;
		return outcome;
	}

	#changes({ prepared }: Form): boolean {
		return !isRead(prepared.registration?.effect ?? "write");
	}

	async #judged({ id, name, args }: ToolCall, index: number): Promise<Form | { readonly refused: Outcome }> {
		const prepared = this.#parts.face.prepare({ id, name, args }, index);
		if (prepared.answer !== undefined) return { refused: prepared.answer };
		const admitted = await this.#parts.face.admit(prepared);
		if ("answered" in admitted) return { refused: admitted.answered };
		return { prepared, ticket: admitted.cleared, rewritten: true };
	}
}

function withRanAs(entry: EntryDraft, ran: Ran): EntryDraft {
	const form = entry.kind === "tool_result" ? ran.get(entry.data.index as number) : undefined;
	if (form?.rewritten !== true) return entry;
	const { call, registration } = form.prepared;
	const ranAs = { args: call.args as JsonObject, effect: registration?.effect ?? "write" };
	return { ...entry, data: { ...entry.data, ranAs } };
}
