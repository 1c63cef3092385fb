// Format reader
//
// What one wire format has to be: it reads an event at a time and reports to the reply what it says.
//
// Owns:      that shape.
// Does not:  read any format (formats.ts lists who does).

import type { Failure } from "./reply.js";
import type { WireEvent } from "./wire-event.js";

export interface FormatReader {
	read(event: WireEvent): void;
	/** For a format in which an event with an error in it may speak of a single call; else any error fails the reply. */
	failureOf?(event: WireEvent): Failure | undefined;
	/** The source is over, or the wire's own end marker came: the last chance to say how the reply ended. */
	sourceEnded(): void;
}
