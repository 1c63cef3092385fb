// Invariant
//
// The one way a programmer's mistake is thrown. What a user, a tool or a provider can cause is an Outcome or an
// EngineError; what only a fault in this package can cause ends here, naming the invariant that was broken.
//
// Owns:      the throw, and the error by which such a fault is known.
// Does not:  check what a host, a tool or a model gave: those are refused in words of their own.

/** A fault of this package itself; never expected. */
export class InvariantError extends Error {
	readonly law: string;

	constructor(law: string, detail: string) {
		super(`wavetrain broke its own invariant ${law}: ${detail}. Please report this with the stack below.`);
		this.name = "InvariantError";
		this.law = law;
	}
}

/**
 * Throws at once: for a check on the way of every call, whose words would cost more than the check if they were put
 * together each time.
 */
export function broken(law: string, detail: string): never {
	throw new InvariantError(law, detail);
}

/** Throws when `condition` is false. `law` names the law or the numbered invariant of the calling file. */
export function invariant(condition: boolean, law: string, detail: string): asserts condition {
	if (!condition) throw new InvariantError(law, detail);
}
