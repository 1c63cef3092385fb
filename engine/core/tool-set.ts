// Tool set
//
// The tools of one engine by name. A `Map`, so that a model asking for `constructor` asks for an unknown tool.
//
// Owns:      lookup, and the near names that an unknown one is answered with.
// Does not:  check a tool (tool.ts).

import { distance } from "fastest-levenshtein";
import { EngineError } from "./errors.js";
import { NEAR_NAME_CHARS_MAX, NEAR_NAMES_MAX } from "./limits.js";
import { isTool, type Tool } from "./tool.js";

export class ToolSet {
	readonly #byName = new Map<string, Tool>();
	/** The names without dress, for the near ones; made at the first that is unknown. */
	#plainNames: readonly PlainName[] | undefined;

	constructor(tools: readonly Tool[]) {
		const action = "take the tools";
		for (const [place, one] of tools.entries()) {
			if (!isTool(one)) {
				const problem = `tools[${place}] was not made by tool()`;
				throw new EngineError("INVALID_TOOL", { action, problem });
			}
			if (this.#byName.has(one.name)) {
				throw new EngineError("INVALID_TOOL", { action, problem: `two tools are named ${JSON.stringify(one.name)}` });
			}
			this.#byName.set(one.name, one);
		}
	}

	get(name: string): Tool | undefined {
		return this.#byName.get(name);
	}

	/** Names that were probably meant: few letters away, or the same words in another dress. */
	near(name: string): string[] {
		if (name.length > NEAR_NAME_CHARS_MAX) return [];
		const wanted = plain(name);
		this.#plainNames ??= [...this.#byName.keys()].map((known) => ({ known, letters: plain(known) }));
		const close: { known: string; away: number }[] = [];
		for (const { known, letters } of this.#plainNames) {
			const most = lettersAway(letters);
			// The lengths alone put most names too far away, and are known without comparing letters.
			if (Math.abs(letters.length - wanted.length) > most) continue;
			const away = distance(letters, wanted);
			if (away <= most) close.push({ known, away });
		}
		close.sort((left, right) => left.away - right.away || (left.known < right.known ? -1 : 1));
		return close.slice(0, NEAR_NAMES_MAX).map(({ known }) => known);
	}
}

interface PlainName {
	readonly known: string;
	readonly letters: string;
}

/** How many letters may be wrong. Under half of a short name, or every name of two letters would be near every other. */
function lettersAway(known: string): number {
	return Math.min(Math.max(2, Math.floor(known.length / 3)), Math.floor((known.length - 1) / 2));
}

function plain(name: string): string {
	return name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
