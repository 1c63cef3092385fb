// Checkpoint net
//
// A net under calls that discard files. Before such a call runs, what it could remove or write over is kept, and its entry
// names where; a person can put it back. A call whose loss cannot be kept does not run: a net with a hole that nobody knows
// of would be worse than none.
//
// What is kept is decided at admission. The reference is the digest of what was kept, so it is the same under every
// schedule, on every machine and in whichever store it ends up.
//
// Owns:      which calls are asked about, the refusal, the note in the entry.
// Does not:  keep anything (net.ts), know commands (discarding-commands.ts) or stop what a script does out of sight.

import type { ToolCall } from "../core/call.js";
import { isRead } from "../core/effect.js";
import { NeverSettled } from "../core/thenable.js";
import { Net } from "./net.js";
import { NetNotes } from "./net-notes.js";
import type { CheckpointNetOptions, RestoreReport } from "./net-options.js";
import { CannotKeep } from "./net-refusal.js";
import type { Policy, PolicyView, Verdict } from "./policy.js";

/**
 * A policy that can undo.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface CheckpointNet extends Policy {
	/**
	 * Puts back what was kept under the reference, by way of keeping what stands there now.
	 *
	 * @throws EngineError `RESTORE_FAILED` for an unknown reference, and for a place where there is no room for what was
	 * there; nothing is changed then. An error of the file system is thrown as it is.
	 */
	restore(reference: string): Promise<RestoreReport>;
}

/**
 * Keeps the files that a call could discard before it runs. Its `tool_called` entry names them as `kept`: one reference,
 * or two where middleware made another form of the call, to be given to `restore`.
 *
 * A write could discard every file that its arguments name, a command what its words say: see `policy/README.md`. A call
 * whose loss cannot be kept is `DENIED` by the rule `checkpoint-net`. List it last: what it keeps for a call that a later
 * policy refuses is kept in vain.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option that does not exist, paths that are no texts and limits that are no
 * numbers above 0.
 * @remarks Since 0.1.0.
 * @public
 */
export function checkpointNet(options: CheckpointNetOptions): CheckpointNet {
	const net = new Net(options);
	const notes = new NetNotes();
	const judge = async (call: ToolCall, view: PolicyView): Promise<Verdict> => {
		const { runId, lineage = [view.index] } = view;
		// As its entry says it.
		const index = lineage.at(-1) ?? view.index;
		const noted = { runId, index, call, rewritten: view.rewritten === true };
		try {
			const stakes = await net.stakesOf(call, view);
			// The call is cleared only after everything is durable.
			notes.put(noted, stakes.length === 0 ? undefined : await net.keep(stakes));
			return "clear";
		} catch (error) {
			notes.put(noted, undefined);
			return refusal(call, error);
		}
	};
	return {
		name: "checkpoint-net",
		// Reads pay nothing: no promise, no note.
		admit: (call, view) => (options.suspect === undefined && isRead(view.effect) ? "clear" : judge(call, view)),
		record: (entry) => notes.added(entry),
		restore: (reference) => net.restore(reference),
	};
}

function refusal(call: ToolCall, error: unknown): Verdict {
	const expected = error instanceof CannotKeep || error instanceof NeverSettled || isOfTheSystem(error);
	// Anything else is a fault of this package or of the host's code, and is not for the model to deal with.
	if (!expected) throw error;
	return {
		deny: {
			rule: "checkpoint-net",
			violation: `What ${call.name} could discard cannot be kept: ${(error as Error).message}.`,
			alternative: "Name fewer or smaller files, or have whoever runs this host widen the net.",
		},
	};
}

function isOfTheSystem(error: unknown): boolean {
	return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string" && "syscall" in error;
}
