// Policy face
//
// The engine's own face: tools by name, and the host's policies as its admission and its accounting. One face serves
// one wave, and the step before it where calls are offered while the model still streams; a call that was prepared when
// it was offered is not parsed again when the reply closes.
//
// Owns:      the prepared calls of a wave, the composition of policies, the minting of tickets.
// Does not:  drive the stages (wave/) or run a tool (it hands out what its host gave it to run tools with).
//
// Invariants:
//   P1. Policies admit in their listed order and account in reverse; the first verdict that is not 'clear' stands.
//   P2. A policy that throws ends its own call as POLICY_FAILED and nothing else.
//   P3. A schema runs once for a call, however often the call is offered unchanged.

import { PlacedCall, sameCall, type ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { hint, isRead } from "../core/effect.js";
import { invariant } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import type { LockKeys } from "../core/lock-keys.js";
import { causeOf, failed, isOutcome, type Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { bounded, isThenable } from "../core/thenable.js";
import { isMinted, mintTicket, type Ticket } from "../core/ticket.js";
import type { Tool } from "../core/tool.js";
import type { ToolSet } from "../core/tool-set.js";
import type { Policy, PolicyView, Verdict } from "../policy/policy.js";
import type { Admitted, ConcurrentInvoke, ToolMeta } from "./concurrent-invoke.js";
import { type Prepared, prepareCall, type Ready } from "./prepare-call.js";
import type { Rewritten } from "./rewritten.js";

export interface PolicyFaceParts {
	readonly tools: ToolSet;
	readonly policies: readonly Policy[];
	readonly runId: string;
	readonly step: number;
	readonly clock: Clock;
	/** What starts early: reads that stay on this machine, any read, none. */
	readonly ahead: "local" | "any" | false;
	/** What a tool runs on with its parsed arguments; `early` says that it starts before admission. */
	readonly place: (what: { tool: Tool; args: unknown; read: boolean }, early: boolean) => Invocable;
}

/** The part of a face that is the engine's own: calls are prepared before the stages, and some need none. */
export interface PreparingFace<T> extends ConcurrentInvoke<T> {
	prepare(call: ToolCall, index: number): void | Promise<void>;
	/** The outcome of a call that needs no tool, so that it never holds others back. */
	answeredWithout(call: ToolCall): Outcome | undefined;
	/** The arguments of a prepared call as its tool's schema read them; nothing for a call that is answered without one. */
	parsed(call: ToolCall): { readonly tool: Tool; readonly args: unknown } | undefined;
	/** The same face for another wave. */
	another(): PreparingFace<T>;
	/** A call that was cleared, in another form: worked out anew from its raw arguments. */
	rewrite(call: ToolCall): Rewritten<T> | Promise<Rewritten<T>>;
}

export function isPreparing<T>(face: ConcurrentInvoke<T>): face is PreparingFace<T> {
	return "prepare" in face && "answeredWithout" in face;
}

export class PolicyFace implements PreparingFace<Ticket> {
	readonly #parts: PolicyFaceParts;
	// Two lists by the call's index, rather than one of pairs: a long wave would keep a pair a call.
	readonly #calls: (ToolCall | undefined)[] = [];
	readonly #prepared: (Prepared | undefined)[] = [];
	/** Accounting reads the view that admission gave, by the call's index. */
	readonly #views: (PolicyView | undefined)[] = [];
	/** The views of other forms of calls, by the ticket that cleared the form. */
	readonly #rewrittenViews = new Map<Ticket, PolicyView>();
	/** The keys that a call's tool named, by the call's index. */
	readonly #keys: (LockKeys | undefined)[] = [];
	readonly #accounting: readonly Policy[];

	constructor(parts: PolicyFaceParts) {
		this.#parts = parts;
		this.#accounting = parts.policies.filter((policy) => policy.account !== undefined).reverse();
	}

	prepare(call: ToolCall, index: number): void | Promise<void> {
		const before = this.#calls[index];
		if (before !== undefined && sameCall(before, call)) return;
		const prepared = prepareCall(this.#parts.tools, call, this.#parts.clock);
		if (!isThenable(prepared)) {
			this.#know(call, index, prepared);
			return;
		}
		return prepared.then((value) => this.#know(call, index, value));
	}

	#know(call: ToolCall, index: number, prepared: Prepared): void {
		this.#calls[index] = call;
		this.#prepared[index] = this.#watched(prepared, index);
	}

	/** Policies are told at accounting which keys a call took; its tool is asked for them once, by whoever takes them. */
	#watched<One extends Prepared>(prepared: One, index: number): One {
		const lockKeys = prepared.meta?.lockKeys;
		if (prepared.kind !== "ready" || lockKeys === undefined || this.#accounting.length === 0) return prepared;
		const watched: typeof lockKeys = (context) => {
			const keys = lockKeys(context);
			const keep = (named: LockKeys): void => {
				this.#keys[index] = named;
			};
			// Kept before whoever asked goes on, because this reaction is the first; a rejection is theirs to handle.
			if (isThenable(keys)) keys.then(keep, () => undefined);
			else keep(keys);
			return keys;
		};
		return { ...prepared, meta: { ...prepared.meta, lockKeys: watched } };
	}

	#preparedOf(call: ToolCall): Prepared {
		const prepared = this.#prepared[PlacedCall.indexOf(call) ?? -1];
		invariant(prepared !== undefined, "P3", `the call ${call.name} came to a stage without being prepared`);
		return prepared;
	}

	another(): PolicyFace {
		return new PolicyFace(this.#parts);
	}

	parsed(call: ToolCall): { readonly tool: Tool; readonly args: unknown } | undefined {
		const prepared = this.#preparedOf(call);
		return prepared.kind === "ready" ? prepared : undefined;
	}

	answeredWithout(call: ToolCall): Outcome | undefined {
		const prepared = this.#preparedOf(call);
		return prepared.kind === "answered" ? prepared.outcome : undefined;
	}

	metaOf(call: ToolCall): ToolMeta | undefined {
		return this.#preparedOf(call).meta;
	}

	ahead(call: ToolCall): Invocable | undefined {
		const { ahead, place } = this.#parts;
		const prepared = this.#preparedOf(call);
		if (ahead === false || prepared.kind !== "ready") return undefined;
		const { tool, args, meta } = prepared;
		const outside = hint(tool.annotations, "openWorldHint");
		// What must have the step alone may not run beside the reads before it.
		const alone = meta.isConcurrencySafe !== true;
		if (!isRead(meta.effect) || alone || (outside && ahead !== "any")) return undefined;
		return place({ tool, args, read: true }, true);
	}

	admit(call: ToolCall, at: number): Admitted<Ticket> | Promise<Admitted<Ticket>> {
		const prepared = this.#preparedOf(call);
		if (prepared.kind === "answered") return { answered: prepared.outcome };
		const index = PlacedCall.indexOf(call) ?? 0;
		const ticket = ticketOf(prepared, index);
		if (this.#parts.policies.length === 0) return { cleared: ticket };
		const view = this.#viewOf(prepared, index, at);
		this.#views[index] = view;
		return this.#ask({ call, view, ticket }, 0);
	}

	rewrite(call: ToolCall): Rewritten<Ticket> | Promise<Rewritten<Ticket>> {
		const prepared = prepareCall(this.#parts.tools, call, this.#parts.clock);
		return isThenable(prepared)
			? prepared.then((value) => this.#rewritten(call, value))
			: this.#rewritten(call, prepared);
	}

	#rewritten(call: ToolCall, prepared: Prepared): Rewritten<Ticket> {
		if (prepared.kind === "answered") return prepared;
		const index = PlacedCall.indexOf(call) ?? 0;
		const { meta } = this.#watched(prepared, index);
		const ticket = ticketOf(prepared, index);
		const inCallOrder = this.#parts.policies.some((policy) => policy.admit && policy.judgesFormAlone !== true);
		const admit = (at: number): Admitted<Ticket> | Promise<Admitted<Ticket>> => {
			const view = { ...this.#viewOf(prepared, index, at), rewritten: true } as const;
			this.#rewrittenViews.set(ticket, view);
			return this.#ask({ call, view, ticket }, 0);
		};
		return { kind: "ready", meta, inCallOrder, admit };
	}

	#viewOf({ tool, args, meta }: Ready, index: number, at: number): PolicyView {
		const { runId, step } = this.#parts;
		const { annotations } = tool;
		const view = { runId, step, index, at, args, effect: meta.effect };
		return annotations === undefined ? view : { ...view, annotations };
	}

	/** Asks the policies from `from` on; goes on by promise only after one that answered by promise. */
	#ask(about: Asked, from: number): Admitted<Ticket> | Promise<Admitted<Ticket>> {
		const { policies, clock } = this.#parts;
		for (let place = from; place < policies.length; place += 1) {
			const policy = policies[place];
			if (policy?.admit === undefined) continue;
			try {
				const verdict = policy.admit(about.call, about.view);
				if (isThenable(verdict)) {
					const bound = { what: `the policy ${policy.name}`, limitMs: POLICY_MS_MAX, clock };
					return bounded(verdict, bound).then(
						(value) => answerOf(policy, value) ?? this.#ask(about, place + 1),
						(error: unknown) => ({ answered: policyFailed(policy, error) }),
					);
				}
				const answer = answerOf(policy, verdict);
				if (answer !== undefined) return answer;
			} catch (error) {
				// P2: the throw is the outcome of this call and of no other.
				return { answered: policyFailed(policy, error) };
			}
		}
		return { cleared: about.ticket };
	}

	tool(ticket: Ticket): Invocable {
		invariant(isMinted(ticket), "P1", `a ticket for call ${ticket.index} was not minted by admission`);
		return this.#parts.place(ticket, false);
	}

	account(call: ToolCall, ticket: Ticket, answered: Outcome): Outcome | Promise<Outcome> {
		const view = this.#rewrittenViews.get(ticket) ?? this.#views[ticket.index];
		if (view === undefined || this.#accounting.length === 0) return answered;
		const keys = this.#keys[ticket.index];
		return this.#tell({ call, view: keys === undefined ? view : { ...view, keys }, ticket }, answered, 0);
	}

	#tell(about: Asked, answered: Outcome, from: number): Outcome | Promise<Outcome> {
		let outcome = answered;
		for (let place = from; place < this.#accounting.length; place += 1) {
			const policy = this.#accounting[place];
			if (policy?.account === undefined) continue;
			try {
				const said = policy.account(about.call, outcome, about.view);
				if (isThenable(said)) {
					const before = outcome;
					const bound = { what: `the policy ${policy.name}`, limitMs: POLICY_MS_MAX, clock: this.#parts.clock };
					return bounded(said, bound).then(
						(value) => this.#tell(about, changed(policy, before, value), place + 1),
						(error: unknown) => this.#tell(about, policyFailed(policy, error), place + 1),
					);
				}
				outcome = changed(policy, outcome, said);
			} catch (error) {
				outcome = policyFailed(policy, error);
			}
		}
		return outcome;
	}
}

function ticketOf({ tool, args, meta }: Ready, index: number): Ticket {
	return mintTicket({ index, tool, args, read: isRead(meta.effect) });
}

interface Asked {
	readonly call: ToolCall;
	readonly view: PolicyView;
	readonly ticket: Ticket;
}

function answerOf(policy: Policy, verdict: Verdict): Admitted<Ticket> | undefined {
	if (verdict === "clear") return undefined;
	if (typeof verdict === "object" && verdict !== null) {
		if ("answer" in verdict && isOutcome(verdict.answer)) return { answered: verdict.answer };
		if ("deny" in verdict) return { answered: denied(verdict.deny) };
		if ("ask" in verdict) return { answered: nobodyToAsk(policy) };
	}
	return { answered: policyFailed(policy, new TypeError(`its verdict is ${showValue(verdict)}`)) };
}

function denied({ rule, violation, alternative }: { rule: string; violation: string; alternative: string }): Outcome {
	const details = { rule, violation, alternative };
	return failed("DENIED", { message: violation, recovery: alternative, details });
}

function nobodyToAsk(policy: Policy): Outcome {
	return denied({
		rule: "no-asker",
		violation: `The policy ${policy.name} wants a person asked, and nobody can be.`,
		alternative: "Do without the call, or leave it to a host that can ask a person.",
	});
}

// biome-ignore lint/suspicious/noConfusingVoidType: what a policy that only watches returns
function changed(policy: Policy, before: Outcome, said: Outcome | void): Outcome {
	if (said === undefined) return before;
	if (isOutcome(said)) return said;
	return policyFailed(policy, new TypeError(`it accounted ${showValue(said)}, which is no outcome`));
}

function policyFailed(policy: Policy, error: unknown): Outcome {
	const cause = causeOf(error);
	const message = `The policy ${policy.name} failed: ${cause.message}`;
	return failed("POLICY_FAILED", { message, cause, details: { policy: policy.name } });
}
