// Tee stream: two sides, whatever the order in which they ask, stop and are slow.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TEE_PIECES_MAX } from "../../engine/core/limits.js";
import { readStream } from "../../engine/streams/read-stream.js";
import { teeStream } from "../../engine/streams/tee-stream.js";
import { allOf, asServerSentEvents } from "./recordings.js";

/** A source that is moved by hand: each request waits until it is answered here. */
class HandSource implements AsyncIterable<number> {
	asked = 0;
	released = 0;
	waiting = 0;
	#answer: ((result: IteratorResult<number>) => void) | undefined;
	#refuse: ((cause: unknown) => void) | undefined;

	[Symbol.asyncIterator](): AsyncIterator<number> {
		return {
			next: () => {
				this.asked += 1;
				this.waiting += 1;
				return new Promise((resolve, reject) => {
					this.#answer = resolve;
					this.#refuse = reject;
				});
			},
			return: async () => {
				this.released += 1;
				return { done: true, value: undefined };
			},
		};
	}

	/** Gives the next number, or says that there are no more, or throws. */
	move(step: "give" | "end" | Error): void {
		this.waiting -= 1;
		if (step instanceof Error) this.#refuse?.(step);
		else this.#answer?.(step === "give" ? { done: false, value: this.asked - 1 } : { done: true, value: undefined });
	}
}

/** Lets every promise that can settle do so. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** What a side answered, in the order it was asked. */
class Heard {
	readonly lines: string[] = [];
	#pending = 0;

	ask(side: AsyncIterator<number, undefined>): void {
		const place = this.lines.push("waiting") - 1;
		this.#pending += 1;
		side.next().then(
			({ done, value }) => this.#note(place, done === true ? "end" : String(value)),
			(cause: unknown) => this.#note(place, String(cause)),
		);
	}

	get pending(): number {
		return this.#pending;
	}

	#note(place: number, line: string): void {
		this.lines[place] = line;
		this.#pending -= 1;
	}
}

const moves = fc.array(
	fc.oneof(
		{ weight: 8, arbitrary: fc.constantFrom("ask 0", "ask 1", "give", "give") },
		{ weight: 1, arbitrary: fc.constantFrom("stop 0", "stop 1", "end", "throw") },
	),
	{ maxLength: 120 },
);

describe("two sides", () => {
	test("TE1, TE2, TE3: have the whole source in any order of asking, giving and stopping, within the bound", async () => {
		await fc.assert(
			fc.asyncProperty(moves, async (all) => {
				const source = new HandSource();
				const sides = teeStream(source);
				const heard = [new Heard(), new Heard()] as const;
				const stopped = [false, false];
				let last: string | undefined;
				let released = 0;
				for (const move of all) {
					const place = move.endsWith("1") ? 1 : 0;
					if (move.startsWith("ask")) heard[place].ask(sides[place]);
					else if (move.startsWith("stop")) {
						stopped[place] = true;
						await sides[place].return?.();
						// A source that had ended by then has nothing to be released.
						if (!stopped.includes(false) && last === undefined) released = 1;
					} else if (source.waiting > 0 && last === undefined) {
						if (move !== "give") last = move === "end" ? "end" : "Error: reset";
						source.move(move === "throw" ? new Error("reset") : (move as "give" | "end"));
					}
					await settled();
					const taken = heard.map(({ lines }) => lines.filter((line) => /^\d/.test(line)).length);
					expect(source.waiting).toBeLessThanOrEqual(1);
					if (!stopped.includes(true)) {
						expect(Math.abs((taken[0] ?? 0) - (taken[1] ?? 0))).toBeLessThanOrEqual(TEE_PIECES_MAX);
						expect(source.asked).toBeLessThanOrEqual(Math.min(...taken) + TEE_PIECES_MAX + 1);
					}
				}
				for (const [place, { lines, pending }] of heard.entries()) {
					const numbers = lines.filter((line) => /^\d/.test(line));
					expect(numbers).toEqual(numbers.map((_, at) => String(at)));
					const rest = lines.slice(numbers.length).filter((line) => line !== "waiting");
					expect(rest.slice(1).every((line) => line === "end")).toBe(true);
					if (rest.length > 0 && !stopped[place]) expect(rest[0]).toBe(last);
					if (stopped[place]) expect(pending).toBe(0);
				}
				expect(source.released).toBe(released);
			}),
			{ numRuns: 500 },
		);
	});

	test("TE2: of which one is not read, hold the source and the other at the bound until it stops", async () => {
		let asked = 0;
		function* source(): Generator<number> {
			for (;;) {
				asked += 1;
				yield asked;
			}
		}
		const [one, other] = teeStream(source());
		const heard = new Heard();
		for (let time = 0; time < TEE_PIECES_MAX + 5; time += 1) heard.ask(one);
		await settled();
		for (let turn = 0; turn < TEE_PIECES_MAX; turn += 1) await settled();
		expect(asked).toBe(TEE_PIECES_MAX);
		expect(heard.pending).toBe(5);
		await other.return?.();
		for (let turn = 0; turn < TEE_PIECES_MAX; turn += 1) await settled();
		expect(heard.pending).toBe(0);
		expect(asked).toBe(TEE_PIECES_MAX + 5);
	});

	test("TE3: that stop while the source is slow let it go at once, and their waits end", async () => {
		const source = new HandSource();
		const sides = teeStream(source);
		const heard = new Heard();
		heard.ask(sides[0]);
		await sides[0].return?.();
		await settled();
		expect(heard.lines).toEqual(["end"]);
		expect(source.released).toBe(0);
		await sides[1].return?.();
		expect(source.released).toBe(1);
		source.move(new Error("reset"));
		await settled();
		await sides[1].return?.();
		expect(source.released).toBe(1);
	});
});

test("a host shows the text of a stream that the engine reads, and goes on where the engine ends early", async () => {
	const text = { choices: [{ index: 0, delta: { content: "Hello" } }] };
	const finish = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
	const wire = `${asServerSentEvents([text, finish])}data: [DONE]\n\ndata: after the end\n\n`;
	const pieces = Array.from({ length: wire.length }, (_, at) => new TextEncoder().encode(wire[at]));
	const [shown, read] = teeStream(new Response(new Blob(pieces)).body as AsyncIterable<Uint8Array>);
	const showing = (async () => {
		const decoder = new TextDecoder();
		let all = "";
		for await (const piece of shown) all += decoder.decode(piece, { stream: true });
		return all;
	})();
	const items = await allOf(readStream("openai-chat", read));
	expect(items.map(({ kind }) => kind)).toEqual(["text", "end"]);
	expect(await showing).toBe(wire);
});

test.each<[string, unknown, string]>([
	["that cannot be iterated", 7, "the source cannot be iterated"],
	["that is null", null, "the source is null, which cannot be iterated: the response has no body"],
	["that is missing", undefined, "the source is undefined, which cannot be iterated: the response has no body"],
])("a source %s is refused at once", (_name, source, problem) => {
	const message = expect.stringContaining(problem) as string;
	expect(() => teeStream(source as Iterable<number>)).toThrow(
		expect.objectContaining({ code: "STREAM_UNREADABLE", message }) as Error,
	);
});
