// Work budget
//
// What one call of a workspace tool may look at before it answers with what it has: names, files, bytes and time. A search
// from the root of a huge tree ends with a part of the answer and a remark that says so, never by filling memory.
//
// Owns:      the count, the reason it stopped, the remark, and the progress reports on the way.
// Does not:  interrupt one long piece of work; the engine's time limit ends such a thread.

import { type Clock, systemClock } from "../../engine/core/clock.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import {
	WORKSPACE_BYTES_MAX,
	WORKSPACE_ENTRIES_MAX,
	WORKSPACE_FILES_MAX,
	WORKSPACE_PROGRESS_MS_MIN,
	WORKSPACE_WORK_MS_MAX,
} from "../../engine/core/tool-limits.js";

export class WorkBudget {
	readonly #context: ToolContext;
	readonly #clock: Clock;
	readonly #startedMs: number;
	#reportedMs: number;
	#entries = 0;
	#files = 0;
	#bytes = 0;
	#stopped: string | undefined;
	#leftOut = new Map<string, number>();

	constructor(context: ToolContext, clock: Clock = systemClock) {
		this.#context = context;
		this.#clock = clock;
		this.#startedMs = clock.monotonicMs();
		this.#reportedMs = this.#startedMs;
	}

	get files(): number {
		return this.#files;
	}

	get bytes(): number {
		return this.#bytes;
	}

	/** Whether one more file may be read; once it may not, it never may again. */
	takeFile(bytes: number): boolean {
		if (!this.mayGoOn()) return false;
		if (this.#files >= WORKSPACE_FILES_MAX) return this.#stop(`after ${WORKSPACE_FILES_MAX} files`);
		if (this.#bytes + bytes > WORKSPACE_BYTES_MAX) return this.#stop(`after ${this.#bytes} bytes`);
		this.#files += 1;
		this.#bytes += bytes;
		return true;
	}

	/** Whether one more name of a folder may be looked at. */
	passEntry(): boolean {
		if (!this.mayGoOn()) return false;
		if (this.#entries >= WORKSPACE_ENTRIES_MAX) return this.#stop(`after ${WORKSPACE_ENTRIES_MAX} files and folders`);
		this.#entries += 1;
		return true;
	}

	/** Whether time is left and nobody has called the work off. */
	mayGoOn(): boolean {
		if (this.#stopped !== undefined) return false;
		if (this.#context.cancelled()) return this.#stop("because the call was called off");
		const now = this.#clock.monotonicMs();
		if (now - this.#startedMs > WORKSPACE_WORK_MS_MAX) return this.#stop(`after ${WORKSPACE_WORK_MS_MAX} ms`);
		if (now - this.#reportedMs >= WORKSPACE_PROGRESS_MS_MIN) {
			this.#reportedMs = now;
			this.#context.progress({ files: this.#files, bytes: this.#bytes });
		}
		return true;
	}

	/** Ends the work for a reason of the tool's own, such as a full list of matches. */
	stop(reason: string): void {
		this.#stop(reason);
	}

	/** Counts something that was passed over, for the remark. */
	leaveOut(what: string): void {
		this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
	}

	/** What the reader of the answer must know about what is missing; nothing when nothing is. */
	remark(): { readonly remark?: string } {
		const leftOut = [...this.#leftOut].map(([what, count]) => `${what} (${count})`).join(", ");
		const parts = [
			...(this.#stopped === undefined ? [] : [`stopped ${this.#stopped}: a part of the answer, ask for less`]),
			...(leftOut === "" ? [] : [`left out: ${leftOut}`]),
		];
		return parts.length === 0 ? {} : { remark: parts.join("; ") };
	}

	#stop(reason: string): false {
		this.#stopped ??= reason;
		return false;
	}
}
