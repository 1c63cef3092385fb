// The hub of events: everyone watching gets every event in order, and nobody can break it.

import { channel } from "node:diagnostics_channel";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type EventDraft, EventHub } from "../../engine/core/events.js";

const started: EventDraft = { kind: "wave_started", runId: "r", step: 0, calls: 1 };
const stray: EventDraft = { kind: "stray_error", message: "m" };

afterEach(() => vi.restoreAllMocks());

describe("EventHub", () => {
	it("gives every listener every event in the order it happened, stamped by the clock it was given", () => {
		let nowMs = 10;
		const hub = new EventHub(() => nowMs++);
		const [first, second]: [unknown[], unknown[]] = [[], []];
		hub.subscribe((event) => first.push(event));
		hub.subscribe((event) => second.push(event));
		hub.emit(started);
		hub.emit(stray);
		expect(first).toEqual([
			{ ...started, atMs: 10 },
			{ ...stray, atMs: 11 },
		]);
		expect(second).toEqual(first);
	});

	it("takes away one subscription, also of a listener that subscribed twice", () => {
		const hub = new EventHub(() => 0);
		const listener = vi.fn();
		const leave = hub.subscribe(listener);
		hub.subscribe(listener);
		leave();
		leave();
		hub.emit(started);
		expect(listener).toHaveBeenCalledTimes(1);
	});

	it("reads no clock and builds nothing while nobody watches", () => {
		const monotonicMs = vi.fn(() => 0);
		const hub = new EventHub(monotonicMs);
		const leave = hub.subscribe(() => undefined);
		expect(hub.watched).toBe(true);
		leave();
		expect(hub.watched).toBe(false);
		hub.emit(started);
		expect(monotonicMs).not.toHaveBeenCalled();
	});

	it("publishes on the diagnostics channel of the package", () => {
		const seen: unknown[] = [];
		const watch = (event: unknown): void => void seen.push(event);
		const every = channel("wavetrain:event");
		every.subscribe(watch);
		const hub = new EventHub(() => 5);
		expect(hub.watched).toBe(true);
		hub.emit(started);
		every.unsubscribe(watch);
		hub.emit(stray);
		expect(seen).toEqual([{ ...started, atMs: 5 }]);
	});

	it.each<[string, unknown, string]>([
		["an error", new Error("broken"), "Error: broken"],
		["what has no text", Object.create(null), "[Object: null prototype] {}"],
		["nothing", undefined, "undefined"],
	])("V1: goes on when a listener throws %s, and warns once", (_, thrown, shown) => {
		const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
		const hub = new EventHub(() => 0);
		const after = vi.fn();
		hub.subscribe(() => {
			throw thrown;
		});
		hub.subscribe(after);
		expect(() => hub.emit(started)).not.toThrow();
		expect(after).toHaveBeenCalledTimes(1);
		expect(warn.mock.calls).toEqual([[`A listener threw on wave_started: ${shown}`, "WavetrainListenerWarning"]]);
	});
});
