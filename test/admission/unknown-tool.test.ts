// What a call for a tool that there is not is answered with.

import { expect, it } from "vitest";
import { z } from "zod";
import { createEngine, tool } from "../../engine/index.js";

const read = tool({ name: "read_file", parameters: z.object({}), effect: "read", execute: () => "text" });

it("an unknown name is shown with the near ones, and one without end is cut", async () => {
	const engine = createEngine({ tools: [read] });
	const { results } = await engine.executeWave([
		{ id: "1", name: "red_file", args: {} },
		{ id: "2", name: "read_file".repeat(100_000), args: {} },
	]);
	const messages = results.map(({ outcome }) => (outcome.ok ? "" : outcome.error.message));
	expect(messages).toEqual([
		'No tool is named "red_file". Did you mean "read_file"?',
		`No tool is named "${"read_file".repeat(23).slice(0, 200)}"... 899800 more characters.`,
	]);
	await engine.close();
});
