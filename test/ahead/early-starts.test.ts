// Early starts: what may start, and who may have it.

import { describe, expect, it } from "vitest";
import { ReplyAhead } from "../../engine/ahead/early-starts.js";
import type { ToolCall } from "../../engine/core/call.js";
import { type EngineEvent, EventHub } from "../../engine/core/events.js";
import { BEGIN, type Beginnable } from "../../engine/core/invocable.js";
import { answered } from "../../engine/core/outcome.js";
import { KeyedLock } from "../../engine/locks/keyed-lock.js";
import { newLineage } from "../../engine/locks/lineage.js";
import { HeldWork } from "../support/held-work.js";
import { ManualClock, settled } from "../support/manual-clock.js";

function earlyOf(max = 10, given?: Beginnable) {
	const clock = new ManualClock();
	const hub = new EventHub(() => clock.monotonicMs());
	const events: string[] = [];
	hub.subscribe(
		(event: EngineEvent) => void events.push("index" in event ? `${event.kind} ${event.index}` : event.kind),
	);
	const held = new HeldWork();
	const invocable = given ?? {
		invoke: async (call: ToolCall) => {
			await held.hold(String(call.args));
			return answered(call.args);
		},
	};
	const face = {
		metaOf: ({ name }: ToolCall) =>
			(name === "unknown" ? undefined : { name, effect: name === "read" ? "read" : "write" }) as never,
		admit: () => ({ cleared: undefined }),
		tool: () => invocable,
		account: () => answered(null),
		ahead: ({ args }: ToolCall) => (args === '"later"' ? undefined : invocable),
	};
	const limits = { toolMs: 1_000, idleMs: Number.POSITIVE_INFINITY, graceMs: 0 };
	const locks = new KeyedLock({ clock });
	const own = {
		runId: "run",
		step: 0,
		max,
		limits,
		clock,
		hub,
		locks,
		newHolder: () => newLineage(),
		openIn: undefined,
	};
	const early = new ReplyAhead({ ...own, face });
	const nobody = () => Promise.reject(new Error("nobody asks"));
	const services = { openIn: undefined, lock: nobody, invokeTool: nobody, interrupt: nobody };
	const take = (index: number, admitted: ToolCall) => {
		void early.look(index, admitted);
		return early.take(index, admitted, services);
	};
	return { early, take, held, events, clock };
}

const call = (name: string, args: string): ToolCall => ({ id: "", name, args });

describe("early starts", () => {
	it("EA1: wait for every lower index to be known, and end at the first that is not a read", async () => {
		const { early, held } = earlyOf();
		early.offer(1, call("read", '"b"'));
		expect(held.waiting).toEqual([]);
		early.offer(0, call("read", '"a"'));
		early.offer(2, call("write", '"c"'));
		early.offer(3, call("read", '"d"'));
		expect(held.waiting).toEqual(['"a"', '"b"']);
	});

	it("EA1: pass over a read that does not start early, which changes nothing", async () => {
		const { early, held } = earlyOf();
		early.offer(0, call("read", '"later"'));
		early.offer(1, call("read", '"b"'));
		expect(held.waiting).toEqual(['"b"']);
	});

	it("EA2: are had once, by the same index, tool and arguments", async () => {
		const { early, take } = earlyOf();
		early.offer(0, call("read", '{"a":1,"b":2}'));
		expect(take(1, call("read", '{"a":1,"b":2}'))).toBeUndefined();
		expect(take(0, call("read", '{ "b": 2, "a": 1 }'))).toBeDefined();
		expect(take(0, call("read", '{"a":1,"b":2}'))).toBeUndefined();
	});

	it.each([
		["another tool", call("fetch", "{}")],
		["other arguments", call("read", '{"n":1}')],
	])("EA2: are thrown away when %s is admitted at their place", async (_other, admitted) => {
		const { early, take, events } = earlyOf();
		early.offer(0, call("read", "{}"));
		expect(take(0, admitted)).toBeUndefined();
		expect(events.slice(1)).toEqual(["call_began 0", "ahead_discarded 0"]);
	});

	it("stop where two different calls are offered at one place, and throw away what started there", async () => {
		const { early, held, events } = earlyOf();
		early.offer(0, call("read", '"a"'));
		early.offer(0, call("read", '"a"'));
		early.offer(0, call("read", '"b"'));
		early.offer(1, call("read", '"c"'));
		expect(held.waiting).toEqual(['"a"']);
		expect(events.slice(1)).toEqual(["call_began 0", "ahead_discarded 0"]);
	});

	it("keep to their own cap, and give a slot on as soon as one is answered or thrown away", async () => {
		const { early, held } = earlyOf(1);
		for (const [index, name] of ["a", "b"].entries()) early.offer(index, call("read", `"${name}"`));
		expect(held.waiting).toEqual(['"a"']);
		held.release('"a"');
		await settled();
		expect(held.waiting).toEqual(['"b"']);
	});

	it("tell their executor once they are admitted, so that they no longer give way", async () => {
		const told: string[] = [];
		const { early, take } = earlyOf(1, {
			invoke: () => answered(null),
			[BEGIN]: () => ({
				ended: new Promise(() => undefined),
				stop: () => told.push("stop"),
				admitted: () => told.push("admitted"),
			}),
		});
		early.offer(0, call("read", "{}"));
		expect(told).toEqual([]);
		take(0, call("read", "{}"));
		expect(told).toEqual(["admitted"]);
	});

	it("that still wait for a slot when the reply closes are left to the wave", async () => {
		const { early, take, held } = earlyOf(1);
		for (const [index, name] of ["a", "b"].entries()) early.offer(index, call("read", `"${name}"`));
		early.close();
		held.release('"a"');
		await settled();
		expect(held.waiting).toEqual([]);
		expect(take(1, call("read", '"b"'))).toBeUndefined();
		expect(take(0, call("read", '"a"'))?.answer).toEqual({ ok: true, value: '"a"' });
	});
});
