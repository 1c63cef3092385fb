// Asks
//
// Tools that ask a person from a thread: plainly, several times, wrapped, and through a nested call.

import type { JsonValue } from "../../../engine/core/json-value.js";
import type { ToolContext } from "../../../engine/core/tool-context.js";

export async function asksTwice({ n }: { n: number }, { interrupt }: ToolContext): Promise<JsonValue> {
	return [await interrupt(`first ${n}`), await interrupt(`second ${n}`)];
}

export async function swallows(_args: unknown, { interrupt }: ToolContext): Promise<JsonValue> {
	try {
		return await interrupt("swallowed");
	} catch (error) {
		return (error as Error).name;
	}
}

export async function asksThrough(_args: unknown, { invokeTool }: ToolContext): Promise<unknown> {
	return invokeTool("asksTwice", { n: 9 });
}
