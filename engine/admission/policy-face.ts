// Policy face
//
// The engine's own face: tools by name, and the host's policies as its admission and its accounting. One face serves
// one wave, and the step before it where calls are offered while the model still streams; a call that was prepared when
// it was offered is not parsed again when the reply closes.
//
// Owns:      the prepared calls of a wave, the policies' accounting, the minting of tickets.
// Does not:  ask the policies about a call (ask-policies.ts), drive the stages (wave/) or run a tool (it hands out what its
//            host gave it to run tools with).
//
// Invariants:
//   P1. Policies admit in their listed order and account in reverse; the first that answers or refuses stands. One that
//       wants a person asked does not end the asking: nobody is troubled about a call that another policy refuses.
//   P2. A policy that throws ends its own call as POLICY_FAILED and nothing else.
//   P3. A schema runs once for a call, however often the call is offered unchanged.

import { PlacedCall, sameCall, type ToolCall } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { hint, isRead } from "../core/effect.js";
import { broken } from "../core/invariant.js";
import type { Invocable } from "../core/invocable.js";
import { POLICY_MS_MAX } from "../core/limits.js";
import { joinedKeys, type LockKeys } from "../core/lock-keys.js";
import type { Outcome } from "../core/outcome.js";
import { bounded, isThenable } from "../core/thenable.js";
import { isMinted, mintTicket, type Ticket } from "../core/ticket.js";
import { asksPeople, type Tool } from "../core/tool.js";
import type { ToolSet } from "../core/tool-set.js";
import type { Policy, PolicyView } from "../policy/policy.js";
import { type Asked, askPolicies, type Over } from "./ask-policies.js";
import type { Admitted, ToolMeta } from "./concurrent-invoke.js";
import { changedBy, policyFailed } from "./policy-answers.js";
import { type Beginning, beginningOf, heardAtBegin } from "./policy-begins.js";
import { tellAbsent } from "./policy-catch-up.js";
import { nameOfPolicy } from "./policy-names.js";
import { policyView } from "./policy-view.js";
import { type Prepared, prepareCall, type Ready, readyAgain } from "./prepare-call.js";
import type { AdmitsAs, AdmittedBefore, BeginsAs, CallsBelow, PreparingFace, ToldOf } from "./preparing-face.js";
import type { Rewritten } from "./rewritten.js";

export interface PolicyFaceParts {
	/** What its calls may name; `every` is what others may, where they are not offered less. Left out: the same. */
	readonly tools: ToolSet;
	readonly every?: ToolSet;
	readonly policies: readonly Policy[];
	readonly runId: string;
	readonly step: number;
	/** Whose calls its calls are; left out: nobody's. */
	readonly below?: CallsBelow | undefined;
	readonly clock: Clock;
	/** What starts early: reads that stay on this machine, any read, none. */
	readonly ahead: "local" | "any" | false;
	/** Whether a person can be asked. */
	readonly asks: boolean;
	/** What a tool runs on with its parsed arguments; `early` says that it starts before admission. */
	readonly place: (what: { tool: Tool; args: unknown; read: boolean }, early: boolean) => Invocable;
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
	/** The keys that a call took, by the call's index. */
	readonly #keys: (LockKeys | undefined)[] = [];
	readonly #accounting: readonly Policy[];
	readonly #beginning: readonly Beginning[];
	#segment = 0;

	constructor(parts: PolicyFaceParts) {
		this.#parts = parts;
		this.#beginning = beginningOf(parts.policies);
		this.#accounting = parts.policies.filter((policy) => policy.account !== undefined).reverse();
	}

	prepare(call: ToolCall, index: number): void | Promise<void> {
		const before = this.#calls[index];
		if (before !== undefined && sameCall(before, call)) return;
		const prepared = prepareCall(this.#parts.tools, call, this.#parts.clock);
		if (isThenable(prepared)) return prepared.then((value) => this.#know(call, index, value));
		this.#know(call, index, prepared);
	}

	segmentBegins(from: number): void {
		this.#segment = from;
	}

	#know(call: ToolCall, index: number, prepared: Prepared): void {
		this.#calls[index] = call;
		this.#prepared[index] = prepared;
	}

	#preparedOf(call: ToolCall): Prepared {
		const prepared = this.#prepared[PlacedCall.indexOf(call) ?? -1];
		if (prepared === undefined) broken("P3", `the call ${call.name} came to a stage without being prepared`);
		return prepared;
	}

	another(below: CallsBelow, offered?: ToolSet): PolicyFace {
		const { tools, every = tools } = this.#parts;
		return new PolicyFace({ ...this.#parts, tools: offered ?? every, every, below });
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
		if (!isRead(meta.effect) || alone || (outside && ahead !== "any") || asksPeople(tool)) return undefined;
		return place({ tool, args, read: true }, true);
	}

	admit(call: ToolCall, at: number, { resumed, over }: AdmitsAs = {}): Admitted<Ticket> | Promise<Admitted<Ticket>> {
		const prepared = this.#preparedOf(call);
		if (prepared.kind === "answered") return { answered: prepared.outcome };
		const index = PlacedCall.indexOf(call) ?? 0;
		const ticket = mintTicket(index, prepared);
		if (this.#parts.policies.length === 0) return { cleared: ticket };
		const view = this.#viewOf(prepared, index, at);
		this.#views[index] = view;
		const told = resumed === undefined ? view : { ...view, resumed };
		return askPolicies(this.#parts, { call, view: told, ticket, over });
	}

	#viewOf(prepared: Ready, index: number, at: number): PolicyView {
		const { runId, step, below } = this.#parts;
		return policyView(prepared, { runId, step, below, index, segment: this.#segment, at });
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
		const { meta } = prepared;
		const ticket = mintTicket(index, prepared);
		const inCallOrder = this.#parts.policies.some(({ admit, judgesFormAlone }) => admit && judgesFormAlone !== true);
		const admit = (at: number, over: Over): Admitted<Ticket> | Promise<Admitted<Ticket>> => {
			const view = { ...this.#viewOf(prepared, index, at), rewritten: true } as const;
			this.#rewrittenViews.set(ticket, view);
			return askPolicies(this.#parts, { call, view, ticket, over });
		};
		return { kind: "ready", meta, inCallOrder, admit };
	}

	reclear(call: ToolCall, { at, keys }: AdmittedBefore): Ticket {
		const index = PlacedCall.indexOf(call) ?? 0;
		const prepared = readyAgain(this.#preparedOf(call), call);
		this.#views[index] = this.#viewOf(prepared, index, at);
		this.#keys[index] = keys;
		return mintTicket(index, prepared);
	}

	async reclearForm(call: ToolCall, { at }: AdmittedBefore): Promise<Ticket> {
		const index = PlacedCall.indexOf(call) ?? 0;
		const prepared = readyAgain(await prepareCall(this.#parts.tools, call, this.#parts.clock), call);
		const ticket = mintTicket(index, prepared);
		this.#rewrittenViews.set(ticket, { ...this.#viewOf(prepared, index, at), rewritten: true });
		return ticket;
	}

	async catchUp(call: ToolCall, before: AdmittedBefore, then: ToldOf): Promise<boolean> {
		const { policies, tools, clock } = this.#parts;
		const prepared = then.rewritten === true ? await prepareCall(tools, call, clock) : this.#preparedOf(call);
		if (prepared.kind !== "ready") return false;
		const own = this.#viewOf(prepared, PlacedCall.indexOf(call) ?? 0, before.at);
		const form = then.rewritten === true ? { ...own, rewritten: true as const } : own;
		const resumed = then.isRecorded ? ("accounted" as const) : ("admitted" as const);
		const view = { ...form, resumed };
		return tellAbsent(
			{ policies, ...then },
			{ call, view: before.keys === undefined ? view : { ...view, keys: before.keys } },
		);
	}

	tookKeys(call: ToolCall, keys: LockKeys): void {
		if (this.#accounting.length === 0) return;
		const index = PlacedCall.indexOf(call) ?? 0;
		const before = this.#keys[index];
		this.#keys[index] = before === undefined ? keys : joinedKeys(before, keys);
	}

	keysOf(call: ToolCall): LockKeys | undefined {
		return this.#keys[PlacedCall.indexOf(call) ?? 0];
	}

	policyNames(): readonly string[] {
		return this.#parts.policies.filter(({ admit, account }) => admit ?? account).map(nameOfPolicy);
	}

	begins(call: ToolCall, ticket: Ticket, { as, over }: BeginsAs): undefined | Promise<Outcome | undefined> {
		const view = this.#rewrittenViews.get(ticket) ?? this.#views[ticket.index];
		if (view === undefined || this.#beginning.length === 0) return undefined;
		return heardAtBegin(this.#beginning, this.#parts.clock, { call, view: { ...view, ...as }, over });
	}

	tool(ticket: Ticket): Invocable {
		if (!isMinted(ticket)) broken("P1", `a ticket for call ${ticket.index} was not minted by admission`);
		return this.#parts.place(ticket, false);
	}

	account(call: ToolCall, ticket: Ticket, answered: Outcome): Outcome | Promise<Outcome> {
		const view = this.#rewrittenViews.get(ticket) ?? this.#views[ticket.index];
		if (view === undefined || this.#accounting.length === 0) return answered;
		const keys = this.#keys[ticket.index];
		return this.#tell({ call, view: keys === undefined ? view : { ...view, keys } }, answered, 0);
	}

	#tell(about: Accounted, answered: Outcome, from: number): Outcome | Promise<Outcome> {
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
						(value) => this.#tell(about, changedBy(policy, before, value), place + 1),
						(error: unknown) => this.#tell(about, policyFailed(policy, error), place + 1),
					);
				}
				outcome = changedBy(policy, outcome, said);
			} catch (error) {
				outcome = policyFailed(policy, error);
			}
		}
		return outcome;
	}
}

/** A call, and what accounting tells of it. */
type Accounted = Pick<Asked, "call" | "view">;
