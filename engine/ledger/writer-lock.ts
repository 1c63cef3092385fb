// Writer lock
//
// One writer a ledger, in this process or any other: a file `<ledger>.lock` that says who holds it. Node has no lock of
// the operating system to offer, so the file outlives a writer that dies; the next writer sees that its process is gone
// and takes over.
//
// The lock is taken synchronously, a handful of calls once in a ledger's life, so that the second writer is refused at
// its first append and not at a barrier, when it has done work already.
//
// Taking it, where two that find the same dead holder must not both succeed:
//   1. Write a claim (process, host, a token that is never used again) to a file of its own.
//   2. Link the claim to the lock's name. A link appears whole or not at all, so no reader sees half a claim.
//   3. Refused because the name exists: read its holder H. Alive: refuse. Released meanwhile: again from 2.
//   4. H is dead: take the guard, which is the lock named by H's token, in the same way (steps 2 to 4).
//   5. Look again. Still H: rename the guard to the lock's name, which replaces H's. Not H: drop the guard, again from 2.
// Only the guard's holder may replace H, and the rename gives the guard's name free in the same moment as H is gone: who
// takes the guard after that sees in step 5 that it came too late.
//
// Owns:      the lock file, and whether its holder lives.
// Does not:  protect against a writer that goes around it.

import { linkSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { readFile, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { systemClock } from "../core/clock.js";
import { EngineError } from "../core/errors.js";
import { LEDGER_LOCK_TRIES_MAX } from "../core/ledger-limits.js";
import { isSystemError } from "./ledger-error.js";

export interface WriterLock {
	/** Lets the next writer in. */
	release(): Promise<void>;
}

interface Holder {
	readonly pid: number;
	readonly host: string;
	/** When the process began, in a form of the system's own: a process id alone is used again. Empty if not known. */
	readonly began: string;
	readonly token: string;
}

/**
 * Takes the lock of the ledger at a real path. Throws `LEDGER_IN_USE` naming the holder, `LEDGER_FAILED` for a file that
 * has other names, or what the system says.
 */
export function takeWriterLock(ledgerPath: string): WriterLock {
	demandOneName(ledgerPath);
	const { pid } = process;
	const claim: Holder = { pid, host: hostname(), began: beginOf(pid), token: systemClock.newId() };
	const lockPath = `${ledgerPath}.lock`;
	const claimPath = `${lockPath}.${claim.token}.claim`;
	try {
		// A full disk takes the name and not the bytes.
		writeFileSync(claimPath, JSON.stringify(claim), { flag: "wx" });
		occupy(lockPath, { ledgerPath, claimPath });
	} finally {
		rmSync(claimPath, { force: true });
	}
	return { release: () => release(lockPath, claim.token) };
}

// The lock is known by the ledger's name, so a writer that comes by another name of the same file would not see it.
function demandOneName(ledgerPath: string): void {
	const names = statSync(ledgerPath, { throwIfNoEntry: false })?.nlink ?? 1;
	if (names <= 1) return;
	throw new EngineError("LEDGER_FAILED", {
		action: `write the ledger ${ledgerPath}`,
		problem: `the file has ${names} names (hard links), and a writer by another one could not be kept out`,
		recovery: "Delete the other names (`find -samefile` tells them), or go on in a copy of the file.",
	});
}

interface Attempt {
	readonly ledgerPath: string;
	readonly claimPath: string;
}

function occupy(name: string, attempt: Attempt): void {
	for (let tries = 0; tries < LEDGER_LOCK_TRIES_MAX; tries += 1) {
		if (isLinked(attempt.claimPath, name)) return;
		const holder = holderOf(name);
		if (holder === undefined) continue;
		if (isAlive(holder)) throw inUseError(attempt.ledgerPath, name, holder);
		const guard = `${attempt.ledgerPath}.lock.${holder.token}`;
		occupy(guard, attempt);
		if (holderOf(name)?.token === holder.token) {
			renameSync(guard, name);
			return;
		}
		unlinkSync(guard);
	}
	const problem = `${name} changed hands ${LEDGER_LOCK_TRIES_MAX} times while it was being taken`;
	throw new EngineError("LEDGER_IN_USE", { action: `write the ledger ${attempt.ledgerPath}`, problem });
}

async function release(lockPath: string, token: string): Promise<void> {
	try {
		// A lock that a person deleted may be another writer's by now.
		const holder: Partial<Holder> = JSON.parse(await readFile(lockPath, "utf8"));
		if (holder.token === token) await unlink(lockPath);
	} catch (error) {
		if (!isSystemError(error, "ENOENT")) throw error;
	}
}

function isLinked(claimPath: string, name: string): boolean {
	try {
		linkSync(claimPath, name);
		return true;
	} catch (error) {
		if (isSystemError(error, "EEXIST")) return false;
		throw error;
	}
}

function holderOf(name: string): Holder | undefined {
	try {
		return asHolder(readFileSync(name, "utf8")) ?? lostHolder(name);
	} catch (error) {
		if (isSystemError(error, "ENOENT")) return undefined;
		throw error;
	}
}

function asHolder(text: string): Holder | undefined {
	try {
		const { pid, host, began, token } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
		// The token becomes part of a file's name.
		if (!Number.isSafeInteger(pid) || typeof token !== "string" || !/^[\w-]+$/.test(token)) return undefined;
		return { pid: Number(pid), host: String(host), began: String(began), token };
	} catch {
		return undefined;
	}
}

/** A claim is linked whole and never written again, so an unreadable one was lost in a crash of the whole system. */
function lostHolder(name: string): Holder {
	return { pid: 0, host: "", began: "", token: `lost-${statSync(name).ino}` };
}

function isAlive(holder: Holder): boolean {
	if (holder.pid <= 0) return false;
	// A process on another host cannot be asked, and a lock taken from a living one would cost the ledger.
	if (holder.host !== hostname()) return true;
	try {
		process.kill(holder.pid, 0);
	} catch (error) {
		if (isSystemError(error, "ESRCH")) return false;
	}
	const began = beginOf(holder.pid);
	return holder.began === "" || began === "" || holder.began === began;
}

/** Linux tells when a process began, counted from a boot that has an id; other systems have no file for it. */
function beginOf(pid: number): string {
	try {
		const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The second field is the program's name in parentheses and may hold anything; the 22nd is the begin.
		const began = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
		return began === undefined ? "" : `${boot}:${began}`;
	} catch {
		return "";
	}
}

function inUseError(ledgerPath: string, name: string, { pid, host }: Holder): EngineError {
	const own = pid === process.pid && host === hostname() ? ", which is this process," : "";
	return new EngineError("LEDGER_IN_USE", {
		action: `write the ledger ${ledgerPath}`,
		problem: `process ${pid} on host ${JSON.stringify(host)}${own} holds it`,
		recovery: `Close that writer, or give this one a file of its own; if its host is gone for good, delete ${name}.`,
	});
}
