// Checkpoint net
//
// A net under calls that discard files. Before such a call runs, what it could remove or write over is kept, and its entry
// names where; a person can put it back. A call whose loss cannot be kept does not run: a net with a hole that nobody knows
// of would be worse than none.
//
// What is kept is decided at admission, and once more when the call begins: a person may have been asked in between, and
// may have answered with an edit. The reference is the digest of what was kept, so it is the same under every
// schedule, on every machine and in whichever store it ends up.
//
// A call that was admitted before a pause or a crash is kept no second time: by now the files may be what it made of them.
// The note that was written with its copy says what its entry names.
//
// Owns:      which calls are asked about, the refusal, the note in the entry.
// Does not:  keep anything (net.ts), know commands (discarding-commands.ts) or stop what a script does out of sight.

import { argumentsKey, type ToolCall } from "../core/call.js";
import { isRead } from "../core/effect.js";
import { keyLists } from "../core/lock-keys.js";
import { NeverSettled } from "../core/thenable.js";
import { Net } from "./net.js";
import type { CallNote, FoundNotes } from "./net-calls.js";
import { NetNotes, type Noted, unique } from "./net-notes.js";
import type { CheckpointNetOptions, RestoreReport } from "./net-options.js";
import { CannotKeep } from "./net-refusal.js";
import type { BeginVerdict, BeginView, Policy, PolicyView, Verdict } from "./policy.js";

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
	 * @throws EngineError `RESTORE_FAILED` for an unknown reference, for a place where there is no room for what was there,
	 * and where what stands there now cannot be kept; nothing is changed then. An error of the file system is thrown as it is.
	 */
	restore(reference: string): Promise<RestoreReport>;
}

/**
 * Keeps the files that a call could discard, as they are when it begins. Its `tool_called` entry names them as `kept`: references to
 * be given to `restore`, one for each form that middleware made of the call, and one more for each time it ran again.
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
		const noted = notedOf(call, view);
		let known: readonly string[] = [];
		try {
			known = await knownBefore({ net, notes }, noted, view);
			const stakes = await net.stakesOf(call, view);
			const place = { runId: view.runId, step: view.step, path: noted.path };
			const { asked } = notes.of(noted);
			const named = (reference: string): readonly string[] => unique([...known, reference]);
			const note = (reference: string): CallNote => {
				return { at: view.at, kept: unique([...(noted.rewritten ? asked : []), ...named(reference)]) };
			};
			// The call is cleared only after everything is durable, and the note of it too.
			const reference = stakes.length === 0 ? undefined : await net.keep(stakes, { place, note });
			if (reference === undefined && known.length === 0 && !noted.rewritten) await net.forget(place, view.resumed);
			notes.put(noted, reference === undefined ? known : named(reference), reference);
			return "clear";
		} catch (error) {
			notes.put(noted, known);
			return refusal(call, error);
		}
	};
	return {
		name: "checkpoint-net",
		admit: (call, view) => {
			if (isPast(view)) return recalled({ net, notes }, notedOf(call, view), view);
			// Reads pay nothing: no promise, no note.
			return options.suspect === undefined && isRead(view.effect) ? "clear" : judge(call, view);
		},
		begin: (call, view) => keptAtBegin({ net, notes }, call, view),
		record: (entry) => notes.added(entry),
		restore: (reference) => net.restore(reference),
	};
}

/**
 * The call begins: what it could discard now may be another thing than what was kept at admission, and takes its place. Of a
 * call that may have begun before, it may be what the call made of it, and stands behind.
 *
 * A call that others run beside is another matter: what those do to files is in nobody's order, except to files whose keys
 * the call holds. So only those are looked at anew, and the entry stays the same under every schedule.
 */
async function keptAtBegin({ net, notes }: Memory, call: ToolCall, view: BeginView): Promise<BeginVerdict> {
	const noted = notedOf(call, view);
	const { asked, forms, admitted } = notes.of(noted);
	const known = noted.rewritten ? forms : asked;
	const outdated = view.again === true ? undefined : admitted.get(argumentsKey(call.args));
	const still = known.filter((one) => one !== outdated);
	const now = (reference: string): readonly string[] =>
		outdated === undefined ? unique([...known, reference]) : known.map((one) => (one === outdated ? reference : one));
	const ofCall = (own: readonly string[]): readonly string[] =>
		unique(noted.rewritten ? [...asked, ...own] : [...own, ...forms]);
	try {
		const stakes = await net.stakesOf(call, view);
		if (stakes.length === 0) return "clear";
		const place = { runId: view.runId, step: view.step, path: noted.path };
		const note = (reference: string): CallNote => ({ at: view.at, kept: ofCall(now(reference)) });
		const older = outdated ?? known[0];
		const reference = await net.keepAgain(stakes, { noted: { place, note }, known, older, isFresh: freshnessIn(view) });
		const own = reference === undefined ? still : now(reference);
		if (known.length > 0 && ofCall(own).length === 0) await net.forget(place, "admitted");
		notes.begun(noted, own);
		return "clear";
	} catch (error) {
		notes.begun(noted, still);
		return refusal(call, error);
	}
}

function freshnessIn({ alone, held = [] }: BeginView): ((path: string) => boolean) | undefined {
	if (alone) return undefined;
	const keys = new Set(keyLists(held).write);
	return (path) => keys.has(`file:${path}`);
}

interface Memory {
	readonly net: Net;
	readonly notes: NetNotes;
}

/** What had been kept for the call when it came here before: its entry names that first. */
async function knownBefore({ net, notes }: Memory, noted: Noted, view: PolicyView): Promise<readonly string[]> {
	if (noted.rewritten) return notes.of(noted).forms;
	// What made it had begun and begins anew, so this one may have begun as well.
	const orphan = notes.takeOrphan(noted);
	if (view.resumed !== "begun") return orphan;
	const { own, below } = await net.notesOf({ runId: view.runId, step: view.step, path: noted.path });
	notes.putOrphans(noted, below);
	return own;
}

/** It was judged then, and what it could discard is gone or stands: nothing is kept, and what was is found again. */
async function recalled({ net, notes }: Memory, noted: Noted, view: PolicyView): Promise<Verdict> {
	// The note of a call names what was kept for all its forms.
	if (noted.rewritten) return "clear";
	const isRecorded = view.resumed === "accounted";
	try {
		const place = { runId: view.runId, step: view.step, path: noted.path };
		const { own, below } = isRecorded ? NO_NOTES : await net.notesOf(place);
		notes.takeOrphan(noted);
		// Of several nobody knows which was of which form, so nothing may take the place of one.
		notes.put(noted, own, own.length === 1 ? own[0] : undefined);
		notes.putOrphans(noted, below);
	} catch (error) {
		// A refusal would be of a call that has run. The copies are where they are, and the entry does not name them.
		if (!isExpected(error)) throw error;
	}
	return "clear";
}

const NO_NOTES: FoundNotes = { own: [], below: new Map() };

function isPast({ resumed }: PolicyView): boolean {
	return resumed === "admitted" || resumed === "accounted";
}

function notedOf(call: ToolCall, { runId, index, lineage = [index], rewritten }: PolicyView): Noted {
	return { runId, path: lineage, call, rewritten: rewritten === true };
}

function refusal(call: ToolCall, error: unknown): BeginVerdict {
	// Anything else is a fault of this package or of the host's code, and is not for the model to deal with.
	if (!isExpected(error)) throw error;
	return {
		deny: {
			rule: "checkpoint-net",
			violation: `What ${call.name} could discard cannot be kept: ${(error as Error).message}.`,
			alternative: "Name fewer or smaller files, or have whoever runs this host widen the net.",
		},
	};
}

function isExpected(error: unknown): boolean {
	return error instanceof CannotKeep || error instanceof NeverSettled || isOfTheSystem(error);
}

function isOfTheSystem(error: unknown): boolean {
	return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string" && "syscall" in error;
}
