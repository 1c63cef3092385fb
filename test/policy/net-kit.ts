// Net kit
//
// What the tests of the checkpoint net are written in: a workspace with or without git, a net under it, and a call that is
// admitted and recorded as a wave would.
//
// Owns:      those helpers.
// Does not:  assert anything.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import {
	type CheckpointNet,
	type CheckpointNetOptions,
	checkpointNet,
	type Effect,
	type Verdict,
} from "../../engine/index.js";
import { scratchFolder } from "../support/scratch-folder.js";
import { called, viewOf } from "./policy-kit.js";

export interface Netted {
	readonly root: string;
	readonly folder: string;
	readonly net: CheckpointNet;
}

type More = Partial<CheckpointNetOptions> & { readonly git?: boolean };

export function netted(files: Readonly<Record<string, string>>, { git = true, ...options }: More = {}): Netted {
	const root = scratchFolder(files);
	const folder = join(scratchFolder(), "copies");
	if (git) {
		gitIn(root, "init", "-q");
		gitIn(root, "add", ".");
		gitIn(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first", "--allow-empty");
	}
	return { root, folder, net: checkpointNet({ root, folder, ...options }) };
}

export function gitIn(root: string, ...args: readonly string[]): string {
	return execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

export interface Asked {
	readonly name: string;
	readonly args: unknown;
	readonly effect: Effect;
}

export function write(args: object, name = "write_file"): Asked {
	return { name, args, effect: { write: "workspace" } };
}

export function run(line: string): Asked {
	return { name: "run_command", args: { command: line, args: [], shell: true, path: "." }, effect: "spawn" };
}

/** What the net says of the call. */
export async function judged(net: CheckpointNet, { name, args, effect }: Asked): Promise<Verdict> {
	return (await net.admit?.(called(name, args), viewOf({ args, effect }))) ?? "clear";
}

/** The reference that the call's entry names; the call must have been cleared. */
export async function keptFor(net: CheckpointNet, asked: Asked): Promise<string | undefined> {
	const verdict = await judged(net, asked);
	if (verdict !== "clear") throw new Error(`the call was not cleared: ${JSON.stringify(verdict)}`);
	const data = { index: 0, id: "", name: asked.name, args: asked.args as never };
	const { kept } = net.record?.({ kind: "tool_called", runId: "run", data }) ?? {};
	return (kept as readonly string[] | undefined)?.[0];
}
