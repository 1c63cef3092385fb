// Nests
//
// Tools that make calls from a thread: one waits for it, one does not, two make several at once.

import type { ToolContext } from "../../../engine/core/tool-context.js";

interface Made {
	readonly name: string;
	readonly n: number;
}

export async function waitsFor({ name, n }: Made, { invokeTool }: ToolContext): Promise<unknown> {
	return invokeTool(name, { n });
}

export function leaves({ name, n }: Made, { invokeTool }: ToolContext): string {
	void invokeTool(name, { n });
	return "left";
}

export function save({ n }: { readonly n: number }): number {
	return n;
}

/** Makes a third call when the first of two was answered, and a fourth when all were. */
export async function chains(_args: unknown, { invokeTool }: ToolContext): Promise<unknown[]> {
	const [first, second] = [invokeTool("quick", { n: 0 }), invokeTool("slow", { n: 1 })];
	await first;
	const third = invokeTool("quick", { n: 2 });
	const said = await Promise.all([first, second, third]);
	return [...said, await invokeTool("quick", { n: 3 })];
}

/** Makes a third call without having looked, since it made the second, whether that was answered; says when it may be. */
export async function crosses(
	{ memory }: { readonly memory: SharedArrayBuffer },
	{ invokeTool }: ToolContext,
): Promise<unknown[]> {
	const first = await invokeTool("first", {});
	const second = invokeTool("second", {});
	Atomics.wait(new Int32Array(memory), 0, 0);
	const third = invokeTool("third", {});
	const said = await Promise.all([second, third]);
	return [first, ...said, await invokeTool("fourth", {})];
}
