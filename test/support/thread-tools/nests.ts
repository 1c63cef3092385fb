// Nests
//
// Tools that make a call from a thread: one waits for it, one does not.

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
