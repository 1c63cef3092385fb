// Calls in hand
//
// The calls that one thread has, in the order it has them: the one it is on, then those handed over early. Each has a
// cell of the memory that the thread shares with the host.
//
// Owns:      which call is in which cell, and what a call becomes on the wire.
// Does not:  send anything (host-thread.ts).
//
// Invariants:
//   Y3. After a thread's end nothing is in its hands: each of its calls is over or was returned.

import type { ToolContext } from "../engine/core/tool-context.js";
import { CallCells } from "./call-cells.js";
import type { Holder, HostCall } from "./host-call.js";
import type { LinkedCalls } from "./host-link.js";
import type { Refused } from "./host-port.js";
import type { WireCall } from "./protocol.js";
import { argumentsNotCloneable, notLoadedOn, type ThreadEnd, workerLost } from "./thread-end.js";
import { WaitingLook } from "./waiting-look.js";

export interface InHand {
	readonly call: HostCall;
	readonly cell: number;
	/** When the call began, by the clock's monotonic reading. */
	beganMs: number | undefined;
	/** How many answers of the host it waits for. */
	asking: number;
	/** Takes the bound off a call that was asked to stop. */
	cancelStop: (() => void) | undefined;
}

export class CallsInHand implements LinkedCalls {
	readonly cells = new CallCells();
	#list: InHand[] = [];
	readonly #look = new WaitingLook();
	readonly #onAsking: () => void;

	/** `onAsking` is told when a call begins and ceases to wait for its host. */
	constructor(onAsking: () => void) {
		this.#onAsking = onAsking;
	}

	get size(): number {
		return this.#list.length;
	}

	calls(): HostCall[] {
		return this.#list.map(({ call }) => call);
	}

	/** The call the thread is on, or is about to be on. */
	get first(): InHand | undefined {
		return this.#list[0];
	}

	/** Whether one of them was asked to stop. */
	get hasStopped(): boolean {
		return this.#list.some(({ cancelStop }) => cancelStop !== undefined);
	}

	/** Whether the call it is on waits for its host. */
	get isAsking(): boolean {
		return (this.first?.asking ?? 0) > 0;
	}

	/** Whether the call it is on is an early start that nobody has admitted yet. */
	get isAhead(): boolean {
		return this.first?.call.ahead === true;
	}

	contextIn(cell: number): ToolContext | undefined {
		return this.inCell(cell)?.call.job.context;
	}

	async ask<Value>(cell: number, question: (context: ToolContext) => Promise<Value>): Promise<Value> {
		const inHand = this.inCell(cell);
		if (inHand === undefined) throw new Error("The call is over; its host answers it no more.");
		inHand.asking += 1;
		this.#onAsking();
		try {
			return await question(inHand.call.job.context);
		} finally {
			inHand.asking -= 1;
			this.#onAsking();
		}
	}

	/** Of the call it is on. */
	get lane(): object | undefined {
		return this.first?.call.lane;
	}

	/** Whether the call it is on was found to wait for the world outside. */
	get isWaiting(): boolean {
		return this.first !== undefined && this.#look.waits(this.first);
	}

	look(nowMs: number, busyMs: number): void {
		if (this.first?.beganMs !== undefined) this.#look.look({ call: this.first, atMs: nowMs, busyMs });
	}

	/** Whether the thread has not looked at the call it should be on. */
	get isUntouched(): boolean {
		return this.first !== undefined && this.cells.phase(this.first.cell) === "handed";
	}

	/** Takes calls, up to the first that does not fit: the thread has yet to meet too many that were taken back. */
	addAll(calls: readonly HostCall[], holder: Holder): WireCall[] {
		const wires: WireCall[] = [];
		for (const call of calls) {
			const wire = this.#add(call);
			if (wire === undefined) break;
			call.handed(holder);
			wires.push(wire);
		}
		return wires;
	}

	#add(call: HostCall): WireCall | undefined {
		const cell = this.cells.hand();
		if (cell === undefined) return undefined;
		this.#list.push({ call, cell, beganMs: undefined, asking: 0, cancelStop: undefined });
		const { work, args, context } = call.job;
		const { moduleUrl, exportName } = work;
		const { callId, runId, index, idempotencyKey } = context;
		return { cell, moduleUrl, exportName, args, callId, runId, index, idempotencyKey };
	}

	inCell(cell: number): InHand | undefined {
		return this.#list.find((one) => one.cell === cell);
	}

	of(call: HostCall): InHand | undefined {
		return this.#list.find((one) => one.call === call);
	}

	/** The call is over: its cell can be used again. */
	release(inHand: InHand): void {
		this.#remove(inHand);
		this.cells.free(inHand.cell);
	}

	/** Takes a call back, unless it has begun or its answer is on its way; the thread frees the cell when it meets it. */
	takeBack(inHand: InHand): "taken" | "begun" | "answered" {
		if (this.cells.withdraw(inHand.cell)) {
			this.#remove(inHand);
			return "taken";
		}
		return this.cells.phase(inHand.cell) === "begun" ? "begun" : "answered";
	}

	/** The thread never heard of a call, because its arguments could not be sent. */
	refuse({ cell, why }: Refused): void {
		const inHand = this.inCell(cell);
		if (inHand === undefined || this.takeBack(inHand) !== "taken") return;
		this.cells.free(cell);
		inHand.call.over(argumentsNotCloneable(why.path, why.problem));
	}

	/** Takes back every call that the thread has not looked at, in order. */
	takeBackAll(): HostCall[] {
		const taken = this.#list.filter(({ cell }) => this.cells.withdrawUnclaimed(cell));
		for (const inHand of taken) this.#remove(inHand);
		return taken.map(({ call }) => call);
	}

	/** Y3: once the thread is dead every call is over, or returned because it had not begun. The result is the latter. */
	giveUp(end: ThreadEnd, holder: Holder): HostCall[] {
		const left = this.#list;
		this.#list = [];
		const returned: HostCall[] = [];
		for (const { call, cell, cancelStop } of left) {
			cancelStop?.();
			const phase = this.cells.phase(cell);
			if (phase === "begun") {
				call.began(holder);
				call.over(workerLost(end));
			} else if (phase === "loading" || phase === "refused") {
				call.over(notLoadedOn(end, call.job.work.moduleUrl));
			} else {
				call.returned();
				returned.push(call);
			}
		}
		return returned;
	}

	#remove(inHand: InHand): void {
		inHand.cancelStop?.();
		this.#list.splice(this.#list.indexOf(inHand), 1);
	}
}
