// Process tree
//
// A command and everything it starts. The command leads a process group of its own, which its children and theirs
// belong to unless they ask for another; those are found by who started them, while that is known. Ending the command's
// process alone would leave them to run, and to load the machine, for ever.
//
//   Linux      the group, and what left it while the process that started it still runs
//   other Unix the group
//   Windows    the command's own process only
//
// Owns:      signals to all of it, and its end when this process exits.
// Does not:  know when a command is over (command-process.ts).

import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

const open = new Set<ProcessTree>();

export class ProcessTree {
	readonly #leader: number;

	/** @param leader - The process that was started as the leader of its own group. */
	constructor(leader: number) {
		this.#leader = leader;
		if (open.size === 0) process.on("exit", killOpen);
		open.add(this);
	}

	/** Asks all of it to end. What left the group is killed: it will not be found once its parent has gone. */
	terminate(): void {
		const outside = strayDescendants(this.#leader);
		this.#signal("SIGTERM");
		for (const pid of outside) signalOne(pid, "SIGKILL");
	}

	/** Ends all of it, and says whether there was anything. */
	kill(): boolean {
		const outside = strayDescendants(this.#leader);
		const found = this.#signal("SIGKILL");
		for (const pid of outside) signalOne(pid, "SIGKILL");
		return found;
	}

	/** For when nothing of it runs any more: its number may belong to another process from now on. */
	close(): void {
		open.delete(this);
		if (open.size === 0) process.off("exit", killOpen);
	}

	#signal(signal: NodeJS.Signals): boolean {
		return signalOne(process.platform === "win32" ? this.#leader : -this.#leader, signal);
	}
}

// A process that exits takes its commands with it; nobody would be left to stop them.
function killOpen(): void {
	for (const group of open) group.kill();
}

function signalOne(pid: number, signal: NodeJS.Signals): boolean {
	try {
		return process.kill(pid, signal);
	} catch {
		return false;
	}
}

/** The descendants of a process that are not in its group; none where the system does not tell. */
function strayDescendants(leader: number): number[] {
	const strays: number[] = [];
	const unvisited = [leader];
	for (let pid = unvisited.pop(); pid !== undefined; pid = unvisited.pop()) {
		const children = childrenOf(pid);
		unvisited.push(...children);
		strays.push(...children.filter((child) => groupOf(child) !== leader));
	}
	return strays;
}

function childrenOf(pid: number): number[] {
	try {
		const threads = readdirSync(`/proc/${pid}/task`);
		const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"));
		return lists.flatMap((list) => list.split(" ").filter((child) => child.trim() !== "")).map(Number);
	} catch {
		return [];
	}
}

/** The fifth field of a process's line; the second, its name, is in parentheses and may hold spaces. */
function groupOf(pid: number): number | undefined {
	try {
		const line = readFileSync(`/proc/${pid}/stat`, "utf8");
		return Number(line.slice(line.lastIndexOf(")") + 2).split(" ")[2]);
	} catch {
		return undefined;
	}
}
