// Policy trees
//
// Calls that make calls, put through both halves of one policy without an engine: random trees as plain data, and what the
// policy says of each call where calls that are made together run at once, in the order that a scheduler picks, or one
// after another.
//
// Owns:      the trees, the views of their calls, both ways through.
// Does not:  know any policy or assert anything.

import fc from "fast-check";
import type { ToolCall } from "../../engine/core/call.js";
import { answered, failed, type Outcome } from "../../engine/core/outcome.js";
import type { Policy, PolicyView, Verdict } from "../../engine/index.js";

export interface Node {
	readonly name: string;
	readonly kind: "read" | "outside" | "write" | "send";
	readonly key: string | undefined;
	/** `stopped`: by a call before it, and where calls run at once its own may have run by then. */
	readonly ends: "well" | "badly" | "unknown" | "before its tool" | "stopped";
	/** A later policy refuses it. */
	readonly isLost: boolean;
	readonly waves: readonly Wave[];
}

/**
 * Calls that are made at once: as a segment of one wave, or each by itself, the later without waiting for the earlier; or
 * the third once the first was answered, while their maker has no answer of the second.
 */
export interface Wave {
	readonly as: "segment" | "each by itself" | "two chains";
	readonly nodes: readonly Node[];
}

/** Of the calls of a wave before the given one, those that their maker had not been answered when it made it. */
export function unansweredBefore({ as }: Wave, at: number): readonly number[] {
	if (as === "segment") return [];
	return as === "two chains" && at === 2 ? [1] : Array.from({ length: at }, (_one, before) => before);
}

/** Steps of a run, each with its segments. */
export type Tree = readonly (readonly Wave[])[];

const { effect: EFFECTS, ends: ENDS } = {
	effect: { read: "read", outside: "read", write: "write", send: "egress" },
	ends: {
		well: undefined,
		badly: failed("TOOL_FAILED", { message: "it failed" }),
		unknown: failed("OUTCOME_UNKNOWN", { message: "it timed out" }),
		stopped: failed("STOPPED_BY_ERROR", { message: "stopped" }),
		"before its tool": failed("ABORTED_BEFORE_DISPATCH", { message: "Aborted before dispatch" }),
	},
} as const;

function nodesOf(waves: fc.Arbitrary<readonly Wave[]>): fc.Arbitrary<Node> {
	return fc.record({
		name: fc.constantFrom("a", "b"),
		kind: fc.constantFrom("read", "read", "read", "outside", "write", "send"),
		key: fc.constantFrom("x", "y", undefined),
		ends: fc.oneof(
			{ weight: 20, arbitrary: fc.constant("well" as const) },
			{ weight: 3, arbitrary: fc.constantFrom("badly", "before its tool", "stopped") },
			{ weight: 1, arbitrary: fc.constant("unknown" as const) },
		),
		isLost: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
		waves,
	});
}

function wavesOf(node: fc.Arbitrary<Node>, as: fc.Arbitrary<Wave["as"]>, maxLength: number) {
	const wave = fc.record({ as, nodes: fc.array(node, { minLength: 1, maxLength: 3 }) });
	return fc.array(wave, { maxLength });
}

function treesWith(...ways: readonly Wave["as"][]): fc.Arbitrary<Tree> {
	const way = fc.constantFrom(...ways);
	const leaf = nodesOf(fc.constant([]));
	const inner = nodesOf(wavesOf(leaf, way, 2));
	const outer = nodesOf(fc.oneof(fc.constant([]), wavesOf(inner, way, 3)));
	return fc.array(wavesOf(outer, fc.constant("segment"), 3), { minLength: 1, maxLength: 3 });
}

export const trees: fc.Arbitrary<Tree> = treesWith("segment", "each by itself", "two chains");
/** Whose calls are all made by the waves of agents. */
export const treesOfWaves: fc.Arbitrary<Tree> = treesWith("segment");

/** What was said of each call that was asked about, by its step and its lineage, and how many ran. */
export interface Heard {
	readonly verdicts: ReadonlyMap<string, Verdict>;
	ran: number;
	/** Told after each admission, with how many have run or are cleared. */
	readonly mostAtOnce: number;
}

export async function goThrough(policy: Policy, tree: Tree, scheduler?: fc.Scheduler): Promise<Heard> {
	const going = new Going(policy, scheduler);
	for (const [step, waves] of tree.entries()) {
		let first = 0;
		for (const { nodes } of waves) {
			await going.segment(nodes, { step, first });
			first += nodes.length;
		}
	}
	return going.heard;
}

/** Where calls stand that were made at once. */
interface Below {
	readonly step: number;
	readonly path?: readonly number[];
	readonly first: number;
}

class Going {
	readonly #policy: Policy;
	readonly #scheduler: fc.Scheduler | undefined;
	readonly #verdicts = new Map<string, Verdict>();
	readonly #stopped = new Set<string>();
	#ran = 0;
	#open = 0;
	#most = 0;

	constructor(policy: Policy, scheduler: fc.Scheduler | undefined) {
		this.#policy = policy;
		this.#scheduler = scheduler;
	}

	get heard(): Heard {
		return { verdicts: this.#verdicts, ran: this.#ran, mostAtOnce: this.#most };
	}

	/** Admitted together, accounted in call order. */
	async segment(nodes: readonly Node[], below: Below): Promise<void> {
		const admitted = nodes.map((node, place) => {
			return this.#admit(node, { ...below, place, segment: below.first, unanswered: [] });
		});
		const running = admitted.map((one) => () => this.#work(one));
		if (this.#scheduler === undefined) {
			for (const [place, work] of running.entries()) this.#account(admitted[place], await work());
			return;
		}
		const ends = running.map((work) => work());
		for (const [place, end] of ends.entries()) this.#account(admitted[place], await end);
	}

	/** Each a wave of its own, made while those before it are not answered. */
	async #eachByItself(wave: Wave, below: Below): Promise<void> {
		const make = (place: number): (() => Promise<void>) => {
			const node = wave.nodes[place];
			if (node === undefined) return async () => undefined;
			const unanswered = unansweredBefore(wave, place).map((at) => below.first + at);
			const one = this.#admit(node, { ...below, place, segment: below.first + place, unanswered });
			return async () => this.#account(one, await this.#work(one));
		};
		const [first, second] = [make(0), make(1)];
		const third = async (): Promise<void> => make(2)();
		if (this.#scheduler === undefined) {
			for (const run of [first, second, third]) await run();
		} else if (wave.as === "two chains") {
			await Promise.all([first().then(third), second()]);
		} else {
			await Promise.all([first(), second(), third()]);
		}
	}

	#admit(node: Node, at: Below & { place: number; segment: number; unanswered: readonly number[] }): Admitted {
		const { step, path, first, place, segment, unanswered } = at;
		const lineage = path && [...path, first + place];
		const view: PolicyView = {
			runId: "run",
			step,
			index: lineage === undefined ? first + place : place,
			segment,
			...(lineage && { lineage }),
			...(unanswered.length > 0 && { unanswered: unanswered.map((index) => [index, index] as const) }),
			at: 0,
			args: {},
			effect: EFFECTS[node.kind],
			...(node.kind === "outside" && { annotations: { openWorldHint: true } }),
		};
		const call = { id: "", name: node.name, args: { key: node.key ?? "" } };
		const said = (this.#policy.admit?.(call, view) ?? "clear") as Verdict;
		const isCleared = said === "clear" && !node.isLost;
		// What a stopped call makes is of no run that nobody stopped.
		const counts = !this.#isBelowStopped(view);
		if (counts) this.#verdicts.set(placeIn(view), said);
		if (counts && isCleared) this.#open += 1;
		this.#most = Math.max(this.#most, this.#ran + this.#open);
		return { node, call, view, isCleared, counts };
	}

	async #work({ node, view, isCleared }: Admitted): Promise<Outcome> {
		if (!isCleared) return answered("not run");
		await this.#turn(`begin ${view.lineage ?? view.index}`);
		if (node.ends === "before its tool") return ENDS[node.ends];
		if (node.ends === "stopped") this.#stopped.add(placeIn(view));
		if (node.ends === "stopped" && this.#scheduler === undefined) return ENDS[node.ends];
		const { step } = view;
		const path = view.lineage ?? [view.index];
		let first = 0;
		for (const wave of node.waves) {
			if (wave.as === "segment") await this.segment(wave.nodes, { step, path, first });
			else await this.#eachByItself(wave, { step, path, first });
			first += wave.nodes.length;
		}
		await this.#turn(`end ${path}`);
		return ENDS[node.ends] ?? answered(`by ${step}: ${path}`);
	}

	#account(one: Admitted | undefined, outcome: Outcome): void {
		if (one === undefined || !one.isCleared) return;
		const { call, view, node, counts } = one;
		const isWrite = view.effect !== "read";
		const keys = node.key === undefined ? undefined : isWrite ? [node.key] : { read: [node.key] };
		if (counts) this.#open -= 1;
		if (counts && node.ends !== "before its tool" && node.ends !== "stopped") this.#ran += 1;
		void this.#policy.account?.(call, outcome, keys === undefined ? view : { ...view, keys });
	}

	#isBelowStopped({ step, lineage = [] }: PolicyView): boolean {
		return lineage.some((_index, depth) => this.#stopped.has(`${step}: ${lineage.slice(0, depth)}`));
	}

	async #turn(label: string): Promise<void> {
		await this.#scheduler?.schedule(Promise.resolve(), label);
	}
}

interface Admitted {
	readonly node: Node;
	readonly call: ToolCall;
	readonly view: PolicyView;
	readonly isCleared: boolean;
	/** Whether it is a call of the run as it would be one after another. */
	readonly counts: boolean;
}

function placeIn({ step, index, lineage = [index] }: PolicyView): string {
	return `${step}: ${lineage}`;
}
