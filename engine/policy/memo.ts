// Memo
//
// The same read again, the same answer again, until a write may have changed it. A read is answered at admission from
// what was accounted in earlier segments; what is remembered changes only at accounting and admission, in call order, so
// the same calls are answered from memory under every schedule.
//
// A write is over only when it is accounted, and has been under way since it was admitted. In between nothing is answered
// from memory, and a read that was admitted or ran beside it is not remembered: nobody can say which of the two it saw.
//
// Owns:      who is answered from memory, and what is remembered of whom.
// Does not:  hold the answers (memo-answers.ts), know of writes by other runs or processes, nor what a key stands for (the
//            tools' `lockKeys` say).

import { argumentsKey, type ToolCall } from "../core/call.js";
import { isRead } from "../core/effect.js";
import type { KnownFields } from "../core/known-fields.js";
import { MEMO_RUNS_MAX } from "../core/limits.js";
import type { Outcome } from "../core/outcome.js";
import { showValue } from "../core/show-value.js";
import { Answers, answerOf, type OpenCall, type OpenRead, type Remembered, remembered } from "./memo-answers.js";
import { neverRan } from "./never-ran.js";
import type { Policy, PolicyView } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";
import { RunLines } from "./run-lines.js";
import type { RunChange, Seen } from "./run-memory-parts.js";
import { lastOf, pastOf } from "./run-past.js";

/**
 * What {@link memo} remembers.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface MemoOptions {
	/** Names of the reads whose answers are remembered. Default: all reads. */
	readonly tools?: readonly string[];
}

const FIELDS: KnownFields<MemoOptions> = { tools: true };

/**
 * Answers a read at admission with what the same tool answered to the same arguments before in the run. Remembered are
 * values of reads, not failures and not binary.
 *
 * A write forgets the reads whose keys meet the ones it took; a write without keys, and for a read without keys any
 * write, forgets as well; a read that made calls is one without keys, because its own are not all that it read. After a
 * write whose outcome is unknown nothing is remembered any more. List it after policies that refuse: what it answers,
 * later ones are not asked about.
 *
 * @throws EngineError `INVALID_OPTIONS` for an option that does not exist, a list that is none, and names that are no texts.
 * @remarks Since 0.1.0.
 * @public
 */
export function memo(options: MemoOptions = {}): Policy {
	demandKnown(options, FIELDS);
	const { tools } = options;
	if (tools !== undefined && !Array.isArray(tools)) refuse(`tools is ${showValue(tools)}, not a list`);
	const wrong = tools?.find((name) => typeof name !== "string");
	if (wrong !== undefined) refuse(`tools holds ${showValue(wrong)}, not a name`);
	const names = tools && new Set(tools);
	const memory = new RunLines<Answers, OpenCall>({
		make: () => new Answers(),
		absorb: (into, from, maker) => {
			const isBesideWrite = maker?.kind === "read" && (maker.isBesideWrite || into.isBesideTurned(maker));
			into.absorb(from, { isBesideWrite, isCopy: maker === undefined });
		},
		hold: (answers, open, view) => answers.begin(open, view),
		letGo: (answers, open) => answers.end(open),
		wave: (answers) => answers.beginWave(),
		runsMax: MEMO_RUNS_MAX,
	});
	return {
		name: "memo",
		judgesFormAlone: true,
		admit(call, view) {
			// Remembered is what the model was answered to what it asked for. A read that turned out to be a write has the step
			// alone, and is one at accounting.
			if (view.rewritten) return "clear";
			const seen = memory.enter(view);
			for (const { maker } of seen) if (maker?.held?.kind === "read") maker.held.madeCalls = true;
			if (!isRead(view.effect)) {
				memory.hold(view, WRITE);
				return "clear";
			}
			const isKept = !seen.some(({ state }) => state.isClosed) && (names === undefined || names.has(call.name));
			const key = isKept ? keyOf(call) : undefined;
			const known = key === undefined ? undefined : answerIn(seen, key);
			if (known !== undefined) return { answer: answerOf(known) };
			memory.hold(view, openRead(view, seen.some(isWrittenBeside) ? undefined : key));
			return "clear";
		},
		account(_call, outcome, view) {
			if (isRead(view.effect)) memory.accounted(view, outcome, reading(outcome, view));
			else if (neverRan(outcome)) memory.accounted(view, outcome);
			else memory.accounted(view, outcome, writing(outcome, view));
		},
	};
}

const WRITE: OpenCall = { kind: "write" };

type SeenAnswers = Seen<Answers, OpenCall>;

// Canonical arguments hold no line break of their own, so the two parts cannot be taken for others.
function keyOf({ name, args }: ToolCall): string {
	return `${argumentsKey(args)}\n${name}`;
}

function openRead(view: PolicyView, key: string | undefined): OpenRead {
	const past = pastOf(view, view.segment);
	return { kind: "read", key, index: lastOf(view), past, madeCalls: false, isBesideWrite: false };
}

/** The newest answer, unless a call that the read is nested in has written since. */
function answerIn(seen: readonly SeenAnswers[], key: string): Remembered | undefined {
	if (seen.some(({ state }) => state.writing > 0)) return undefined;
	for (let at = seen.length - 1; at >= 0; at -= 1) {
		const known = seen[at]?.state.get(key);
		if (known === undefined) continue;
		return seen.slice(at + 1).some(({ state }) => state.hasChanged(known)) ? undefined : known;
	}
	return undefined;
}

/**
 * Whether a write is under way that is none of those that the read is nested in: these name what they change when they end.
 * It may be where nothing is known of a call that the read is nested in, because its run was forgotten meanwhile.
 */
function isWrittenBeside({ state, maker }: SeenAnswers): boolean {
	if (maker !== undefined && maker.held === undefined) return true;
	return state.writing > (maker?.held?.kind === "write" ? 1 : 0);
}

function reading(outcome: Outcome, { keys }: PolicyView): RunChange<Answers, OpenCall> | undefined {
	const read = outcome.ok ? remembered(outcome.value, keys) : undefined;
	if (read === undefined) return undefined;
	return (answers, open) => {
		if (open?.kind !== "read" || open.key === undefined || open.isBesideWrite || answers.isBesideTurned(open)) return;
		answers.remember(open.key, open.madeCalls ? { ...read, keys: undefined } : read);
	};
}

function writing(outcome: Outcome, { keys }: PolicyView): RunChange<Answers, OpenCall> {
	const isUnknown = !outcome.ok && outcome.error.code === "OUTCOME_UNKNOWN";
	return (answers, open) => answers.written(keys, isUnknown, open);
}
