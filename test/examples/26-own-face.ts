// A face of one's own
//
// The trait implemented by hand, for a host that brings its own admission and accounting: who may do what is looked up in a
// table, and each answer is signed before the model reads it. The stages, the schedule and the ledger are the engine's.

import { createHash } from "node:crypto";
import process from "node:process";
import {
	type Admitted,
	type ConcurrentInvoke,
	canonical,
	executeConcurrent,
	type Invocable,
	memoryLedger,
	type Outcome,
	type ToolCall,
	type ToolMeta,
} from "wavetrain";

/** What the host's own registry knows of a tool. */
interface Registered extends ToolMeta {
	readonly role: "anyone" | "owner";
	run(args: Readonly<Record<string, string>>): string;
}

/** Proof that admission cleared a call. Nobody else makes one, so nothing else can run. */
interface Pass {
	readonly tool: Registered;
	readonly role: string;
}

class RoleFace implements ConcurrentInvoke<Pass> {
	readonly #tools: ReadonlyMap<string, Registered>;
	readonly #role: string;
	/** Counted at accounting alone, which comes in call order whatever finished first. */
	#signed = 0;

	constructor(tools: readonly Registered[], role: string) {
		this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
		this.#role = role;
	}

	/** Models of this host call through one tool; what they mean is found before anything reads a registration. */
	resolveCall(call: ToolCall): ToolCall {
		if (call.name !== "use") return call;
		const { tool, ...args } = call.args as Record<string, string>;
		return { id: call.id, name: tool ?? "", args };
	}

	metaOf({ name }: ToolCall): ToolMeta | undefined {
		return this.#tools.get(name);
	}

	/** One call at a time, in call order. It looks at nothing that its own segment was accounted as. */
	admit({ name }: ToolCall): Admitted<Pass> {
		const tool = this.#tools.get(name);
		if (tool === undefined) return { answered: refusal("UNKNOWN_TOOL", `There is no ${name}.`, "Use look or store.") };
		if (tool.role === "owner" && this.#role !== "owner") {
			return { answered: refusal("DENIED", `${name} is for the owner.`, "Ask the owner to do it.") };
		}
		return { cleared: { tool, role: this.#role } };
	}

	/** What a cleared call runs on. A throw is `TOOL_FAILED` for this call alone. */
	tool({ tool }: Pass): Invocable {
		return { invoke: ({ args }) => ({ ok: true, value: tool.run(args as Record<string, string>) }) };
	}

	/** Once for each pass, in call order: what it returns is what the model reads and what the ledger holds. */
	account(_call: ToolCall, { role }: Pass, answered: Outcome): Outcome {
		if (!answered.ok) return answered;
		this.#signed += 1;
		const signature = createHash("sha256")
			.update(`${role} ${String(answered.value)}`)
			.digest("hex")
			.slice(0, 6);
		return { ok: true, value: `${this.#signed}. ${String(answered.value)} (${signature})` };
	}
}

function refusal(code: "UNKNOWN_TOOL" | "DENIED", message: string, recovery: string): Outcome {
	return { ok: false, error: { code, message, recovery } };
}

const shelf = new Map([["a", "an apple"]]);
const tools: readonly Registered[] = [
	{ name: "look", effect: "read", role: "anyone", run: ({ at = "" }) => shelf.get(at) ?? "nothing" },
	{
		name: "store",
		effect: "write",
		role: "owner",
		run({ at = "", what = "" }) {
			shelf.set(at, what);
			return `stored ${what}`;
		},
	},
];

const calls: readonly ToolCall[] = [
	{ id: "1", name: "look", args: { at: "a" } },
	{ id: "2", name: "use", args: { tool: "look", at: "b" } },
	{ id: "3", name: "use", args: { tool: "store", at: "b", what: "a pear" } },
	{ id: "4", name: "look", args: { at: "b" } },
	{ id: "5", name: "burn", args: {} },
];

for (const role of ["guest", "owner"]) {
	const ledger = memoryLedger();
	const { results } = await executeConcurrent(new RoleFace(tools, role), calls, { ledger });
	process.stdout.write(`as ${role}\n`);
	for (const { name, outcome } of results) {
		process.stdout.write(`  ${name}: ${outcome.ok ? String(outcome.value) : outcome.error.message}\n`);
	}
	const lines: string[] = [];
	for await (const entry of ledger.entries()) lines.push(canonical(entry));
	process.stdout.write(`  ${lines.length} lines of history\n`);
}

// Prints:
//   as guest
//     look: 1. an apple (a91972)
//     look: 2. nothing (997e8d)
//     store: store is for the owner.
//     look: 3. nothing (997e8d)
//     burn: There is no burn.
//     11 lines of history
//   as owner
//     look: 1. an apple (922aff)
//     look: 2. nothing (235d9a)
//     store: 3. stored a pear (978af8)
//     look: 4. a pear (487cc5)
//     burn: There is no burn.
//     11 lines of history
