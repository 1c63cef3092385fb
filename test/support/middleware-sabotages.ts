// Middleware sabotages
//
// The faults that break a promise about middleware, one line each.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const of = (name: string, title: string) => ({ file: `test/middleware/${name}.test.ts`, title });

export const MIDDLEWARE_SABOTAGES: readonly Sabotage[] = [
	{
		law: "middleware, AT1: attempts of one call never run beside each other",
		file: "engine/wave/attempts.ts",
		find: "const attempt = this.#last.then(async () => {",
		replace: "const attempt = Promise.resolve().then(async () => {",
		test: of("attempts", "AT1: runs no attempt beside another"),
	},
	{
		law: "middleware, AT2: a write that may have changed something is not repeated",
		file: "engine/wave/attempts.ts",
		find: "if (this.#done !== undefined && mayRepeatHarm(form)) return this.#done;",
		replace: "",
		test: of("attempts", "AT2: gives a write that has a value"),
	},
	{
		law: "middleware, AT2: an idempotent tool is",
		file: "engine/wave/attempts.ts",
		find: "return !read && meta?.idempotent !== true;",
		replace: "return !read && meta !== undefined;",
		test: of("attempts", "AT2: runs a tool that is idempotent again"),
	},
	{
		law: "middleware: a write that runs again has an intent of its own",
		file: "engine/wave/attempts.ts",
		find: "intents: beside ? intents : ownIntent(wave, state),",
		replace: "intents,",
		test: of("attempts", "a write each time under an intent and a barrier of its own"),
	},
	{
		law: "middleware: a read that it made a write has an intent",
		file: "engine/wave/attempts.ts",
		find: "const beside = !state.read && !this.#hasActed;",
		replace: "const beside = !this.#hasActed;",
		test: of("judged-anew", "that it made a write has its intent durable"),
	},
	{
		law: "middleware, SP1: who waits for the gate holds no slot",
		file: "engine/wave/step-place.ts",
		find: "		if (this.#holdsSlot) wave.slots.give();\n		this.#holdsSlot = false;\n",
		replace: "",
		test: of("gate", "SP1: leaves its slot to calls that still run"),
	},
	{
		law: "middleware, AT3: keys are asked for in call order",
		file: "engine/wave/attempts.ts",
		find: "this.#turn = state.meta?.lockKeys === undefined ? TURN_PASSED : wave.keyTurns.take();",
		replace: "this.#turn = TURN_PASSED;",
		test: of("gate", "AT3: ask for their keys in call order"),
	},
	{
		law: "middleware: a call that it made unsafe runs alone",
		file: "engine/wave/attempts.ts",
		find: "if (!(meta?.isConcurrencySafe ?? read)) return true;",
		replace: "",
		test: of("gate", "waits for the calls beside it, runs alone"),
	},
	{
		law: "middleware: later calls wait for it",
		file: "engine/wave/attempts.ts",
		find: 'if (!isThenable(form) && form.kind === "form" && this.#needsStepAlone(form)) this.#place.claim();',
		replace: "",
		test: of("gate", "waits for the calls beside it, runs alone"),
	},
	{
		law: "middleware: safe writes that it made run one at a time under a stop on errors",
		file: "engine/wave/attempts.ts",
		find: 'return !read && (onError === "stop" || schedule === "leading-reads");',
		replace: 'return !read && onError !== "stop" && schedule === "leading-reads";',
		test: of("gate", "is one at a time under a stop on errors"),
	},
	{
		law: "middleware, DG1: calls that it made unsafe run in call order",
		file: "engine/wave/dispatch-gate.ts",
		find: "		await this.#whenAccounted(index);\n",
		replace: "",
		test: of("gate", "DG1: has the step in call order"),
	},
	{
		law: "middleware, DG2: nobody enters past a claim of a lower index",
		file: "engine/wave/dispatch-gate.ts",
		find: "while (this.isTaken(index)) await this.whenOpen(index);",
		replace: "",
		test: of("gate", "lets a share in beside an exclusive call"),
	},
	{
		law: "middleware, DG2: the step is kept between attempts",
		file: "engine/wave/attempts.ts",
		find: "this.#place.leaveShare();",
		replace: "this.#place.leave();",
		test: of("gate", "DG2: keeps the step for all its attempts"),
	},
	{
		law: "middleware, Law 12: both forms are judged",
		file: "engine/wave/call-forms.ts",
		find: "const admitted = await unjudged.admit(state.at);",
		replace: "const admitted = { cleared: this.#parts.ticket };",
		test: of("judged-anew", "does not run where a door refuses the form that it was given"),
	},
	{
		law: "middleware, Law 12, CF1: a form is parsed once",
		file: "engine/wave/call-forms.ts",
		find: "const form = this.#known.get(key) ?? this.#made(args);",
		replace: "const form = this.#made(args);",
		test: of("judged-anew", "CF1: is parsed once and judged once a form"),
	},
	{
		law: "middleware, Law 2, CF2: a form is judged in call order",
		file: "engine/wave/call-forms.ts",
		find: "if (unjudged.inCallOrder) {",
		replace: "if (unjudged.inCallOrder && state.index > 99) {",
		test: of("judged-anew", "CF2: is judged when every call before it is accounted"),
	},
	{
		law: "middleware, Law 4: what runs after a stop leaves no mark",
		file: "engine/accounting/account.ts",
		find: "const ranAs = this.#stoppedBy === undefined ? settled.ranAs : undefined;",
		replace: "const ranAs = settled.ranAs;",
		test: of("serial-equivalence", "whatever it does to which call"),
	},
	{
		law: "middleware, Law 6: what it may veto does not start early",
		file: "engine/create-engine.ts",
		find: "const ahead = onlyObserve(middleware) && this.#options.ahead;",
		replace: "const ahead = this.#options.ahead;",
		test: of("ahead-and-nested", "does not start early where one of them may veto"),
	},
	{
		law: "middleware, Law 1: a throw costs its own call alone",
		file: "engine/wave/middleware-layer.ts",
		find: "if (this.#resolve !== undefined) this.#answer(fault(middleware.name, error));",
		replace: "if (this.#resolve !== undefined && fault.length > 9) this.#answer(fault(middleware.name, error));",
		test: of("what-it-may-do", "that throws costs its own call alone"),
	},
	{
		law: "middleware, ML1: it answers with an outcome",
		file: "engine/wave/middleware-layer.ts",
		find: "if (isOutcome(said)) this.#answer(asData(said));",
		replace: "if (isOutcome(said) || said === undefined) this.#answer(said ?? { ok: true });",
		test: of("what-it-may-do", "ML1: answers once and with an outcome"),
	},
	{
		law: "middleware, one clone rule: what it answers is copied",
		file: "engine/wave/middleware-layer.ts",
		find: "if (isOutcome(said)) this.#answer(asData(said));",
		replace: "if (isOutcome(said)) this.#answer(said);",
		test: of("what-it-may-do", "may answer for the tool"),
	},
	{
		law: "middleware, ML2: its own time has a bound",
		file: "engine/wave/middleware-layer.ts",
		find: "this.#cancelBound = clock.setTimer(expired, POLICY_MS_MAX);",
		replace: "void expired;",
		test: of("what-it-may-do", "ML2: may take as long as its call does"),
	},
	{
		law: "middleware, ML3: an observer changes nothing",
		file: "engine/wave/middleware-layer.ts",
		find: "if (middleware.observesOnly === true && this.#given !== undefined) return this.#given;",
		replace: "",
		test: of("ahead-and-nested", "ML3: changes nothing by what it returns"),
	},
	{
		law: "middleware, WG1: nothing of a settled call runs",
		file: "engine/wave/wrapping.ts",
		find: 'void this.#attempts.stop(new DOMException("The call\'s middleware has answered", "AbortError"));',
		replace: "",
		test: of("what-it-may-do", "that answers without waiting for the tool"),
	},
	{
		law: "middleware, WG2: an abort does not wait for it",
		file: "engine/wave/wrapping.ts",
		find: "void this.#attempts.stop(reason).then((outcome) => this.#settle(outcome));",
		replace: "void this.#attempts.stop(reason);",
		test: of("aborts", "is not waited for by a closing engine"),
	},
	{
		law: "middleware, Law 14: no timer of it is left",
		file: "engine/wave/wrapping.ts",
		find: "		for (const layer of this.#layers) layer.unbind();\n",
		replace: "",
		test: of("aborts", "WG2: settles every call at once"),
	},
	{
		law: "middleware: what it made a write does not run under a parent that only reads",
		file: "engine/admission/read-only-face.ts",
		find: 'if (rewritten.kind === "answered" || isRead(rewritten.meta.effect)) return rewritten;',
		replace: 'if (rewritten.kind === "answered" || rewritten.meta !== undefined) return rewritten;',
		test: of("ahead-and-nested", "does not run as a write that middleware made of it"),
	},
];
