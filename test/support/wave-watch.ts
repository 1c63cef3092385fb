// Wave watch
//
// Sees which tools ran beside which while a random wave runs, and keeps the first thing that may not happen: a call
// that is not safe beside another, more calls than the cap, a call that is not a read before the reply has ended well,
// a call that is not a read run more often than it was asked for.
//
// Owns:      those four observations.
// Does not:  look at results or the ledger.

import type { ToolCall } from "../../engine/core/call.js";
import { isRead } from "../../engine/core/effect.js";
import { effectOf, isSafe } from "../../engine/core/tool.js";
import { scriptedTools } from "./scripted-tools.js";
import type { WaveCase } from "./wave-arbitrary.js";

const tools = new Map(scriptedTools({ plays: new Map() }).map((tool) => [tool.name, tool]));

export class WaveWatch {
	/** What went wrong first; `undefined` while nothing did. */
	fault: string | undefined;
	/** The numbers in the order their tools left. */
	readonly left: number[] = [];
	/** How many tools were entered before the reply had ended. */
	early = 0;
	/** The most tools that were inside at one time. */
	mostAtOnce = 0;
	readonly #wave: WaveCase;
	readonly #running: { readonly n: number; readonly safe: boolean }[] = [];
	readonly #changes = new Map<string, number>();
	#settling = false;

	constructor(wave: WaveCase) {
		this.#wave = wave;
	}

	/** The reply has ended well: from here on every admitted call may run. */
	settling(): void {
		this.#settling = true;
	}

	enter(name: string, n: number): void {
		const { read, safe } = standing(name, n);
		if (!this.#settling) this.early += 1;
		this.#running.push({ n, safe });
		this.mostAtOnce = Math.max(this.mostAtOnce, this.#running.length);
		if (!read) this.#seeChange(name, n);
		// What was started early and thrown away may still run beside what was admitted.
		if (this.early === 0) this.#seeCompany(`${name} ${n}`);
	}

	leave(_name: string, n: number): void {
		this.#running.splice(
			this.#running.findIndex((running) => running.n === n),
			1,
		);
		this.left.push(n);
	}

	#seeChange(name: string, n: number): void {
		if (!this.#settling) this.#see(`${name} ${n} ran before the reply had ended, and it is not a read`);
		const times = (this.#changes.get(`${name} ${n}`) ?? 0) + 1;
		this.#changes.set(`${name} ${n}`, times);
		const asked = this.#wave.calls.filter((call) => nameOf(call) === name).length;
		if (times > asked) this.#see(`${name} ${n} ran ${times} times`);
	}

	#seeCompany(who: string): void {
		const most = this.#wave.schedule === "serial" ? 1 : this.#wave.maxParallelToolCalls;
		if (this.#running.length > most) this.#see(`${this.#running.length} calls ran at once, ${most} may`);
		const alone = this.#running.length > 1 && this.#running.some(({ safe }) => !safe);
		if (alone) this.#see(`${who} ran beside others, and one of them is not safe`);
	}

	#see(fault: string): void {
		this.fault ??= fault;
	}
}

function standing(name: string, n: number): { read: boolean; safe: boolean } {
	const tool = tools.get(name);
	if (tool === undefined) return { read: false, safe: false };
	const effect = effectOf(tool, { n });
	return { read: isRead(effect), safe: isSafe(tool, { n }, effect) };
}

function nameOf({ name, args }: ToolCall): string {
	return name === "call" ? (args as { name: string }).name : name;
}
