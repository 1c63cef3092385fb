// Recover sabotages
//
// The faults that break what is promised of a run that goes on after a crash, one line each.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const recover = (name: string, title: string) => ({ file: `test/recover/${name}.test.ts`, title });

export const RECOVER_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 8: a write whose intent stands does not run again",
		file: "engine/run/recover.ts",
		find: "if (begun !== undefined && !mayRepeat)",
		replace: "if (begun !== undefined && begun.at < 0)",
		test: recover("calls", "RV1: does not repeat a write that had begun"),
	},
	{
		law: "Law 8: nor one that is idempotent and made a call that is not",
		file: "engine/run/recover.ts",
		find: "const mayRepeat = intents.every(({ idempotent }) => idempotent) && !altered;",
		replace: "const mayRepeat = begun?.idempotent === true && !altered;",
		test: recover("calls", "RV1: repeats no idempotent call that had begun a call which is not"),
	},
	{
		law: "Law 8: a call that had begun is unknown whatever keeps it from running again",
		file: "engine/wave/call-state.ts",
		find: "if (this.begun === undefined || answered.ok || hasRunHere(this.#phase)) return answered;",
		replace: "if (this.begun !== undefined || answered.ok || hasRunHere(this.#phase)) return answered;",
		test: recover("begun-calls", "TU2: is not known where the host aborts"),
	},
	{
		law: "Law 8: a call that had begun runs again by what its tool says now",
		file: "engine/wave/take-up.ts",
		find: 'return begun !== undefined && kind !== "settled" && kind !== "accounted" && meta?.idempotent !== true;',
		replace: "return begun !== undefined && begun < 0 && kind === meta?.idempotent;",
		test: recover("begun-calls", "TU2: is not known where the tool only reads now"),
	},
	{
		law: "Law 8: that a call had begun is known behind a pause",
		file: "engine/wave/record-wave.ts",
		find: "const acted = begun === undefined ? {} : { begun };",
		replace: "const acted = {};",
		test: recover("begun-calls", "has begun across a pause"),
	},
	{
		law: "Law 8: what a write did is unknown whatever stops the wave",
		file: "engine/accounting/account.ts",
		find: 'const standsAlone = answer.kind === "cancelled" || isUnknown(own);',
		replace: 'const standsAlone = answer.kind === "cancelled";',
		test: recover("calls", "says that a write is not known whatever ends the wave"),
	},
	{
		law: "Law 5: no call of a cut reply runs after a crash",
		file: "engine/run/recover.ts",
		find: "if (cut !== undefined) return { outcome: incompleteReply(cut), at, tells: false };",
		replace: "",
		test: recover("calls", "runs none of the calls of a reply that had been cut"),
	},
	{
		law: "Recovery: lines that stand already are not written again",
		file: "engine/ledger/continued-ledger.ts",
		find: "same === lines.length ? same : Math.min(same, saidBefore)",
		replace: "Math.min(same, saidBefore)",
		test: recover("calls", "has its lines once, whatever of them stood there"),
	},
	{
		law: "Recovery: only whole lines are left out",
		file: "engine/ledger/continued-ledger.ts",
		find: "same === lines.length ? same : Math.min(same, saidBefore)",
		replace: "same",
		test: recover("calls", "RH1: that makes other calls when it runs again has its lines anew"),
	},
	{
		law: "Recovery: what the host had said is not asked for again",
		file: "engine/run/recover.ts",
		find: "return index === answered.length ? heard : undefined;",
		replace: "return index < 0 ? heard : undefined;",
		test: recover("calls", "whose host had steered is not steered twice"),
	},
	{
		law: "Recovery: a question closes the intent of the call that asks",
		file: "engine/ledger/wave-history.ts",
		find: "this.#intents = this.#intents.filter((intent) => !isPathWithin(path, intent.path));",
		replace: "",
		test: recover("pauses", "RH2: and whose last lines were lost"),
	},
	{
		law: "Recovery: a pause closes every intent",
		file: "engine/ledger/wave-history.ts",
		find: "				this.#intents = [];",
		replace: "",
		test: recover("pauses", "RH2: runs a write that its question had kept from starting"),
	},
	{
		law: "Recovery: an answer that the ledger does not hold is asked for again",
		file: "engine/run/recollection.ts",
		find: "} else if (said !== undefined && !said.altered) {",
		replace: "} else if (said !== undefined) {",
		test: recover("pauses", "RV2: is asked again where a policy kept the answer out"),
	},
	{
		law: "Recovery: an approval for always outlives the crash",
		file: "engine/run/recollection.ts",
		find: "if (number === APPROVAL) this.#rule(memory.rule, said.answer);",
		replace: "",
		test: recover("pauses", "keeps what a person had approved for always"),
	},
	{
		law: "Recovery: policies hear of the steps before",
		file: "engine/run/earlier-waves.ts",
		find: "await runWave(faceOf(step), calls,",
		replace: "await runWave(faceOf(step), calls.slice(0, 0),",
		test: recover("policies", "count what was spent before the crash, in earlier steps too"),
	},
	{
		law: "Recovery: policies account nothing that another of them had answered",
		file: "engine/wave/take-up.ts",
		find: "state.hadTicket = record.ticket ?? isCleared;",
		replace: "state.hadTicket = record.ticket ?? true;",
		test: recover("policies", "account nothing of what another of them had answered from memory"),
	},
	{
		law: "Recovery: accountings of a segment are told after its admissions",
		file: "engine/wave/admit-segment.ts",
		find: "	const isCleared = await tellAdmission(wave, state, segment);",
		replace:
			"	const isCleared = await tellAdmission(wave, state, segment);\n	await tellAccounted(wave, { ...segment, from: state.index, to: state.index + 1 });",
		test: recover("policies", "hear of each call once, in the order and the segments"),
	},
	{
		law: "Recovery: arguments that the ledger does not hold never reach a tool",
		file: "engine/run/recover.ts",
		find: 'if (altered && base?.kind !== "answered")',
		replace: 'if (altered && base?.kind === "answered")',
		test: recover("policies", "RV2: never reach a tool"),
	},
	{
		law: "Recovery: altered arguments are known without knowing the policy",
		file: "engine/accounting/recorded-ledger.ts",
		find: "return canonicalJson(before ?? null) === canonicalJson(after ?? null)",
		replace: 'return !JSON.stringify(after).includes("[redacted")',
		test: recover("policies", "AL1: are those that a policy of the host's own had changed"),
	},
	{
		law: "Recovery: unreadable arguments stay unreadable",
		file: "engine/core/call.ts",
		find: 'return typeof where === "string" ?',
		replace: 'return typeof where === "number" ?',
		test: recover("policies", "that were no data are as unreadable as they were"),
	},
	{
		law: "Recovery: the host is not asked about calls of a reply that was cut",
		file: "engine/create-engine.ts",
		find: "...(content.cut && UNASKED), early: undefined,",
		replace: "early: undefined,",
		test: recover("calls", "runs none of the calls of a reply that had been cut"),
	},
	{
		law: "Recovery of a run: a request that stands is not written again",
		file: "engine/run/recover-run.ts",
		find: 'return { kind: "request", stands: true };',
		replace: 'return { kind: "request", stands: false };',
		test: recover("runs", "asks a model again whose reply the ledger does not hold"),
	},
	{
		law: "Recovery of a run: a run that was aborted stays so",
		file: "engine/run/run-loop.ts",
		find: "this.#open(cancelled);",
		replace: "this.#open();",
		test: recover("runs", "that was aborted stays so"),
	},
	{
		law: "Recovery of a run: one that had ended writes nothing",
		file: "engine/run/run-loop.ts",
		find: 'if (place.kind === "ended") return { ...place.end, ...this.#soFar() } as RunResult;',
		replace: 'if (place.kind === "ended") return this.#goOn(place.end);',
		test: recover("runs", "that had ended is resumed to how it ended"),
	},
	{
		law: "Recovery of a run: time that nobody was there is not used",
		file: "engine/ledger/loop-history.ts",
		find: "			this.#fromMs = at;\n			this.#toMs = at;\n		}",
		replace: "		}",
		test: recover("runs", "has used the time that its ledger says"),
	},
	{
		law: "Recovery of a run: a steer that a pause had kept back is kept",
		file: "engine/ledger/wave-history.ts",
		find: "return steers.slice(Math.max(0, this.steers.length - told));",
		replace: "return steers.slice(steers.length);",
		test: recover("runs", "keeps a steer that it had taken and not written"),
	},
	{
		law: "Recovery of a run: and is written once",
		file: "engine/ledger/wave-history.ts",
		find: "return steers.slice(Math.max(0, this.steers.length - told));",
		replace: "return steers;",
		test: recover("runs", "keeps a steer that it had taken and not written"),
	},
	{
		law: "Resume: policies that were not there hear of the steps before a pause",
		file: "engine/run/run-checkpoint.ts",
		find: "earlier: earlier(),",
		replace: "earlier: [],",
		test: { file: "test/run/resumed-policies.test.ts", title: "know the taint that a step before the pause" },
	},
	{
		law: "Redaction: what a policy would change is not kept beside the ledger",
		file: "engine/accounting/recorded-ledger.ts",
		find: "values.takes?.(runId, value) !== false && this.#isRecordedAsIs(runId, value),",
		replace: "values.takes?.(runId, value) !== false,",
		test: { file: "test/run/resumed-policies.test.ts", title: "RL5: keeps none beside itself" },
	},
	{
		law: "RV2: a call that had settled is no longer cleared where its arguments are others",
		file: "engine/run/recover.ts",
		find: "return call.altered ? withoutTicket(base) : base;",
		replace: "return base;",
		test: recover("policies", "are no way to a call that had settled before the run paused"),
	},
];
