// The context of an inline call: what a careless tool does with it costs the call, and never its host.

import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { KeyedLock } from "../../engine/index.js";
import { benchOf, callsOf, shorts, toolOf } from "../support/law-kit.js";
import { settled } from "../support/manual-clock.js";

describe("the context of an inline call", () => {
	it("hands on a copy of each progress update, and refuses what is no data as a thread does", async () => {
		const update = { done: 1 };
		const telling = toolOf("telling", (_args, { progress }) => {
			progress(update);
			update.done = 2;
		});
		const circular = toolOf("circular", (_args, { progress }) => {
			const ring: Record<string, unknown> = {};
			ring.ring = ring;
			progress(ring as never);
		});
		const { engine, events } = benchOf({ tools: [telling, circular] });
		engine.subscribe((event) => events.push(event));
		const wave = await engine.executeWave(callsOf("telling", "circular"));
		expect(shorts(wave)).toEqual(["nothing", "TOOL_FAILED"]);
		expect(JSON.stringify(wave.results[1])).toContain("A progress update is not data at $.ring");
		const told = events.flatMap((event) => (event.kind === "call_progress" ? [event.update] : []));
		expect(new Set(told.map((one) => JSON.stringify(one)))).toEqual(new Set(['{"done":1}']));
	});

	// A rejection that nobody hears ends the process, and fails the run of these tests.
	it("CC1: refuses in silence what its tool asked for and did not wait for", async () => {
		const locks = new KeyedLock();
		let kept: ToolContext | undefined;
		const hasty = toolOf("hasty", (_args, context) => {
			kept = context;
			void context.lock(["a key"]);
			void context.invokeTool("no such tool", {});
			return "done";
		});
		const { engine } = benchOf({ tools: [hasty], locks });
		expect(shorts(await engine.executeWave(callsOf("hasty")))).toEqual(['"done"']);
		void kept?.lock(["a key"]);
		kept?.progress("late");
		await settled();
		expect(locks.size).toBe(0);
		await expect(kept?.invokeTool("hasty", {})).rejects.toThrow("the call hasty has ended");
	});
});
