// OpenAI Agents
//
// An agent whose model is a stand-in: one reply that asks for the calls, one that ends. Tracing, which sends what ran to
// the provider, is off.

import { Agent, Runner, tool, Usage } from "@openai/agents-core";

export const peer = { name: "OpenAI Agents", package: "@openai/agents-core", prepare };

function prepare(tools) {
	const declared = tools.map(({ name: called, description, parameters, execute }) =>
		tool({ name: called, description, parameters, execute }),
	);
	return {
		async step(calls) {
			const asks = calls.map(({ id, name: called, args }) => ({
				type: "function_call",
				callId: id,
				name: called,
				status: "completed",
				arguments: JSON.stringify(args),
			}));
			const end = {
				type: "message",
				role: "assistant",
				status: "completed",
				content: [{ type: "output_text", text: "done" }],
			};
			const replies = [asks, [end]];
			const model = {
				getResponse: async () => ({ usage: new Usage(), output: replies.shift() }),
				getStreamedResponse: () => {
					throw new Error("nothing here streams");
				},
			};
			const agent = new Agent({ name: "peer", tools: declared, model });
			const { newItems } = await new Runner({ tracingDisabled: true }).run(agent, "go");
			return newItems.filter(({ type }) => type === "tool_call_output_item").length;
		},
		close: async () => undefined,
	};
}
