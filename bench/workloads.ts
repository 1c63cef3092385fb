// Workloads
//
// How long a host waits for a reply's answers, from the end of the reply: the real engine on a clock that is moved by
// hand, so that nothing but the schedule counts and every run gives the same figures. Four ways through the same replies:
//
//   serial        one call after another, from the end of the reply
//   barriers      consecutive reads at once, every write alone, from the end of the reply
//   keys          writes that say what they change run beside others, from the end of the reply
//   ours          the same, and reads start while the reply still streams
//
// and the least that a lawful schedule could wait (workload-replies.ts).
//
// Owns:      the four ways and moving the clock through a reply.
// Does not:  draw replies (workload-replies.ts), say what they are like (workload-profiles.ts), or count what the
//            engine itself takes.

import { createEngine, KeyedLock, type ReplyItem, type Step, type Tool, tool } from "wavetrain";
import { z } from "zod";
import { ManualClock, settled } from "../test/support/manual-clock.js";
import type { Row, Subject } from "./harness.js";
import {
	CODING_MAIN,
	CODING_SUB_AGENT,
	DATA_ANALYSIS,
	type Profile,
	RESEARCH,
	SMALL_READS,
	type ToolShape,
} from "./workload-profiles.js";
import { type DrawnReply, drawReplies, lawfulBoundMs, plainBoundMs } from "./workload-replies.js";

const REPLIES = 400;
const SEED = 7;
/** Most that a wave may last before it is taken for stuck. */
const WAVE_MS_MAX = 3_600_000;
const STEP_MS = 60_000;

interface Way {
	readonly schedule: "serial" | "barriers";
	readonly ahead: "any" | false;
	/** Whether writes that say what they change may run beside others. */
	readonly keys: boolean;
}

const WAYS = {
	serial: { schedule: "serial", ahead: false, keys: true },
	barriers: { schedule: "barriers", ahead: false, keys: false },
	keys: { schedule: "barriers", ahead: false, keys: true },
	ours: { schedule: "barriers", ahead: "any", keys: true },
} as const satisfies Record<string, Way>;

/** What a profile has to reach: how far from the bound at most, and how much better than barriers at least. */
const TARGETS = [
	{ profile: CODING_MAIN, overBoundMax: 1.02, overBarriersMin: 1 },
	{ profile: CODING_SUB_AGENT, overBoundMax: 1.02, overBarriersMin: 1 },
	{ profile: RESEARCH, overBoundMax: 1.05, overBarriersMin: 1.25 },
	{ profile: DATA_ANALYSIS, overBoundMax: 1.05, overBarriersMin: 1 },
	{ profile: SMALL_READS, overBoundMax: Number.POSITIVE_INFINITY, overBarriersMin: 1 },
];

const parameters = z.object({ runMs: z.number(), fails: z.boolean(), key: z.string().optional() });

function toolOf({ name, effect, keys }: ToolShape, clock: ManualClock, way: Way): Tool {
	const isRead = effect === "read";
	return tool({
		name,
		parameters,
		effect: isRead ? "read" : "write",
		isConcurrencySafe: isRead || (effect === "keyed" && way.keys),
		...(keys !== undefined && {
			lockKeys: ({ key = "" }: { key?: string | undefined }) => (isRead ? { read: [key] } : [key]),
		}),
		execute: async ({ runMs, fails }) => {
			await new Promise<void>((resolve) => void clock.setTimer(resolve, runMs));
			if (fails) throw new Error("it failed");
			return runMs;
		},
	});
}

/** Mean seconds that a host waits for a reply. */
async function waitedSeconds(profile: Profile, replies: readonly DrawnReply[], way: Way): Promise<number> {
	const clock = new ManualClock();
	const tools = profile.tools.map((shape) => toolOf(shape, clock, way));
	const { schedule, ahead } = way;
	const timeouts = { toolMs: Number.POSITIVE_INFINITY };
	const options = { schedule, ahead, timeouts, maxParallelToolCalls: profile.slots };
	const engine = createEngine({ ...options, tools, clock, locks: new KeyedLock({ clock }) });
	let sumMs = 0;
	for (const reply of replies) sumMs += await waitedMs(engine.openStep(), reply, clock);
	await engine.close();
	return sumMs / replies.length / 1_000;
}

async function waitedMs(step: Step, { calls, endsMs, isCut }: DrawnReply, clock: ManualClock): Promise<number> {
	const beganMs = clock.monotonicMs();
	const passTo = (atMs: number): Promise<void> => clock.pass(Math.max(0, beganMs + atMs - clock.monotonicMs()));
	for (const [index, { tool: shape, key, wholeMs, runMs, fails }] of calls.entries()) {
		await passTo(wholeMs);
		const args = { runMs, fails, ...(key !== undefined && { key }) };
		const call = { id: `call_${index}`, name: shape.name, args };
		const item = { index, id: call.id, name: call.name, argsText: JSON.stringify(args), call };
		step.feed({ kind: "call-complete", ...item });
		step.feed({ kind: "call-closed", ...item });
	}
	await passTo(endsMs);
	const end: ReplyItem = { kind: "end", good: !isCut, ...(isCut && { cut: "length" }) };
	step.feed(end);
	const endedMs = clock.monotonicMs();
	let overMs: number | undefined;
	const wave = step.settle().then(() => {
		overMs = clock.monotonicMs();
	});
	await settled();
	while (overMs === undefined) {
		if (clock.monotonicMs() - endedMs > WAVE_MS_MAX) throw new Error("a reply is stuck");
		await clock.pass(STEP_MS);
	}
	await wave;
	return overMs - endedMs;
}

function meanSeconds(replies: readonly DrawnReply[], of: (reply: DrawnReply) => number): number {
	// A cut reply runs none of its calls, so nobody waits for them.
	return replies.reduce((sum, reply) => sum + (reply.isCut ? 0 : of(reply)), 0) / replies.length / 1_000;
}

async function rowsOf({ profile, overBoundMax, overBarriersMin }: (typeof TARGETS)[number]): Promise<Row[]> {
	const replies = drawReplies(profile, REPLIES, SEED);
	const waited = { serial: 0, barriers: 0, keys: 0, ours: 0 };
	for (const name of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
		waited[name] = await waitedSeconds(profile, replies, WAYS[name]);
	}
	const { ours } = waited;
	const row = (against: string, baseline: number, target: Row["target"]): Row => {
		const ratio = "atMost" in target ? ours / baseline : baseline / ours;
		return { what: profile.name, ours, baseline, unit: "s waited a reply", against, ratio, target };
	};
	const anything = { atMost: Number.POSITIVE_INFINITY };
	return [
		row("the lawful bound", meanSeconds(replies, lawfulBoundMs), { atMost: overBoundMax }),
		row("the bound without laws", meanSeconds(replies, plainBoundMs), anything),
		row("barriers", waited.barriers, { atLeast: overBarriersMin }),
		row("keys", waited.keys, { atLeast: 1 }),
		row("serial", waited.serial, { atLeast: 1 }),
	];
}

export const workloads: Subject = {
	name: "workloads",
	notMeasured: "the engine's own cost, threads, the network: the clock is virtual and durations are drawn",
	async run(): Promise<readonly Row[]> {
		const rows: Row[] = [];
		for (const target of TARGETS) rows.push(...(await rowsOf(target)));
		return rows;
	},
};
