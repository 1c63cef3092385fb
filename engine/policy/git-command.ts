// Git command
//
// Git as a program: asked which repository a folder belongs to and what it has not kept of it. Everything goes through
// plumbing that reads or writes neither the index nor HEAD nor the working tree, runs no hook of the repository, and is
// ended by a signal. A machine without git, a folder that it does not know or does not trust, is one answer: none.
//
// Owns:      running git, the repository of a folder, its files that are in no commit.
// Does not:  keep anything (net-repository.ts).

import { type ChildProcess, spawn } from "node:child_process";
import { relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { realPathOf } from "../core/real-path.js";
import { requireReadable } from "./net-refusal.js";

export interface Repository {
	/** The real path of the working tree. */
	readonly top: string;
	/** The real path of where git keeps what it keeps. */
	readonly gitFolder: string;
}

interface GitRun {
	readonly args: readonly string[];
	readonly signal: AbortSignal;
	/** What it reads from its input; nothing when left out. */
	readonly input?: AsyncIterable<Uint8Array>;
}

const SETTINGS = [
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	// What is written is on the disk before git ends; the second name is that of older versions.
	"core.fsync=objects,reference",
	"core.fsyncObjectFiles=true",
];
const PLUMBING = ["--no-optional-locks", ...SETTINGS.flatMap((setting) => ["-c", setting])];

/** What git writes to its output. Rejects where git is missing, is ended or exits with anything but 0. */
export async function git(folder: string, { args, signal, input }: GitRun): Promise<Buffer> {
	const child = spawn("git", ["-C", folder, ...PLUMBING, ...args], {
		stdio: ["pipe", "pipe", "pipe"],
		signal,
		windowsHide: true,
	});
	const ended = endOf(child, args[0] ?? "");
	// Of the two the end says more than a pipe that was closed.
	const fed = pipeline(Readable.from(input ?? []), child.stdin).catch(() => undefined);
	const [output] = await Promise.all([ended, fed]);
	return output;
}

function endOf(child: ChildProcess, what: string): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const pieces: Buffer[] = [];
		const complaints: Buffer[] = [];
		child.stdout?.on("data", (piece: Buffer) => pieces.push(piece));
		child.stderr?.on("data", (piece: Buffer) => complaints.push(piece));
		child.once("error", reject);
		child.once("close", (code) => {
			if (code === 0) resolve(Buffer.concat(pieces));
			else reject(new Error(`git ${what} ended with ${code}: ${Buffer.concat(complaints).toString().trim()}`));
		});
	});
}

/** The repository whose working tree the folder is in; nothing where git knows none, or is not there. */
export async function repositoryOf(folder: string, signal: AbortSignal): Promise<Repository | undefined> {
	try {
		const args = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"];
		const [top = "", gitFolder = ""] = (await git(folder, { args, signal })).toString().split("\n");
		const found = { top: await realPathOf(top), gitFolder: await realPathOf(gitFolder) };
		// The environment may name another repository than the folder's own.
		return top !== "" && isWithin(found.top, await realPathOf(folder)) ? found : undefined;
	} catch {
		signal.throwIfAborted();
		return undefined;
	}
}

/**
 * What git could not give back of the working tree, as paths from its top: files, and folders that hold nothing it has, of
 * which only the outermost are named.
 */
export async function notKept(
	{ top }: Repository,
	{ ignored, signal }: { readonly ignored: boolean; readonly signal: AbortSignal },
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
	const which = ignored ? [] : ["--exclude-standard"];
	const list = async (...args: readonly string[]): Promise<readonly string[]> => {
		const listed = await git(top, { args: ["ls-files", "-z", "--others", ...args, ...which], signal });
		const paths = listed.toString().split("\0").slice(0, -1);
		for (const path of paths) requireReadable(path, top);
		return paths;
	};
	const names = async (...args: readonly string[]): Promise<readonly string[]> => namesIn(top, args, signal);
	const [files, others, added, unseen] = await Promise.all([
		list("--modified"),
		list("--directory"),
		addedIn(names, signal),
		unseenIn(names, signal),
	]);
	return { files: [...files, ...added, ...unseen], folders: others.filter((path) => path.endsWith("/")) };
}

type Names = (...args: readonly string[]) => Promise<readonly string[]>;

async function namesIn(top: string, args: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
	return (await git(top, { args, signal })).toString().split("\0").slice(0, -1);
}

/** Files that are as they were added for the next commit, and not as the last one has them: no commit holds those. */
async function addedIn(names: Names, signal: AbortSignal): Promise<readonly string[]> {
	try {
		return await names("diff-index", "--cached", "--name-only", "--no-renames", "-z", "HEAD", "--");
	} catch {
		signal.throwIfAborted();
		// There is no commit yet.
		return names("ls-files", "-z", "--cached");
	}
}

/** Files that git was told to take for unchanged, and writes over all the same. */
async function unseenIn(names: Names, signal: AbortSignal): Promise<readonly string[]> {
	// Where only a part of the tree is checked out, the rest is marked like files that are to be skipped, and is not there.
	const isPart = await names("config", "--bool", "-z", "core.sparseCheckout").then(
		([value]) => value === "true",
		() => false,
	);
	signal.throwIfAborted();
	const marked = await names("ls-files", "-v", "-z", "--cached");
	const marks = isPart ? /^[a-rt-z] / : /^[a-zS] /;
	return marked.filter((line) => marks.test(line)).map((line) => line.slice(2));
}

export function isWithin(folder: string, path: string): boolean {
	const way = relative(folder, path);
	return way !== ".." && !way.startsWith(`..${sep}`) && way !== path;
}
