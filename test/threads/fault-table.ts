// Fault table
//
// Every way a call on a thread can go wrong, and the outcome it comes to: read off the design, not off the engine.
//
// Owns:      the faults, the calls that behave beside them, and how their ends are written down.
// Does not:  run anything (fault-suite.test.ts), or survive a native crash, which is the process's own end.

import { z } from "zod";
import { type CallErrorParts, failed, type Outcome } from "../../engine/core/outcome.js";
import { onThread, type Tool, tool } from "../../engine/index.js";
import { threadTools } from "../support/build-workers.js";
import * as plain from "../support/thread-tools/plain.js";

/** Of the tools that never answer. */
const TOOL_MS = 40;
/** What a thread may use, so that a heap is soon used up. */
export const HEAP_MB = 48;

export interface Fault {
	readonly does: string;
	readonly args?: object;
	/** Of its tool's arguments; left out: as they are. */
	readonly parameters?: z.ZodType;
	/** Its tool's own limit. */
	readonly timeout?: number;
	/** What it comes to for a call that only reads, and for one that does not. */
	readonly ends: (call: { readonly read: boolean; readonly name: string; readonly url: string }) => Outcome;
}

const numbered = z.object({ n: z.number() }).loose();
const OWN_CAUSE = { name: "OwnError", code: "E_OWN" };

function answers(value?: string): Fault["ends"] {
	return () => (value === undefined ? { ok: true } : { ok: true, value });
}

function fails(...[code, parts]: Parameters<typeof failed>): Fault["ends"] {
	return () => failed(code, parts);
}

function loses(
	how: string,
	details: NonNullable<CallErrorParts["details"]>,
	cause?: CallErrorParts["cause"],
): Fault["ends"] {
	const message = `The worker thread ${how} before the call answered.`;
	const because = cause && { cause };
	return ({ read }) =>
		read
			? failed("WORKER_LOST", { message, details, ...because })
			: failed("OUTCOME_UNKNOWN", {
					message: `${message} What the call changed is not known.`,
					details: { ...details, reason: "WORKER_LOST" },
					...because,
				});
}

function timesOut({ read, name }: Parameters<Fault["ends"]>[0]): Outcome {
	const details = { limit: "toolMs", limitMs: TOOL_MS };
	const message = `${name} ran longer than ${TOOL_MS} ms`;
	if (read) return failed("TIMED_OUT", { message: `${message}.`, details });
	const unknown = {
		message: `${message}; what it changed is not known.`,
		details: { ...details, reason: "TIMED_OUT" },
	};
	return failed("OUTCOME_UNKNOWN", unknown);
}

const uncaught = (message: string): Fault["ends"] =>
	loses(
		`ended by an error that nothing caught (${message})`,
		{ reason: "uncaught", exitCode: 1 },
		{ ...OWN_CAUSE, message },
	);

const exit = (exitCode: number): Fault["ends"] => loses(`exited with code ${exitCode}`, { reason: "exit", exitCode });

export const GOOD: readonly Fault[] = [
	{ does: "plain/nothing", ends: answers() },
	{ does: "plain/text", args: { length: 3, of: "ä" }, ends: answers("äää") },
	{ does: "faults/behave", ends: answers("behaved") },
];

/** Faults that leave the thread as it was. */
export const SPARING: readonly Fault[] = [
	{
		does: "faults/throwOwn",
		ends: fails("TOOL_FAILED", {
			message: "it went wrong",
			cause: { ...OWN_CAUSE, message: "it went wrong", cause: { name: "RangeError", message: "because of this" } },
		}),
	},
	{
		does: "faults/overflowStack",
		ends: fails("TOOL_FAILED", {
			message: "Maximum call stack size exceeded",
			cause: { name: "RangeError", message: "Maximum call stack size exceeded" },
		}),
	},
	{
		does: "faults/answerFunction",
		ends: fails("NOT_CLONEABLE", {
			message: "The answer is not data at $.rows[0].parent: a function is not data.",
			details: { path: "$.rows[0].parent" },
		}),
	},
	{
		does: "faults/answerCycle",
		ends: fails("NOT_CLONEABLE", {
			message: "The answer is not data at $.self: it contains itself.",
			details: { path: "$.self" },
		}),
	},
	{
		does: "plain/echo",
		parameters: numbered.transform((args) => ({ ...args, rows: [() => 1] })),
		ends: fails("NOT_CLONEABLE", {
			message: "The arguments cannot be sent to a worker thread at $.rows[0]: () => 1 could not be cloned.",
			recovery: "Go on without this tool; its schema must make plain data at the named path.",
			details: { path: "$.rows[0]" },
		}),
	},
	{
		does: "faults/answerHuge",
		ends: fails("OUTPUT_TOO_LARGE", {
			message: "The tool answered more than 67108864 bytes.",
			details: { limitBytes: 67_108_864 },
		}),
	},
	{
		does: "throws-on-load/run",
		ends: ({ url }) =>
			failed("TOOL_NOT_LOADED", {
				message: `${url} did not load: this module cannot load`,
				cause: { name: "Error", message: "this module cannot load" },
			}),
	},
	{
		does: "plain/missing",
		ends: ({ url }) =>
			failed("TOOL_NOT_LOADED", {
				message: `${url} has no export "missing"; it exports ${Object.keys(plain).sort().join(", ")}`,
			}),
	},
];

/** Faults that cost the thread, at once or once it has answered. */
export const COSTLY: readonly Fault[] = [
	{ does: "faults/exitNow", args: { code: 0 }, ends: exit(0) },
	{ does: "faults/exitLater", args: { code: 7 }, ends: exit(7) },
	{ does: "faults/exitUnsaid", args: { code: 9 }, ends: exit(9) },
	{ does: "faults/exitWithKey", args: { code: 5 }, ends: exit(5) },
	{ does: "faults/untilTerminated", ends: loses("was terminated", { reason: "terminated", exitCode: 1 }) },
	{ does: "faults/uncaught", ends: uncaught("nobody caught this") },
	{ does: "faults/rejectUnhandled", ends: uncaught("nobody handled this") },
	{
		does: "faults/exhaustHeap",
		ends: loses(`used up its heap of ${HEAP_MB} MB`, { reason: "memory", exitCode: 1, limitMb: HEAP_MB }),
	},
	{ does: "faults/loopForEver", timeout: TOOL_MS, ends: timesOut },
	{ does: "faults/never", timeout: TOOL_MS, ends: timesOut },
	{ does: "faults/exitAfterAnswer", args: { code: 1, whileBusy: true }, ends: answers("answered") },
	{ does: "faults/exitAfterAnswer", args: { code: 0, whileBusy: false }, ends: answers("answered") },
	{ does: "faults/uncaughtAfterAnswer", args: { whileBusy: true }, ends: answers("answered") },
	{ does: "faults/rejectAfterAnswer", args: { whileBusy: false }, ends: answers("answered") },
	{ does: "faults/throwInMicrotask", ends: answers("answered") },
	{
		does: "exits-on-load/run",
		ends: ({ url }) =>
			failed("TOOL_NOT_LOADED", {
				message: `The worker thread exited with code 3 while it loaded ${url}.`,
				details: { reason: "exit", exitCode: 3 },
			}),
	},
];

const STANDS = {
	read: { effect: "read" },
	write: { effect: "write" },
	note: { effect: "write", isConcurrencySafe: true },
} as const;
export type Stand = keyof typeof STANDS;

/** The tool that does this, by its name; each kind of effect has one of its own. */
export function named({ does, args = {} }: Fault, stand: Stand): string {
	return [does.replace(/\W/g, "_"), ...Object.values(args), stand].join("_");
}

/** The tool of a fault, and what its calls come to. */
export function toolOf(fault: Fault, stand: Stand): { readonly tool: Tool; readonly ends: Outcome } {
	const [module = "", exportName = ""] = fault.does.split("/");
	const [name, url] = [named(fault, stand), threadTools(module)];
	const { parameters = numbered, timeout } = fault;
	const execute = onThread(url, exportName);
	return {
		tool: tool({ name, parameters, ...STANDS[stand], ...(timeout !== undefined && { timeout }), execute }),
		ends: fault.ends({ read: stand === "read", name, url }),
	};
}
