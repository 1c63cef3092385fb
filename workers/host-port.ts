// Host port
//
// The host's end of the port to one thread. Calls leave in one message; one whose arguments cannot be cloned makes the
// whole message fail, so then each is sent alone, and the others do not pay for it.
//
// Owns:      the port: what is sent, what was said and is yet unread, whether it keeps the process alive.
// Does not:  know what a message means (host-thread.ts).

import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { causeOf } from "../engine/core/outcome.js";
import { isOnlyJson } from "./json-text.js";
import type { ToHost, ToThread, WireCall } from "./protocol.js";
import { type Uncloneable, uncloneableIn } from "./uncloneable.js";

export interface Refused {
	readonly cell: number;
	readonly why: Uncloneable;
}

const NONE: readonly Refused[] = [];

export class HostPort {
	/** The other end, for the thread. */
	readonly forThread: MessagePort;
	readonly #port: MessagePort;
	readonly #onMessage: (message: ToHost) => void;

	constructor(onMessage: (message: ToHost) => void, onClose: () => void) {
		const { port1, port2 } = new MessageChannel();
		this.#port = port1;
		this.forThread = port2;
		this.#onMessage = onMessage;
		// Reading what came with it by hand spares an event for each.
		port1.on("message", (message: string | ToHost) => {
			this.#onMessage(read(message));
			this.drain();
		});
		port1.on("close", onClose);
	}

	send(message: ToThread): void {
		this.#port.postMessage(message);
	}

	/** The result could not be sent, and why. */
	sendCalls(calls: readonly WireCall[]): readonly Refused[] {
		try {
			const isJson = calls.every(({ args }) => isOnlyJson(args));
			this.send(isJson ? { kind: "calls", text: JSON.stringify(calls) } : { kind: "calls", calls });
			return NONE;
		} catch (error) {
			if (calls.length > 1) return calls.flatMap((call) => this.sendCalls([call]));
			const problem = causeOf(error).message;
			return calls.map(({ cell, args }) => ({ cell, why: uncloneableIn(args) ?? { path: "$", problem } }));
		}
	}

	/** Reads what was said and is yet unread, without a turn of the event loop. */
	drain(): void {
		for (let got = receiveMessageOnPort(this.#port); got !== undefined; got = receiveMessageOnPort(this.#port)) {
			this.#onMessage(read(got.message));
		}
	}

	/** Whether the port keeps the process alive: it does while the thread has a call. */
	holdProcess(isHeld: boolean): void {
		if (isHeld) this.#port.ref();
		else this.#port.unref();
	}

	close(): void {
		this.#port.close();
	}
}

function read(message: string | ToHost): ToHost {
	return typeof message === "string" ? (JSON.parse(message) as ToHost) : message;
}
