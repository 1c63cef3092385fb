// Replayed recordings
//
// The command over the replies of every provider, as their files are: the same calls, at the pace of a model, whatever
// the format and though one of them is binary.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Recording, recordings, recordingsAreHere, sayIfSkipped } from "../streams/recordings.js";
import { commandRun } from "../support/command-run.js";
import { ManualClock } from "../support/manual-clock.js";
import { scratchFolder } from "../support/scratch-folder.js";

const SHARED = fileURLToPath(new URL("../../../shared/streams", import.meta.url));
const INDEX = new URL("../../dist/index.js", import.meta.url).href;
const NOT_WHOLE = new Set(["anthropic-truncated-max-tokens.txt"]);
const whole = recordings.filter(({ file }) => !NOT_WHOLE.has(file));

/** A folder with a module of reads that answer their arguments. */
function echoFolder({ expected }: Recording): string {
	const names = [...new Set(expected.calls.map(({ name }) => name))];
	return scratchFolder({
		"tools.mjs": `import { tool } from ${JSON.stringify(INDEX)};
			import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
			export const tools = ${JSON.stringify(names)}.map((name) =>
				tool({ name, parameters: z.looseObject({}), effect: "read", execute: (args) => args }));`,
	});
}

interface Event {
	readonly kind: string;
	readonly atMs: number;
	readonly name?: string;
	readonly argsText?: string;
}

describe.skipIf(!recordingsAreHere)(sayIfSkipped("wavetrain replay over the recordings"), () => {
	it.each(whole)(
		"asks for the calls of $file, as slowly as a model that writes a token a second",
		async (recording) => {
			const clock = new ManualClock();
			const replaying = commandRun(["replay", join(SHARED, recording.file), "--pace", "1", "--json"], {
				folder: scratchFolder(),
				clock,
			});
			let out: string | undefined;
			void replaying.then((run) => {
				out = run.out;
			});
			while (out === undefined) await clock.pass(1_000);
			const lines = out.split("\n").filter((line) => line !== "");
			const events = lines.map((line) => JSON.parse(line) as Event);
			const restart = events.findIndex(({ kind }) => kind === "reply_restarted");
			const asked = events.slice(restart + 1).filter(({ kind }) => kind === "reply_call_complete");
			const { calls } = recording.expected;
			expect(asked.map(({ name, argsText }) => ({ name, argsText }))).toEqual(
				calls.map(({ name, argsText }) => ({ name, argsText })),
			);
			const chars = calls.reduce((sum, { name, argsText = "" }) => sum + name.length + argsText.length, 0);
			// Text, and calls that a restart made void, come on top.
			expect(events.find(({ kind }) => kind === "reply_ended")?.atMs).toBeGreaterThanOrEqual((chars / 4) * 1_000);
		},
	);

	const run = whole.filter(({ file }) =>
		/^(openai-chat-parallel|openai-responses-parallel|bedrock|gemini-parallel)/.test(file),
	);
	it.each(run)("runs the calls of $file, each with the arguments it was asked with", async (recording) => {
		const folder = echoFolder(recording);
		const args = ["replay", join(SHARED, recording.file), "--tools", "tools.mjs", "--pace", "0", "--json"];
		const { out, errors, code } = await commandRun(args, { folder });
		expect({ errors, code }).toEqual({ errors: "", code: 0 });
		const summary = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as {
			results: { name: string; outcome: { value: unknown } }[];
		};
		expect(summary.results.map(({ name, outcome }) => ({ name, args: outcome.value }))).toEqual(
			recording.expected.calls.map(({ name, argsText = "" }) => ({ name, args: JSON.parse(argsText) as unknown })),
		);
	});

	it("reads frames as they are and out of base64 alike", async () => {
		const bedrock = whole.filter(({ format }) => format === "bedrock-converse");
		expect(bedrock.length).toBeGreaterThan(0);
		for (const recording of bedrock) {
			const folder = echoFolder(recording);
			writeFileSync(join(folder, "reply.bin"), recording.bytes);
			const run = (path: string) => commandRun(["replay", path, "--tools", "tools.mjs", "--pace", "0"], { folder });
			const [binary, encoded] = [await run("reply.bin"), await run(join(SHARED, recording.file))];
			const answers = ({ out }: { out: string }) => out.slice(out.indexOf("Answers"), out.indexOf("┌"));
			expect(answers(binary)).toBe(answers(encoded));
			expect(binary).toMatchObject({ code: 0, errors: "" });
		}
	});
});
