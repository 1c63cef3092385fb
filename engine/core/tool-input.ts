// Tool input
//
// What a tool's input hooks are told while the model still writes a call's arguments. They are for showing: nothing that
// a hook does can start, change or stop a call.
//
// Owns:      the shapes.
// Does not:  call a hook (wave/input-teller.ts).

/**
 * The call whose arguments arrive.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface InputPlace {
	/** The step's run. */
	readonly runId: string;
	/** The run's step, from 0. */
	readonly step: number;
	/** The call's place in the reply, from 0. */
	readonly index: number;
	/** The provider's id, as far as it is known; may be empty. */
	readonly callId: string;
	/** The tool's name. */
	readonly name: string;
}

/**
 * A piece of a call's arguments.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface InputDelta extends InputPlace {
	/** The next piece of the arguments' text, as the model wrote it. */
	readonly delta: string;
}
