// Trace
//
// The events of a run as lines of text, so that what happened can be looked at later: who held which key, what waited
// for what, which thread ran what. A trace is for people and has no order to promise; history is the ledger's.
//
// Format: the first line is `{"trace":"wavetrain","version":1}`, each other line one event as JSON. Binary answers are
// told by their length alone.
//
// Owns:      the two directions between an event and its line.
// Does not:  write or read a file (the command, or the host).

import { EngineError } from "../core/errors.js";
import type { EngineEvent } from "../core/events.js";

/**
 * The first line of a trace.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export const TRACE_HEADER = '{"trace":"wavetrain","version":1}';

/**
 * An event as a line of a trace, without a line end.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function traceLine(event: EngineEvent): string {
	return JSON.stringify(event, (_key, value: unknown) =>
		value instanceof Uint8Array ? { $bytes: value.byteLength } : value,
	);
}

/**
 * The events of a trace, from its lines.
 *
 * A last line that is cut off, as when the process ended while it was written, is left out.
 *
 * @throws EngineError `TRACE_UNREADABLE` naming the line.
 * @remarks Since 0.1.0.
 * @public
 */
export async function* readTrace(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<EngineEvent> {
	let number = 0;
	let unread: { readonly line: number } | undefined;
	for await (const line of lines) {
		number += 1;
		if (number === 1) {
			if (line !== TRACE_HEADER) throw unreadable(1, "it is not the first line of a trace");
			continue;
		}
		if (unread !== undefined) throw unreadable(unread.line, "it is not an event");
		const event = eventOf(line);
		if (event === undefined) unread = { line: number };
		else yield event;
	}
	if (number === 0) throw unreadable(1, "there is none");
}

function eventOf(line: string): EngineEvent | undefined {
	try {
		const event: unknown = JSON.parse(line);
		const isEvent = typeof event === "object" && event !== null && "kind" in event && "atMs" in event;
		return isEvent ? (event as EngineEvent) : undefined;
	} catch {
		return undefined;
	}
}

function unreadable(line: number, why: string): EngineError {
	return new EngineError("TRACE_UNREADABLE", { action: "read the trace", problem: `line ${line}: ${why}` });
}
