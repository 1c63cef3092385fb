// Net store
//
// Where a checkpoint net keeps what calls could discard. Two places can: the repository that the files are in, and a
// folder of copies for whatever git is not there for.
//
// Owns:      the port.
// Does not:  choose between the two (net.ts).

import type { KeptFile, Manifest } from "./net-manifest.js";

export interface NetStore {
	/** Keeps all files of the manifest, read by `read`, and then the manifest itself; durable once it resolves. */
	keep(manifest: Manifest, read: (file: KeptFile) => Promise<Uint8Array>): Promise<void>;
	/** The text of a manifest that was kept; nothing where none was. */
	manifest(reference: string): Promise<string | undefined>;
	/** What a file of a kept manifest held. */
	content(reference: string, file: KeptFile): Promise<Uint8Array>;
}
