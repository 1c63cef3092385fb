// Wave classes
//
// Which kinds of trouble a random case holds, so that a run of the property can say how often it met each and fail when
// one has become too rare to prove anything.
//
// Owns:      the classes, the count and the minimum.
// Does not:  make the cases.

import type { Reading } from "./reading.js";
import type { WaveCase } from "./wave-arbitrary.js";
import type { WaveWatch } from "./wave-watch.js";

/** Each class is found in the case, in what the reference said of it, or in what was seen while it ran. */
export function classesOf(wave: WaveCase, expected: Reading, watch: WaveWatch): Set<string> {
	const lines = expected.lines.join("\n");
	const found = new Set<string>([`schedule: ${wave.schedule}`, `cap: ${wave.maxParallelToolCalls}`]);
	const add = (name: string, held: boolean): void => void (held && found.add(name));
	for (const { outcome } of expected.results) found.add(`outcome: ${outcome.error?.code ?? "a value"}`);
	for (const [, effect] of lines.matchAll(/"effect":("\w+"|\{"\w+")/g))
		found.add(`effect: ${effect?.replace(/\W/g, "")}`);
	const names = new Set(wave.calls.map(({ name }) => name));
	add("call: safe write", names.has("note") || names.has("fickle"));
	add("call: unsafe read", names.has("probe") || names.has("doubtful"));
	add("call: through another", names.has("call"));
	add("repeat of an earlier call", lines.includes('"replayOf"'));
	add("steer", expected.steers.length > 0);
	add("cancel", expected.status === "aborted" && lines.includes("cancel_received"));
	add("stop on error", lines.includes("STOPPED_BY_ERROR"));
	add("refused by a count", lines.includes("are spent") || lines.includes("Refused after"));
	add("refused by taint", lines.includes('"rule":"taint"'));
	add("answered by a policy", lines.includes('"kept"') || lines.includes('"admitted"') || lines.includes('"before"'));
	add("rewritten at accounting", lines.includes('"rewritten"'));
	add("policies that wait", wave.policiesWait && wave.policies.length > 0);
	add(
		"settled out of call order",
		watch.left.some((n, place) => n < (watch.left[place - 1] ?? 0)),
	);
	add("ran several at once", watch.mostAtOnce > 1);
	add("ran ahead", watch.early > 0);
	if (wave.arrival.kind === "offered") found.add(`reply: ${wave.arrival.end}`);
	return found;
}

export class ClassCount {
	readonly #counts = new Map<string, number>();

	add(classes: Iterable<string>): void {
		for (const name of classes) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
	}

	/** One line a class, most common first. */
	table(): string {
		const rows = [...this.#counts].sort(([, left], [, right]) => right - left);
		return rows.map(([name, count]) => `${String(count).padStart(7)}  ${name}`).join("\n");
	}

	/** The classes that were met less often than the least. */
	rarer(least: Readonly<Record<string, number>>): string[] {
		const short = Object.entries(least).filter(([name, count]) => (this.#counts.get(name) ?? 0) < count);
		return short.map(([name, count]) => `${name}: ${this.#counts.get(name) ?? 0} of at least ${count}`);
	}
}
