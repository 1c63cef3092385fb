// AI SDK
//
// `generateText` with the mock model that the package itself ships for tests: one reply that asks for the calls, one
// that ends.

import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";

export const peer = { name: "AI SDK", package: "ai", prepare };

const usage = {
	inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
	outputTokens: { total: 1, text: 1, reasoning: undefined },
};

function prepare(tools) {
	const declared = Object.fromEntries(
		tools.map(({ name: called, description, parameters, execute }) => [
			called,
			tool({ description, inputSchema: parameters, execute }),
		]),
	);
	return {
		async step(calls) {
			const asks = calls.map(({ id, name: toolName, args }) => ({
				type: "tool-call",
				toolCallId: id,
				toolName,
				input: JSON.stringify(args),
			}));
			const replies = [
				{ content: asks, finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [] },
				{
					content: [{ type: "text", text: "done" }],
					finishReason: { unified: "stop", raw: undefined },
					usage,
					warnings: [],
				},
			];
			const model = new MockLanguageModelV3({ doGenerate: async () => replies.shift() });
			const { steps } = await generateText({ model, prompt: "go", tools: declared, stopWhen: stepCountIs(2) });
			return steps[0].toolResults.length;
		},
		close: async () => undefined,
	};
}
