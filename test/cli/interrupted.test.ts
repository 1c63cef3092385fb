// Interrupted
//
// Ctrl-C and a reader that goes away, while the reply is read and while the wave runs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../engine/cli/command.js";
import { Output } from "../../engine/cli/output.js";
import { systemClock } from "../../engine/core/clock.js";
import { commandRun } from "../support/command-run.js";
import { ManualClock } from "../support/manual-clock.js";
import { recordedReply } from "../support/recorded-reply.js";
import { scratchFolder } from "../support/scratch-folder.js";

const COMMAND = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const INDEX = new URL("../../dist/index.js", import.meta.url).href;

/** A tool that ends only when it is asked to. */
const PATIENT = `import { tool } from ${JSON.stringify(INDEX)};
	import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
	const untilStopped = (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve));
	const parameters = z.object({});
	export const tools = [
		tool({ name: "patient", parameters, effect: "read", execute: untilStopped }),
		tool({ name: "change", parameters, effect: "write", execute: () => "changed" }),
	];`;

function folder() {
	const calls = [
		{ name: "patient", args: {} },
		{ name: "change", args: {} },
	];
	return scratchFolder({ "reply.sse": recordedReply(calls), "tools.mjs": PATIENT, "a.md": "here" });
}

describe("an interrupted replay", () => {
	it("while the reply arrives: runs nothing, and exits with 130", async () => {
		const controller = new AbortController();
		const setting = { folder: folder(), clock: new ManualClock(), signal: controller.signal };
		const running = commandRun(["replay", "reply.sse", "--tools", "tools.mjs"], setting);
		controller.abort(new Error("Interrupted"));
		const { out, errors, code } = await running;
		expect(out).toContain("the reply ended (interrupted); none of its calls runs");
		expect({ errors, code }).toEqual({
			errors: "wavetrain: Interrupted; what had not started did not run.\n",
			code: 130,
		});
	});

	it("while the wave runs: answers every call, prints the answers, and exits with 130", async () => {
		const controller = new AbortController();
		const { out, code } = await commandRun(
			["replay", "reply.sse", "--tools", "tools.mjs", "--pace", "0", "--no-ahead"],
			{
				folder: folder(),
				signal: controller.signal,
				onOut: (text) => {
					if (text.includes("call 0 patient: starts")) controller.abort(new Error("Interrupted"));
				},
			},
		);
		expect(out).toMatch(
			/0 {2}patient {2}ABORTED: .+\n +1 {2}change {3}ABORTED_BEFORE_DISPATCH: Aborted before dispatch/,
		);
		expect(code).toBe(130);
	});

	it("by a reader that goes away: stops, without a word, with 0", async () => {
		const controller = new AbortController();
		const broken = new Writable({
			write: (_text, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
		});
		let said = "";
		const heard = new Writable({
			write: (text, _encoding, done) => {
				said += String(text);
				done();
			},
		});
		const code = await runCommand(["replay", "reply.sse", "--tools", "tools.mjs", "--pace", "0"], {
			out: new Output(broken, () => controller.abort(new Error("gone"))),
			errors: new Output(heard),
			clock: systemClock,
			signal: controller.signal,
			folder: folder(),
		});
		expect({ code, said }).toEqual({ code: 0, said: "" });
	});
});

describe("the process of the command", () => {
	it("prints what it has and leaves with 130 on Ctrl-C", async () => {
		const child = spawn(process.execPath, [COMMAND, "replay", "reply.sse", "--tools", "tools.mjs", "--pace", "0"], {
			cwd: folder(),
		});
		let out = "";
		child.stdout.on("data", (text) => {
			out += String(text);
			if (out.includes("call 0 patient: starts")) child.kill("SIGINT");
		});
		const [code] = await once(child, "close");
		expect(code).toBe(130);
		expect(out).toContain("ABORTED_BEFORE_DISPATCH: Aborted before dispatch");
	});

	it("leaves quietly when its reader does", async () => {
		const child = spawn(process.execPath, [COMMAND, "replay", "reply.sse", "--tools", "tools.mjs", "--pace", "0"], {
			cwd: folder(),
		});
		let errors = "";
		child.stderr.on("data", (text) => {
			errors += String(text);
		});
		child.stdout.once("data", () => child.stdout.destroy());
		const [code] = await once(child, "close");
		expect({ code, errors }).toEqual({ code: 0, errors: "" });
	});
});
