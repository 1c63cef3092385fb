// Replay options
//
// What `wavetrain replay` was asked to do, after its arguments were read.
//
// Owns:      the shape.
// Does not:  read or check arguments (command.ts, replay-command.ts).

import type { Schedule, StreamFormat } from "../index.js";

export interface ReplayOptions {
	/** Left out: the recording that the package ships. */
	readonly recording?: string | undefined;
	readonly format?: StreamFormat | undefined;
	readonly pace: number;
	readonly tools?: string | undefined;
	readonly workspace?: string | undefined;
	readonly ledger?: string | undefined;
	readonly trace?: string | undefined;
	readonly json?: boolean | undefined;
	readonly ahead: boolean;
	readonly maxParallel?: number | undefined;
	readonly threads?: number | undefined;
	readonly schedule?: Schedule | undefined;
}
