// Taint
//
// Content from outside may carry instructions of its own. Once it has entered a run, the effects that such instructions
// would misuse are closed for the rest of the run. Labels say where content came from: an effect that reaches out brings
// its own, a tool adds what it says of itself. They enter at accounting, in call order, and nowhere else, so that every
// call of one segment is judged by the same set whatever finishes first.
//
// Owns:      the labels of each run, the table of what each closes, the note in the entries.
// Does not:  look at content: what a label stands for is declared, never guessed.
//
// Invariants:
//   TA1. A label enters when the call that brings it is accounted, and stays until the run is forgotten.

import { type Effect, effectName, hint, type ToolAnnotations } from "../core/effect.js";
import type { KnownFields } from "../core/known-fields.js";
import { showValue } from "../core/show-value.js";
import { EFFECT_KINDS, type EffectKind, kindOf, kindSet } from "./effect-kind.js";
import { neverRan } from "./never-ran.js";
import type { Policy, PolicyView, RecordedEntry, Verdict } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { RunLines } from "./run-lines.js";
import type { Seen } from "./run-memory-parts.js";
import { RunStates } from "./run-states.js";

/**
 * What {@link taint} closes.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface TaintOptions {
	/**
	 * The effects that every label closes, or a table of them by label; a label that the table does not name closes
	 * everything but reads. Default: everything but reads.
	 */
	readonly closes?: readonly EffectKind[] | Readonly<Record<string, readonly EffectKind[]>>;
}

const FIELDS: KnownFields<TaintOptions> = { closes: true };

/** Each label and the call that brought it first. */
type Labels = Map<string, string>;

interface Notes {
	/** What calls brought whose entries are not written yet. */
	readonly noted: Map<string, readonly string[]>;
	/** What the calls brought of which the first entry is written and the second is not: one, and the ones that it is nested in. */
	readonly open: (readonly string[] | undefined)[];
}

const NO_LABELS: readonly string[] = [];

type Closes = (label: string) => ReadonlySet<EffectKind>;

const ALL_BUT_READS: ReadonlySet<EffectKind> = new Set(EFFECT_KINDS.filter((kind) => kind !== "read"));

/**
 * Closes effects for the rest of a run once content from outside has entered it.
 *
 * A call brings labels when it ends after its tool began, with a value or not: an egress brings `egress`, a connector
 * `connector(<its label>)`, a tool with `annotations.openWorldHint` brings `open-world`, and one with
 * `annotations.taint` the label, or the list of labels, that stand there. Its `tool_result` entry names them as `taint`.
 * A call of a closed effect is `DENIED` by the rule `taint`.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option or an effect that does not exist.
 * @remarks Since 0.1.0.
 * @public
 */
export function taint(options: TaintOptions = {}): Policy {
	demandKnown(options, FIELDS);
	const closes = tableOf(options.closes);
	// A run has either only once it is tainted, so clean runs push nobody out.
	const memory = new RunLines<Labels>({ make: () => new Map(), absorb: addLabels });
	const notes = new RunStates<Notes>(() => ({ noted: new Map(), open: [] }));
	return {
		name: "taint",
		admit(_call, view) {
			const seen = memory.enterKnown(view);
			return seen.length === 0 ? "clear" : verdictOn(view.effect, labelsIn(seen), closes);
		},
		account(call, outcome, view) {
			const labels = neverRan(outcome) ? NO_LABELS : labelsOf(view);
			// TA1: the one place where a label enters, and there is none where one leaves.
			memory.accounted(view, outcome, labels.length === 0 ? undefined : bringing(labels, view));
			const noting = labels.length === 0 ? notes.known(view.runId) : notes.of(view.runId);
			if (noting === undefined) return;
			const place = placeOf(view.lineage ?? [view.index], call);
			// An earlier call of this place may have been thrown away before it had an entry. One whose entry stands already
			// would leave its note to a later call of the place.
			if (labels.length === 0 || view.resumed === "accounted") noting.noted.delete(place);
			else noting.noted.set(place, labels);
		},
		record(entry) {
			const noting = notes.known(entry.runId);
			return noting === undefined ? entry.data : withNote(entry, noting);
		},
	};
}

function addLabels(into: Labels, from: ReadonlyMap<string, string>): void {
	for (const [label, call] of from) if (!into.has(label)) into.set(label, call);
}

// Kept until the segment is over, so of the view only what names the call; most calls bring what is there already.
function bringing(labels: readonly string[], { step, index, lineage = [index] }: PolicyView): (into: Labels) => void {
	return (into) => {
		for (const label of labels) if (!into.has(label)) into.set(label, `call ${lineage.join(".")} of step ${step}`);
	};
}

function labelsIn(seen: readonly Seen<Labels, never>[]): ReadonlyMap<string, string> {
	const [run, ...makers] = seen;
	if (run !== undefined && makers.length === 0) return run.state;
	const labels: Labels = new Map(run?.state);
	for (const { state } of makers) addLabels(labels, state);
	return labels;
}

function verdictOn(effect: Effect, labels: ReadonlyMap<string, string>, closes: Closes): Verdict {
	const kind = kindOf(effect);
	const closing: (readonly [string, string])[] = [];
	for (const one of labels) if (closes(one[0]).has(kind)) closing.push(one);
	if (closing.length === 0) return "clear";
	const from = closing.map(([label, call]) => `${label} (from ${call})`).join(", ");
	return {
		deny: {
			rule: "taint",
			violation: `Content from outside has entered the run, ${from}, and closes ${effectName(effect)} to it.`,
			alternative: "Go on with what is still open, or ask for this in a run of its own before anything from outside.",
		},
	};
}

function labelsOf({ effect, annotations }: PolicyView): readonly string[] {
	const kind = kindOf(effect);
	const reachesOut = kind === "egress" || kind === "connector";
	const reached = reachesOut ? [effectName(effect)] : NO_LABELS;
	if (annotations === undefined) return reached;
	const labels = new Set(reached);
	if (hint(annotations, "openWorldHint")) labels.add("open-world");
	for (const label of ownWord(annotations)) labels.add(label);
	return [...labels];
}

// Anything but a text or a list of texts is no label of the tool's; a number there still says that something is tainted.
function ownWord(annotations: ToolAnnotations | undefined): readonly string[] {
	const said = annotations?.taint;
	if (said === undefined || said === false || said === null) return [];
	return (Array.isArray(said) ? said : [said]).map(String);
}

// A call's two entries stand around those of the calls that it made, and only the first says whose call it is: so the
// second one is known by the first.
function withNote({ kind, data }: RecordedEntry, { noted, open }: Notes): RecordedEntry["data"] {
	if (kind === "tool_called") {
		const place = placeOf(data.lineage, data);
		open.push(noted.get(place));
		noted.delete(place);
		return data;
	}
	const labels = kind === "tool_result" ? open.pop() : undefined;
	if (labels === undefined) return data;
	// A field behind what was spread makes an object that is slow to make and to read; assigning cannot set `__proto__`.
	if (Object.hasOwn(data, "__proto__")) return { ...data, taint: labels };
	return Object.assign({}, data, { taint: labels });
}

function placeOf(lineage: unknown, { id, name }: { readonly id?: unknown; readonly name?: unknown }): string {
	const path = Array.isArray(lineage) && lineage.length === 1 ? lineage[0] : lineage;
	return `${String(path)} ${String(id)} ${String(name)}`;
}

function tableOf(closes: TaintOptions["closes"]): Closes {
	if (closes === undefined) return () => ALL_BUT_READS;
	if (typeof closes !== "object" || closes === null)
		refuse(`closes is ${showValue(closes)}, neither a list nor a table`);
	if (Array.isArray(closes)) {
		const same = kindSet(closes, "closes");
		return () => same;
	}
	const rows = Object.entries(closes).map(([label, kinds]) => [label, kindSet(kinds, `closes[${label}]`)] as const);
	const table = new Map(rows);
	return (label) => table.get(label) ?? ALL_BUT_READS;
}
