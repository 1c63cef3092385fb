// Scripted threads
//
// Threads that a test plays by hand: it has the thread's end of the port and the shared cells, and says when the thread
// opens, what it claims and answers, and when it is gone. So every interleaving of host and thread can be had.
//
// Owns:      the thread's side of the protocol, one word at a time.
// Does not:  run tools.

import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { EventDraft } from "../../engine/core/events.js";
import { CallCells } from "../../workers/call-cells.js";
import { Dispatcher } from "../../workers/dispatcher.js";
import type { Claimed, OpenThread, ToHost, ToThread, WireCall } from "../../workers/protocol.js";
import type { OnExit, StartedThread } from "../../workers/thread-start.js";
import { ManualClock, settled } from "../support/manual-clock.js";

export class ScriptedThread implements StartedThread {
	readonly opened: Promise<void>;
	readonly cells: CallCells;
	/** Whether the host has ended it. Its exit is the test's to say. */
	isEnded = false;
	readonly #port: MessagePort;
	readonly #onExit: OnExit;
	#open: () => void = () => undefined;
	#fail: (error: unknown) => void = () => undefined;

	constructor(open: OpenThread, onExit: OnExit) {
		this.#port = open.port;
		this.cells = new CallCells(open.memory);
		this.#onExit = onExit;
		this.opened = new Promise((resolve, reject) => {
			this.#open = resolve;
			this.#fail = reject;
		});
	}

	/** How long its event loop has been busy; the test moves it. */
	loopBusyMs = 0;

	busyMs(): number {
		return this.loopBusyMs;
	}

	hold(): void {}

	end(): void {
		this.isEnded = true;
	}

	async open(): Promise<void> {
		this.#open();
		await settled();
	}

	async refuseToOpen(problem: string): Promise<void> {
		this.#fail(new Error(problem));
		await settled();
	}

	/** What the host has said since the last question. */
	heard(): ToThread[] {
		const messages: ToThread[] = [];
		for (let got = receiveMessageOnPort(this.#port); got !== undefined; got = receiveMessageOnPort(this.#port)) {
			messages.push(got.message);
		}
		return messages;
	}

	/** The calls it was handed since the last question; other words are dropped. */
	handed(): WireCall[] {
		return this.heard().flatMap((message) => {
			if (message.kind !== "calls") return [];
			return "text" in message ? (JSON.parse(message.text) as WireCall[]) : message.calls;
		});
	}

	async say(message: ToHost): Promise<void> {
		this.#port.postMessage(message);
		await settled();
	}

	/** Begins a call as a thread does: the cell first, then the word. */
	async begin(cell: number): Promise<boolean> {
		const isOurs = this.cells.begin(cell);
		if (isOurs) await this.say(cell);
		return isOurs;
	}

	answer(cell: number, value: number, next?: Claimed): Promise<void> {
		return this.say({ kind: "answered", cell, answer: { ok: true, value }, ...(next !== undefined && { next }) });
	}

	async exit(exitCode: number, error?: unknown): Promise<void> {
		this.#onExit(exitCode, error);
		this.#port.close();
		await settled();
	}
}

export interface ScriptedPoolOptions {
	readonly threadsMin?: number;
	readonly threadsMax?: number;
	readonly earlyMax?: number;
	readonly idleMs?: number;
}

/** A dispatcher on scripted threads and a clock that stands still. */
export class ScriptedPool {
	readonly clock = new ManualClock();
	readonly threads: ScriptedThread[] = [];
	readonly events: EventDraft[] = [];
	/** Set: no thread can be made, and this is thrown instead. */
	cannotStart: Error | undefined;
	/** The thread's end of each port that was opened for a thread that could not be made. */
	readonly unusedPorts: MessagePort[] = [];
	readonly executor: Dispatcher;

	constructor({ threadsMin = 0, threadsMax = 1, earlyMax = threadsMax, idleMs = 60_000 }: ScriptedPoolOptions = {}) {
		this.executor = new Dispatcher({
			threadsMin,
			threadsMax,
			earlyMax,
			idleMs,
			heapMb: 64,
			preload: [],
			clock: this.clock,
			emit: (event) => this.events.push(event),
			start: (open, onExit) => {
				if (this.cannotStart !== undefined) {
					this.unusedPorts.push(open.port);
					throw this.cannotStart;
				}
				const thread = new ScriptedThread(open, onExit);
				this.threads.push(thread);
				return thread;
			},
		});
	}

	/** The newest thread, opened. */
	async openLast(): Promise<ScriptedThread> {
		await settled();
		const thread = this.threads.at(-1);
		if (thread === undefined) throw new Error("the pool has started no thread");
		await thread.open();
		return thread;
	}
}
