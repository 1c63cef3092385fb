// Thread server
//
// The thread's side of the protocol: it takes calls from its port, runs them one at a time in the order they came, and
// answers each. What it posts is always plain data, so a tool's answer can never end the thread that posts it.
//
// Owns:      the calls in hand, which of them runs, and the words to the host.
// Does not:  bound anything in time: a thread that does not yield cannot, so the host does (host-thread.ts).
//
// Invariants:
//   J1. At most one call runs at a time, and a call runs only if its cell was claimed.

import { receiveMessageOnPort } from "node:worker_threads";
import { invariant } from "../engine/core/invariant.js";
import { answered, type Outcome, threw } from "../engine/core/outcome.js";
import { withinLimit } from "../engine/core/output-limit.js";
import { isThenable } from "../engine/core/thenable.js";
import { pack, postMoving } from "./answer-wire.js";
import { CallCells } from "./call-cells.js";
import { type HostLink, LinkEnd, openLink, type Remote } from "./host-link.js";
import { runOwned, watchLeftBehind } from "./left-behind.js";
import type { Claimed, OpenThread, ToHost, ToThread, WireCall, WireCode } from "./protocol.js";
import { ThreadContext } from "./thread-context.js";
import { type ThreadCode, ThreadToolLoader } from "./tool-loader.js";

interface RunningCall {
	readonly call: WireCall;
	readonly context: ThreadContext;
	readonly claimed: Claimed;
	/** Known if the module was loaded before. */
	readonly code: ThreadCode | undefined;
}

export class ThreadServer {
	readonly #port: OpenThread["port"];
	readonly #cells: CallCells;
	readonly #loader = new ThreadToolLoader();
	#inHand: WireCall[] = [];
	#running: RunningCall | undefined;
	/** Whose failures are the running call's own; while its module loads, that of modules. */
	#owner: object | undefined;
	#isLeaving = false;
	/** Made when a call first needs its host. */
	#link: { readonly end: LinkEnd; readonly host: Remote<HostLink> } | undefined;

	constructor(open: OpenThread) {
		this.#port = open.port;
		this.#cells = new CallCells(open.memory);
		watchLeftBehind({
			owner: () => this.#owner,
			leaving: (why) => {
				// Node lets some code run after an exit was asked for; no further call may be begun by it.
				this.#isLeaving = true;
				this.#post({ kind: "leaving", why });
			},
			stray: (cause) => this.#post({ kind: "stray", cause }),
		});
		open.port.on("message", (message: ToThread) => {
			this.#receive(message);
			for (let got = receiveMessageOnPort(open.port); got !== undefined; got = receiveMessageOnPort(open.port)) {
				this.#receive(got.message);
			}
		});
		void this.#preload(open.preload);
	}

	// A call that comes meanwhile shares the import. What fails here is told to the call that asks for it.
	async #preload(codes: readonly WireCode[]): Promise<void> {
		for (const { moduleUrl, exportName } of codes) {
			await runOwned(this.#loader, () => this.#loader.load(moduleUrl, exportName));
		}
	}

	#receive(message: ToThread): void {
		switch (message.kind) {
			case "calls":
				this.#inHand.push(...("text" in message ? (JSON.parse(message.text) as WireCall[]) : message.calls));
				if (this.#running === undefined) void this.#serve();
				return;
			case "cancel":
				if (this.#running?.call.cell === message.cell) this.#running.context.cancel();
				return;
			case "link":
				this.#link?.end.receive(message.data);
				return;
		}
	}

	/** Runs what is in hand until nothing is. */
	async #serve(): Promise<void> {
		let running = this.#claimNext();
		if (running !== undefined) this.#post(running.claimed);
		while (running !== undefined) {
			// The pause also lets the call's microtasks run before the next call begins.
			const outcome = await this.#run(running);
			running = this.#answer(running, outcome);
		}
	}

	/** J1: takes the next call whose cell can be claimed; one that the host has taken back is passed by. */
	#claimNext(): RunningCall | undefined {
		this.#running = undefined;
		this.#owner = undefined;
		if (this.#isLeaving) return undefined;
		for (let call = this.#inHand.shift(); call !== undefined; call = this.#inHand.shift()) {
			const code = this.#loader.known(call.moduleUrl, call.exportName);
			const isOurs = code === undefined ? this.#cells.load(call.cell) : this.#cells.begin(call.cell);
			if (isOurs) {
				const claimed = code === undefined ? { loading: call.cell } : call.cell;
				this.#running = { call, code, claimed, context: this.#contextOf(call) };
				return this.#running;
			}
			this.#cells.free(call.cell);
		}
		return undefined;
	}

	/** The call's outcome; `undefined` if the host took it back while its module was loading. */
	async #run(running: RunningCall): Promise<Outcome | undefined> {
		const { call, context } = running;
		invariant(this.#running === running, "J1", `call ${call.callId} runs beside another`);
		let { code } = running;
		if (code === undefined) {
			this.#owner = this.#loader;
			const loaded = await runOwned(this.#loader, () => this.#loader.load(call.moduleUrl, call.exportName));
			if (!loaded.ok) return this.#cells.refuse(call.cell) ? loaded.outcome : undefined;
			if (!this.#cells.begin(call.cell)) return undefined;
			this.#post(call.cell);
			code = loaded.code;
		}
		this.#owner = running;
		try {
			const run = code;
			const value = runOwned(running, () => run(call.args, context));
			return withinLimit(answered(isThenable(value) ? await value : value));
		} catch (error) {
			return threw(error);
		}
	}

	/** Answers, and says in the same message what runs next. Nothing that can fail stands between claim and message. */
	#answer({ call: { cell }, context }: RunningCall, outcome: Outcome | undefined): RunningCall | undefined {
		const packed = outcome && pack(outcome);
		const held = context.end();
		const next = this.#claimNext();
		const andNext = next && { next: next.claimed };
		if (packed === undefined) {
			this.#cells.free(cell);
			this.#post({ kind: "passed", cell, ...andNext });
		} else {
			const message: ToHost = { kind: "answered", cell, answer: packed.answer, ...(held && { held }), ...andNext };
			if (packed.isJson) this.#port.postMessage(JSON.stringify(message));
			else postMoving(this.#port, message, packed.moved);
		}
		return next;
	}

	#contextOf(call: WireCall): ThreadContext {
		return new ThreadContext({ call, cells: this.#cells, host: () => this.#openLink() });
	}

	#openLink(): Remote<HostLink> {
		if (this.#link === undefined) {
			const end = new LinkEnd((data) => this.#post({ kind: "link", data }));
			this.#link = { end, host: openLink(end) };
		}
		return this.#link.host;
	}

	#post(message: ToHost): void {
		this.#port.postMessage(message);
	}
}
