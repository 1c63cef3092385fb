// Workload replies
//
// Replies drawn from a profile with a seed of their own, and the least that any lawful schedule could wait for one.
//
// The bound: every call runs for its own time, with a slot for each, from the first moment the laws allow. A read may
// begin when its arguments are whole if every call before it is a read. Anything else begins when the reply has ended at
// the earliest; a call that must be alone after every call before it, a call after such a one after it, and a call whose
// key is that of an earlier call after that one if either of the two writes. With `a` so defined and `d` the call's own
// time, the bound is `max(0, max(a + d) - T)`, T the end of the reply.
//
// Owns:      the draws and the bound.
// Does not:  run a reply (workloads.ts).

import type { Profile, Spread, ToolShape } from "./workload-profiles.js";

export interface DrawnCall {
	readonly tool: ToolShape;
	readonly key: string | undefined;
	/** When its arguments are whole, counted from the beginning of the reply. */
	readonly wholeMs: number;
	readonly runMs: number;
	readonly fails: boolean;
}

export interface DrawnReply {
	readonly calls: readonly DrawnCall[];
	readonly endsMs: number;
	readonly isCut: boolean;
}

/** A token at 40 tokens a second: what is left of a reply after its last call. */
const TOKEN_MS = 25;
const RUN_MS_MAX = 60_000;
/** How many standard deviations the 90th percentile is from the median. */
const P90_DEVIATIONS = 1.2816;
const KEYS_OF_A_KIND = 1_000;
/** Of replies that only write: those of plain commands, those that edit one file, those that edit several. */
const ONLY_WRITES = [20, 10, 6] as const;

export function drawReplies(profile: Profile, count: number, seed: number): DrawnReply[] {
	const draw = new Draw(seed);
	return Array.from({ length: count }, () => drawReply(profile, draw));
}

function drawReply(profile: Profile, draw: Draw): DrawnReply {
	const count = draw.weighted(profile.calls.map(([size, weight]) => ({ value: size, weight })));
	const only = count > 1 && draw.share(profile.onlyWrites) ? drawOnlyWrites(draw) : undefined;
	const calls: DrawnCall[] = [];
	let wholeMs = 0;
	let lastKey: string | undefined;
	for (let index = 0; index < count; index += 1) {
		const name = only === undefined ? undefined : only === "commands" ? "shell" : "edit";
		const tools = profile.tools.filter((tool) => name === undefined || tool.name === name);
		const tool = draw.weighted(tools.map((value) => ({ value, weight: value.weight })));
		wholeMs += draw.lognormal(profile.gap);
		if (profile.thinks !== undefined && draw.share(profile.thinks.share)) wholeMs += profile.thinks.forMs;
		const key = only === "one file" ? "file 0" : drawKey(tool, draw.share(profile.meets) ? lastKey : undefined, draw);
		lastKey = key ?? lastKey;
		const runMs = Math.min(draw.lognormal(tool.runs), RUN_MS_MAX);
		calls.push({ tool, key, wholeMs, runMs, fails: draw.share(profile.fails) });
	}
	return { calls, endsMs: wholeMs + TOKEN_MS, isCut: draw.share(profile.cut) };
}

function drawOnlyWrites(draw: Draw): "commands" | "one file" | "several files" {
	const [commands, oneFile, several] = ONLY_WRITES;
	return draw.weighted([
		{ value: "commands" as const, weight: commands },
		{ value: "one file" as const, weight: oneFile },
		{ value: "several files" as const, weight: several },
	]);
}

function drawKey(tool: ToolShape, again: string | undefined, draw: Draw): string | undefined {
	if (tool.keys === undefined) return undefined;
	if (tool.keys === "notes") return "notes";
	if (again?.startsWith(tool.keys)) return again;
	return `${tool.keys} ${1 + Math.floor(draw.next() * KEYS_OF_A_KIND)}`;
}

/** The least a lawful schedule could wait, in milliseconds. */
export function lawfulBoundMs({ calls, endsMs }: DrawnReply): number {
	const ends: number[] = [];
	let onlyReads = true;
	let aloneEndsMs = 0;
	for (const { tool, key, wholeMs, runMs } of calls) {
		onlyReads &&= tool.effect === "read";
		let beginsMs = onlyReads ? wholeMs : Math.max(endsMs, aloneEndsMs);
		if (tool.effect === "alone") beginsMs = Math.max(beginsMs, ...ends);
		for (const [before, other] of calls.slice(0, ends.length).entries()) {
			const meets = key !== undefined && other.key === key;
			if (meets && (tool.effect !== "read" || other.tool.effect !== "read")) {
				beginsMs = Math.max(beginsMs, ends[before] ?? 0);
			}
		}
		ends.push(beginsMs + runMs);
		if (tool.effect === "alone") aloneEndsMs = beginsMs + runMs;
	}
	return Math.max(0, Math.max(...ends) - endsMs);
}

/** The same without the laws: every read from when it is whole, every write from the end of the reply. */
export function plainBoundMs({ calls, endsMs }: DrawnReply): number {
	const ends = calls.map(({ tool, wholeMs, runMs }) => (tool.effect === "read" ? wholeMs : endsMs) + runMs);
	return Math.max(0, Math.max(...ends) - endsMs);
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
class Draw {
	#state: number;

	constructor(seed: number) {
		this.#state = seed;
	}

	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	share(of: number): boolean {
		return this.next() < of;
	}

	lognormal([median, p90]: Spread): number {
		const deviation = Math.log(p90 / median) / P90_DEVIATIONS;
		// Box and Muller; the first number is never 0.
		const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
		return median * Math.exp(deviation * radius * Math.cos(2 * Math.PI * this.next()));
	}

	weighted<Value>(choices: readonly { readonly value: Value; readonly weight: number }[]): Value {
		let left = this.next() * choices.reduce((sum, { weight }) => sum + weight, 0);
		for (const { value, weight } of choices) {
			left -= weight;
			if (left < 0) return value;
		}
		const last = choices.at(-1);
		if (last === undefined) throw new Error("there is nothing to choose from");
		return last.value;
	}
}
