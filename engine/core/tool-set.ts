// Tool set
//
// The tools of one engine by name. A `Map`, so that a model asking for `constructor` asks for an unknown tool.
//
// Owns:      lookup, and the near names that an unknown one is answered with.
// Does not:  check a tool (tool.ts) or say what is near (near-names.ts).

import { EngineError } from "./errors.js";
import { NearNames } from "./near-names.js";
import { isTool, type Tool } from "./tool.js";

export class ToolSet {
	readonly #byName = new Map<string, Tool>();
	/** Made at the first name that is unknown. */
	#names: NearNames | undefined;

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

	/** The names that were probably meant by one that no tool has. */
	near(name: string): string[] {
		this.#names ??= new NearNames(this.#byName.keys());
		return this.#names.to(name);
	}
}
