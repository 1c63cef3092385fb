// Net
//
// From what is at stake to its reference, and back. The repository of the workspace keeps it where it can, because people
// know how to look into one; a folder of copies does where there is no git, git fails, or git's own files are at stake.
//
// Owns:      the order (find, read, keep, look whether it is there), the bound on time.
// Does not:  know policies (checkpoint-net.ts), choose a store (net-places.ts) or know their layouts (net-repository.ts,
//            net-folder.ts).
//
// Invariants:
//   CN1. A reference is given out only for what is kept, durably, at a place that is not at stake itself, and noted there.

import { mkdir, rm, stat } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import process from "node:process";
import type { ToolCall } from "../core/call.js";
import { systemClock } from "../core/clock.js";
import { isRead } from "../core/effect.js";
import { EngineError } from "../core/errors.js";
import { invariant } from "../core/invariant.js";
import type { KnownFields } from "../core/known-fields.js";
import { NET_BYTES_MAX_DEFAULT, NET_MS_DEFAULT } from "../core/limits.js";
import { realPathOf, unlessMissing } from "../core/real-path.js";
import { showValue } from "../core/show-value.js";
import { bounded, NeverSettled } from "../core/thenable.js";
import { type AtStake, placesAtStake, type Stake } from "./at-stake.js";
import { namedPlace, stakesOf } from "./call-stakes.js";
import { isWithin, repositoryOf } from "./git-command.js";
import { type CallNote, type CallPlace, type FoundNotes, findNotes, forgetNote, writeNote } from "./net-calls.js";
import { netFolder } from "./net-folder.js";
import {
	contentOf,
	type KeptFile,
	type Manifest,
	manifestFrom,
	mergedManifest,
	readPlaces,
	realPath,
} from "./net-manifest.js";
import type { CheckpointNetOptions, RestoreReport } from "./net-options.js";
import { baseIn, safePlaces } from "./net-places.js";
import { CannotKeep } from "./net-refusal.js";
import { netRepository } from "./net-repository.js";
import { putBack } from "./net-restore.js";
import type { PolicyView } from "./policy.js";
import { demandKnown, refuse } from "./refusal.js";

const FIELDS: KnownFields<CheckpointNetOptions> = {
	root: true,
	folder: true,
	suspect: true,
	leaveOut: true,
	bytesMax: true,
	limitMs: true,
	clock: true,
};

/** What is written down of a call beside its copy, once the copy's reference is known. */
export interface NotedWith {
	readonly place: CallPlace;
	readonly note: (reference: string) => CallNote;
}

/** A call that begins, and what is known of it. */
export interface KeptAgain {
	readonly noted: NotedWith;
	/** What was kept for it so far. */
	readonly known: readonly string[];
	/** The one of those that says how its segment found the files. */
	readonly older: string | undefined;
	/** Whether a place may be looked at now: nothing that runs beside the call changes it. Left out: all may. */
	readonly isFresh: ((place: string) => boolean) | undefined;
}

interface Storing {
	/** Files of an older copy are read from there. */
	readonly read: (file: KeptFile) => Promise<Uint8Array>;
	readonly root: string;
	readonly signal: AbortSignal;
	readonly atStake: AtStake;
	/** Finds what is at stake once more: a place that the net has just made may be. */
	readonly again: () => Promise<AtStake>;
	readonly noted: NotedWith | undefined;
}

export class Net {
	readonly #options: CheckpointNetOptions;
	readonly #leaveOut: ReadonlySet<string>;
	readonly #bytesMax: number;
	readonly #limitMs: number;
	/** Where notes of calls were written. */
	readonly #written = new Set<string>();

	constructor(options: CheckpointNetOptions) {
		demandKnown(options, FIELDS);
		const { root, folder, leaveOut = ["node_modules"], bytesMax = NET_BYTES_MAX_DEFAULT } = options;
		const { limitMs = NET_MS_DEFAULT } = options;
		for (const [name, path] of Object.entries({ root, folder })) {
			if (typeof path !== "string" || path === "") refuse(`${name} is ${showValue(path)}, not a path`);
		}
		if (!Array.isArray(leaveOut)) refuse(`leaveOut is ${showValue(leaveOut)}, not a list`);
		const { suspect } = options;
		if (suspect !== undefined && typeof suspect !== "function")
			refuse(`suspect is ${showValue(suspect)}, not a function`);
		for (const [name, limit] of Object.entries({ bytesMax, limitMs })) {
			if (!(typeof limit === "number" && limit > 0)) refuse(`${name} is ${showValue(limit)}, not a number above 0`);
		}
		this.#options = { ...options, root: absolute(root), folder: absolute(folder) };
		this.#leaveOut = new Set(leaveOut);
		this.#bytesMax = bytesMax;
		this.#limitMs = limitMs;
	}

	async stakesOf(call: ToolCall, view: PolicyView): Promise<readonly Stake[]> {
		const { suspect, root } = this.#options;
		const said = await suspect?.(call, view);
		if (said === false) return [];
		if (said === true) return [{ kind: "everything", from: [root] }];
		const found = isRead(view.effect) ? [] : stakesOf({ tool: call.name, args: view.args }, root);
		return said === undefined ? found : [...found, ...said.map((path) => namedPlace(path, root))];
	}

	/** The reference of what is at stake now; nothing where nothing is. Of a call it is noted beside the copy. */
	keep(stakes: readonly Stake[], noted?: NotedWith): Promise<string | undefined> {
		return this.#bounded("keeping it", (signal) => this.#keepUntil(stakes, signal, noted));
	}

	/** The same when the call begins; what is known of it already is kept no second time. */
	keepAgain(stakes: readonly Stake[], again: KeptAgain): Promise<string | undefined> {
		return this.#bounded("keeping it", async (signal) => {
			const root = await realPathOf(this.#options.root);
			const { atStake, manifest: now, search } = await this.#read(stakes, root, signal);
			if (now !== undefined && now.reference === again.older) return now.reference;
			const { older: known, isFresh } = again;
			const older = known === undefined || isFresh === undefined ? undefined : await this.#found(known, root, signal);
			const manifest = isFresh === undefined ? now : mergedManifest(now, older?.manifest, { root, isFresh });
			if (manifest === undefined || again.known.includes(manifest.reference)) return manifest?.reference;
			const read = (file: KeptFile): Promise<Uint8Array> => {
				if (older === undefined || isFresh?.(realPath(root, file.path)) !== false) return contentOf(root, file);
				return older.store.content(older.manifest.reference, file);
			};
			await this.#store(manifest, { root, signal, noted: again.noted, atStake, again: search, read });
			return manifest.reference;
		});
	}

	/** What is noted of the call and of those that it made. */
	notesOf(place: CallPlace): Promise<FoundNotes> {
		return this.#bounded("finding what was kept", async (signal) => findNotes(await this.#bases(signal), place));
	}

	/** Nothing is at stake now; what an admission before this one kept is not what the call could discard. */
	async forget(place: CallPlace, resumed: PolicyView["resumed"]): Promise<void> {
		// Without a sign of another process only what this one has written can be there.
		const bases =
			resumed === undefined ? this.#written : await this.#bounded("forgetting", (signal) => this.#bases(signal));
		for (const base of bases) await forgetNote(base, place);
	}

	async #bases(signal: AbortSignal): Promise<readonly string[]> {
		const repository = await repositoryOf(await realPathOf(this.#options.root), signal);
		const folder = await realPathOf(this.#options.folder);
		return repository === undefined ? [folder] : [baseIn(repository), folder];
	}

	async #bounded<Value>(what: string, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
		const stop = new AbortController();
		const { clock = systemClock } = this.#options;
		const bound = { what, limitMs: this.#limitMs, clock };
		try {
			return await bounded(work(stop.signal), bound);
		} finally {
			// A search or a git that goes on after the limit would be waited for by nobody.
			stop.abort();
		}
	}

	async #keepUntil(
		stakes: readonly Stake[],
		signal: AbortSignal,
		noted: NotedWith | undefined,
	): Promise<string | undefined> {
		const root = await realPathOf(this.#options.root);
		const { atStake, manifest, search } = await this.#read(stakes, root, signal);
		if (manifest === undefined) return undefined;
		const read = (file: KeptFile): Promise<Uint8Array> => contentOf(root, file);
		await this.#store(manifest, { root, signal, noted, atStake, again: search, read });
		return manifest.reference;
	}

	async #read(stakes: readonly Stake[], root: string, signal: AbortSignal) {
		const search = (): Promise<AtStake> => placesAtStake(stakes, { leaveOut: this.#leaveOut, signal });
		const atStake = await search();
		const manifest = await readPlaces(atStake.places, { root, bytesMax: this.#bytesMax, signal });
		return { atStake, manifest, search };
	}

	/** In the repository, and where it fails or is at stake itself, in the folder. */
	async #store(manifest: Manifest, { root, signal, noted, atStake, again, read }: Storing): Promise<void> {
		const folder = await realPathOf(this.#options.folder);
		const repository = await repositoryOf(root, signal);
		const where = { root, folder, repository, signal };
		let problem: unknown = new CannotKeep("the places where it would be kept are a part of it");
		for (const { store, base } of safePlaces(manifest, atStake, where)) {
			try {
				if (base === folder && !(await this.#staysSafe(folder, again))) continue;
				await store.keep(manifest, read);
				const kept = await store.manifest(manifest.reference);
				invariant(kept === manifest.text, "CN1", `${manifest.reference} was not kept as it was read`);
				if (noted !== undefined) {
					// Where the copy is safe, so is the note.
					await writeNote(base, noted.place, noted.note(manifest.reference));
					this.#written.add(base);
				}
				return;
			} catch (error) {
				signal.throwIfAborted();
				problem = error;
			}
		}
		throw problem;
	}

	/** A pattern of the call may match the folder of copies once there is one. */
	async #staysSafe(folder: string, again: () => Promise<AtStake>): Promise<boolean> {
		if ((await unlessMissing(stat(folder))) !== undefined) return true;
		const made = await mkdir(folder, { recursive: true });
		if (made === undefined) return true;
		const { places } = await again();
		// Folders that are on the way to it were there, or are its own; so whatever is at stake of it is at or within it.
		const isSafe = !places.some((place) => isWithin(made, place));
		if (!isSafe) await rm(made, { recursive: true });
		return isSafe;
	}

	async restore(reference: string): Promise<RestoreReport> {
		const { signal } = new AbortController();
		const root = await realPathOf(this.#options.root);
		const found = await this.#found(reference, root, signal);
		if (found !== undefined) {
			const { manifest, store } = found;
			const before = await this.#keepBefore(
				reference,
				manifest.kept.map(({ path }) => ({ kind: "place", path: realPath(root, path), folders: false })),
			);
			const restored = await putBack(manifest, { root, content: (file) => store.content(reference, file) });
			return before === undefined ? { restored } : { restored, before };
		}
		throw new EngineError("RESTORE_FAILED", {
			action: `restore ${showValue(reference)}`,
			problem: "nothing is kept under this reference",
			recovery: "Give a reference that an entry of the ledger names.",
		});
	}

	async #found(reference: string, root: string, signal: AbortSignal) {
		const repository = await repositoryOf(root, signal);
		const folder = netFolder(await realPathOf(this.#options.folder));
		const stores = repository === undefined ? [folder] : [netRepository(repository, signal), folder];
		for (const store of /^[0-9a-f]{64}$/.test(reference) ? stores : []) {
			const manifest = manifestFrom((await store.manifest(reference)) ?? "", reference);
			if (manifest !== undefined) return { manifest, store };
		}
		return undefined;
	}

	async #keepBefore(reference: string, stakes: readonly Stake[]): Promise<string | undefined> {
		try {
			return await this.keep(stakes);
		} catch (cause) {
			if (!(cause instanceof CannotKeep || cause instanceof NeverSettled)) throw cause;
			throw new EngineError("RESTORE_FAILED", {
				action: `restore ${showValue(reference)}`,
				problem: `what stands there now cannot be kept: ${cause.message}`,
				recovery: "Move it elsewhere, or restore with a net that may keep more; nothing was changed.",
				cause,
			});
		}
	}
}

function absolute(path: string): string {
	return isAbsolute(path) ? path : process.cwd() + sep + path;
}
