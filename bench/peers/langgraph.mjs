// LangGraph
//
// Its prebuilt `ToolNode`, given a reply that asks for the calls.

import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ToolNode } from "@langchain/langgraph/prebuilt";

export const peer = { name: "LangGraph ToolNode", package: "@langchain/langgraph", prepare };

function prepare(tools) {
	const declared = tools.map(({ name: called, description, parameters, execute }) =>
		tool(async (args) => String(await execute(args)), { name: called, description, schema: parameters }),
	);
	const node = new ToolNode(declared);
	return {
		async step(calls) {
			const tool_calls = calls.map((call) => ({ ...call, type: "tool_call" }));
			const { messages } = await node.invoke({ messages: [new AIMessage({ content: "", tool_calls })] });
			return messages.length;
		},
		close: async () => undefined,
	};
}
