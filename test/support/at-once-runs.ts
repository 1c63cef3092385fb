// At-once runs
//
// Nesting runs whose calls that call run beside each other, and a way through one in which a test says who goes on next:
// tools, schemas, models of agents and policies are held by hand.
//
// Owns:      those cases, that way, the kinds of trouble that a run met.
// Does not:  assert anything, pause or crash (nesting-engine.ts).

import fc from "fast-check";
import {
	createEngine,
	type EngineOptions,
	memoryLedger,
	type Policy,
	type PolicyView,
	type Verdict,
} from "../../engine/index.js";
import { HeldWork } from "./held-work.js";
import { ManualClock, settled } from "./manual-clock.js";
import { type NestingReading, readingOf } from "./nesting-engine.js";
import { memoFirst, nestingPolicies } from "./nesting-policies.js";
import { type Made, modelIn, type NestingRun, nestingTools } from "./nesting-runs.js";

const POLICIES = [
	"memory witness",
	"late",
	"memo",
	"taint",
	"table taint",
	"budget",
	"step budget",
	"reserving budget",
	"dedup",
] as const;

const READS = ["look", "look", "look", "peek", "slow", "page", "fail", "missing"];
const WRITES = ["put", "note", "save", "send"];

/** What a maker's calls may be. */
interface Inside {
	readonly reads: fc.Arbitrary<string>;
	readonly any: fc.Arbitrary<string>;
	readonly n: fc.Arbitrary<number>;
	/** The most groups of calls, or replies. */
	readonly most: number;
	/** Whether makers in their own code make several calls at once. */
	readonly atOnce: boolean;
}

const callsOf = (name: fc.Arbitrary<string>, { n }: Inside): fc.Arbitrary<Made> => fc.record({ name, n });

function groupsOf(inner: fc.Arbitrary<Made>, { most, atOnce }: Inside) {
	const group = fc.array(inner, { minLength: 1, maxLength: atOnce ? 3 : 1 });
	return fc.array(group, { minLength: 1, maxLength: most });
}

function fanOf(name: string, inner: fc.Arbitrary<Made>, inside: Inside): fc.Arbitrary<Made> {
	return fc.record({ name: fc.constant(name), n: inside.n, does: groupsOf(inner, inside) });
}

function agentOf(name: string, inner: fc.Arbitrary<Made>, { most, n }: Inside): fc.Arbitrary<Made> {
	const replies = fc.array(fc.array(inner, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: most });
	return fc.record({ name: fc.constant(name), n, replies });
}

/** Calls that call, over three levels, most of them such as may run beside each other. */
function makersOf(inside: Inside): fc.Arbitrary<Made> {
	const [read, any] = [callsOf(inside.reads, inside), callsOf(inside.any, inside)];
	const inner = { ...inside, most: 2 };
	const middle = fc.oneof(
		{ weight: 5, arbitrary: any },
		{ weight: 1, arbitrary: fanOf("fan", any, inner) },
		{ weight: 1, arbitrary: fanOf("scan", read, inner) },
		{ weight: 1, arbitrary: fanOf("nest", any, inner) },
		{ weight: 1, arbitrary: agentOf("crew", any, inner) },
	);
	return fc.oneof(
		{ weight: 3, arbitrary: fanOf("fan", middle, inside) },
		{ weight: 2, arbitrary: agentOf("crew", middle, inside) },
		{ weight: 1, arbitrary: fanOf("scan", read, inside) },
		{ weight: 1, arbitrary: agentOf("reader", read, inside) },
		{ weight: 1, arbitrary: any },
	);
}

/** The same where nothing writes: within a write nothing is answered from memory. */
function readersOf(inside: Inside): fc.Arbitrary<Made> {
	// The same calls more often.
	const read = callsOf(inside.reads, { ...inside, n: fc.nat(1) });
	const inner = fanOf("scan", read, { ...inside, most: 2 });
	const middle = fc.oneof({ weight: 4, arbitrary: read }, { weight: 1, arbitrary: inner });
	return fc.oneof(fanOf("scan", middle, inside), agentOf("reader", middle, inside), read);
}

function runsOf(inside: Inside): fc.Arbitrary<NestingRun> {
	const reply = fc.oneof(
		{ weight: 2, arbitrary: fc.array(makersOf(inside), { minLength: 1, maxLength: 4 }) },
		{ weight: 1, arbitrary: fc.array(readersOf(inside), { minLength: 1, maxLength: 4 }) },
	);
	return fc.record({
		replies: fc.array(reply, { minLength: 1, maxLength: 3 }),
		policies: fc.shuffledSubarray([...POLICIES], { minLength: 1 }).map(memoFirst),
		calls: fc.integer({ min: 2, max: 24 }),
		stopOnError: fc.boolean(),
		picks: fc.array(fc.nat(30), { minLength: 1, maxLength: 40 }),
		cut: fc.nat(1_000),
	});
}

const silent: Omit<Inside, "atOnce"> = {
	reads: fc.constantFrom(...READS),
	any: fc.constantFrom(...READS, ...READS, ...WRITES),
	n: fc.nat(2),
	most: 3,
};
const asking: typeof silent = {
	reads: fc.constantFrom(...READS, "ask", "ask"),
	any: fc.constantFrom(...READS, ...WRITES, "ask", "ask", "ask", "gated"),
	// All are approved: a call that was declined in a pause parts segments that it would not have parted before.
	n: fc.nat(1),
	most: 2,
};

export const atOnceRuns = runsOf({ ...silent, atOnce: true });
/** Whose calls ask people. */
export const askingAtOnce = runsOf({ ...asking, atOnce: true });
/** The same where tools make their calls in turn, so that an entry's place tells what was answered before it. */
export const askingInTurn = runsOf({ ...asking, atOnce: false });

/** How a run goes that is held by hand. */
export interface Way extends Pick<EngineOptions, "schedule" | "maxParallelToolCalls" | "ahead"> {
	/** Who goes on next among all that waits, by place, counted round; used again and again. */
	readonly picks: readonly number[];
}

export interface Held {
	readonly reading: NestingReading;
	readonly met: ReadonlySet<string>;
}

export async function heldRun(run: NestingRun, { picks, ...options }: Way): Promise<Held> {
	const ledger = memoryLedger();
	const held = new HeldWork();
	const watch = new MakerWatch();
	const engine = createEngine({
		...options,
		tools: nestingTools(held.hold),
		policies: [watch.policy, ...nestingPolicies(run, held.hold).map((policy) => watch.judged(policy))],
		ledger,
		clock: new ManualClock(),
		...(run.stopOnError && { onError: "stop" }),
	});
	let isOver = false;
	const read = async (): Promise<NestingReading> => {
		const result = await engine.run({ model: modelIn(run), input: "x", runId: "r" });
		const reading = await readingOf(result, ledger);
		// An early start that nobody wants any more is held too, and is waited for here.
		await engine.close();
		return reading;
	};
	const reading = read().finally(() => {
		isOver = true;
	});
	for (let turn = 0, idle = 0; !isOver; turn += 1) {
		await settled(1);
		idle = held.releaseAt(picks[turn % picks.length] ?? 0) === undefined ? idle + 1 : 0;
		if (idle > 100 && !isOver) throw new Error("nothing waits, and the run does not end");
	}
	const { outcomes } = await reading;
	if (outcomes.includes("STOPPED_BY_ERROR")) watch.met.add("stopped by an error");
	return { reading: await reading, met: watch.met };
}

/** From the first to the last that policies were told of the calls that one call made. */
interface Span {
	readonly first: number;
	last: number;
}

/** Looks at what policies are asked, and says which kinds of trouble there were. */
class MakerWatch {
	readonly met = new Set<string>();
	/** By the place of the call that made them, by where that call stands. */
	readonly #lines = new Map<string, Map<string, Span>>();
	#told = 0;

	readonly policy: Policy = {
		name: "watch",
		admit: (_call, view) => {
			this.#tell(view);
			return "clear";
		},
		account: (_call, _outcome, view) => this.#tell(view),
	};

	#tell({ step, lineage = [], unanswered }: PolicyView): void {
		if (lineage.length === 0) return;
		this.#told += 1;
		if (unanswered !== undefined) this.met.add("made beside an open one");
		const [line, maker] = [-2, -1].map((end) => `${step}:${lineage.slice(0, end).join(".")}`) as [string, string];
		const spans = this.#lines.get(line) ?? new Map<string, Span>();
		this.#lines.set(line, spans);
		const own = spans.get(maker) ?? { first: this.#told, last: 0 };
		spans.set(maker, own);
		own.last = this.#told;
		const others = [...spans.values()].filter((one) => one !== own && own.first < one.last);
		if (others.length > 0) this.met.add(lineage.length > 2 ? "makers at once, deep" : "makers at once");
	}

	/** The same policy, whose refusals and answers are counted. */
	judged(policy: Policy): Policy {
		const heard = (verdict: Verdict, view: PolicyView): Verdict => {
			const isBelow = view.lineage !== undefined;
			if (isBelow && verdict !== "clear") this.met.add(`${policy.name} ${"answer" in verdict ? "answers" : "refuses"}`);
			return verdict;
		};
		return {
			...policy,
			admit: (call, view) => {
				const verdict = policy.admit?.(call, view) ?? "clear";
				return verdict instanceof Promise ? verdict.then((one) => heard(one, view)) : heard(verdict, view);
			},
		};
	}
}
