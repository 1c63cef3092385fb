// Call blocks
//
// Several formats tell a reply in blocks, each at a place of its own, with a start, pieces and a stop. A block may be a
// call; text, thinking and the provider's own tools are blocks as well.
//
// Owns:      which block a piece belongs to, and what makes a block contradict itself.
// Does not:  read an event (the formats do).
//
// Invariants:
//   CB1. A piece of arguments that belongs to no open block fails the reply: something was lost, perhaps a call.

import type { Reply } from "./reply.js";
import type { StreamedCall } from "./streamed-call.js";
import { type WholeArguments, wholeArguments } from "./whole-arguments.js";
import { asFields } from "./wire-event.js";

/** `input` is what the block's start holds of the arguments. */
export interface CallStart {
	readonly id: string;
	readonly name: string;
	readonly input?: unknown;
}

interface Block {
	/** Only for a call of the host's. */
	readonly call?: StreamedCall;
	/** What its start held of the arguments; copied, since the event is gone when the block stops. */
	readonly input?: WholeArguments;
	stopped: boolean;
}

export class CallBlocks {
	readonly #reply: Reply;
	/** What the format calls a block, for messages. */
	readonly #noun: string;
	#blocks = new Map<number, Block>();

	constructor(reply: Reply, noun: string) {
		this.#reply = reply;
		this.#noun = noun;
	}

	clear(): void {
		this.#blocks = new Map();
	}

	has(place: number | undefined): boolean {
		return place !== undefined && this.#blocks.has(place);
	}

	/** Starts a block; without `start` it is none of the host's calls. */
	start(place: number | undefined, start?: CallStart): void {
		const before = place === undefined ? undefined : this.#blocks.get(place);
		if (place === undefined || before?.stopped === false) {
			this.#fail(`a ${this.#noun} started at index ${place}, which is no place of its own`);
			return;
		}
		if (start === undefined) {
			this.#blocks.set(place, { stopped: false });
			return;
		}
		const call = this.#reply.begin({ id: start.id, name: start.name, kind: "json" });
		// A place used again tells its pieces apart by time alone.
		if (before !== undefined) call.doubt();
		// Most providers put an empty object into the start, in place of what is to come.
		const holdsInput = Object.keys(asFields(start.input)).length > 0;
		this.#blocks.set(place, { call, stopped: false, ...(holdsInput && { input: wholeArguments(start.input) }) });
	}

	/** Takes a piece of a block's arguments. */
	append(place: number | undefined, piece: unknown): void {
		const block = place === undefined ? undefined : this.#blocks.get(place);
		// CB1: whatever the piece belonged to is not there, or was whole without it.
		if (block === undefined || block.stopped)
			this.#fail(`arguments came for ${this.#noun} ${place}, which is not open`);
		else if (typeof piece !== "string") this.#fail("a piece of arguments is not a text");
		else if (block.call !== undefined) {
			this.#reply.append(block.call, piece);
			this.#reply.reportComplete(block.call);
		}
	}

	stop(place: number | undefined): void {
		const block = place === undefined ? undefined : this.#blocks.get(place);
		if (block === undefined) {
			this.#fail(`${this.#noun} ${place} stopped and never started`);
			return;
		}
		if (block.stopped) return;
		block.stopped = true;
		if (block.call === undefined) return;
		this.#reply.close(block.call, block.call.hasArguments ? undefined : block.input);
	}

	#fail(problem: string): void {
		this.#reply.fail({ problem });
	}
}
