// Command error
//
// What ends the command with one line for its user, and the exit codes, which are part of what scripts rely on.
//
// Owns:      the codes and the error that carries one.
// Does not:  print (command.ts).

/** What the command ends with. `--help` of the command lists these. */
export const EXIT_CODES = {
	/** It did what was asked; calls that failed are told in their answers. */
	done: 0,
	/** Nothing could run: no such file, an unreadable or cut reply, no call that could start; or a damaged ledger. */
	failed: 1,
	/** The arguments make no sense. */
	usage: 2,
	/** Stopped by Ctrl-C, after printing what there was. */
	interrupted: 130,
} as const;

/** A mistake of the user's, or of what they gave; told in one line, without a stack. */
export class CommandError extends Error {
	readonly exitCode: number;

	constructor(message: string, exitCode: number = EXIT_CODES.failed) {
		super(message);
		this.name = "CommandError";
		this.exitCode = exitCode;
	}
}
