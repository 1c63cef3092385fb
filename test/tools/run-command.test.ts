// run_command
//
// What a command is given and what is answered.

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { COMMAND_HEAD_BYTES, COMMAND_TAIL_BYTES } from "../../engine/core/tool-limits.js";
import { runCommandTool } from "../../engine/tools/run-command.js";
import { commandIn } from "../support/command-in.js";
import { quietContext } from "../support/quiet-context.js";
import { scratchFolder } from "../support/scratch-folder.js";

const NODE = process.execPath;

describe("run_command", () => {
	it("gives the program its arguments as they are, with no shell to read them", async () => {
		const args = ["$HOME", "a b", "; exit 7", "*", "`id`", "$(id)", "", 'quo"te', "> out"];
		const root = scratchFolder();
		const code = "console.log(JSON.stringify(process.argv.slice(1)))";
		const { stdout } = await commandIn(root, { command: NODE, args: ["-e", code, "--", ...args] });
		expect(JSON.parse(stdout)).toEqual(args);
	});

	it("has a shell read the line where one is asked for, and takes no arguments beside it", async () => {
		const root = scratchFolder({ "a.txt": "one\ntwo\n" });
		const { stdout } = await commandIn(root, { command: "cat *.txt | tail -n 1 && exit 3", shell: true });
		expect(stdout).toBe("two\n");
		const { parameters } = runCommandTool(root);
		const refused = parameters["~standard"].validate({ command: "a", args: ["b"], shell: true });
		expect(refused).toMatchObject({ issues: [{ path: ["args"] }] });
	});

	it("answers the exit code, or the signal that ended the program, beside both outputs", async () => {
		const root = scratchFolder();
		const failing = "process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 3";
		expect(await commandIn(root, { command: NODE, args: ["-e", failing] })).toEqual({
			exitCode: 3,
			signal: null,
			timedOut: false,
			stdout: "out",
			stderr: "err",
			droppedBytes: { stdout: 0, stderr: 0 },
		});
		const killed = await commandIn(root, { command: NODE, args: ["-e", "process.kill(process.pid, 'SIGKILL')"] });
		expect(killed).toMatchObject({ exitCode: null, signal: "SIGKILL" });
	});

	it("closes the input: a program that reads it sees its end at once", async () => {
		expect(await commandIn(scratchFolder(), { command: "cat" })).toMatchObject({ exitCode: 0, stdout: "" });
	});

	it("runs in the folder that is named, and refuses one outside, a missing one, and a missing program", async () => {
		const above = scratchFolder({ "root/sub/a.txt": "" });
		const root = join(above, "root");
		mkdirSync(join(above, "outside"));
		const { stdout } = await commandIn(root, { command: "pwd", path: "sub" });
		expect(stdout.trim()).toBe(realpathSync(join(root, "sub")));
		await expect(commandIn(root, { command: "pwd", path: "../outside" })).rejects.toThrow("leads out of the workspace");
		await expect(commandIn(root, { command: "pwd", path: "none" })).rejects.toThrow('There is no folder "none"');
		await expect(commandIn(root, { command: "no-such-program" })).rejects.toThrow(
			'There is no program "no-such-program".',
		);
	});

	it.each([0, 1])(
		"keeps head and tail of endless output on both streams, whole characters only (exit %d)",
		async (code) => {
			const piece = "é€😀".repeat(20_000);
			const times = 200;
			const script = `
			const piece = Buffer.from(${JSON.stringify("é€😀")}.repeat(20000));
			const write = (to) => new Promise((done) => {
				let left = ${times};
				const next = () => (left-- > 0 ? to.write(piece, next) : done());
				next();
			});
			Promise.all([write(process.stdout), write(process.stderr)]).then(() => process.exit(${code}));
		`;
			const answer = await commandIn(scratchFolder(), { command: NODE, args: ["-e", script] });
			expect(answer.exitCode).toBe(code);
			for (const stream of ["stdout", "stderr"] as const) {
				const text = answer[stream];
				expect(text).not.toContain("\uFFFD");
				const shown = Buffer.byteLength(text.replace(/\n\[… \d+ bytes left out …\]\n/, ""));
				expect(shown).toBeLessThanOrEqual(COMMAND_HEAD_BYTES + COMMAND_TAIL_BYTES);
				expect(shown + answer.droppedBytes[stream]).toBe(Buffer.byteLength(piece) * times);
			}
		},
	);

	it("reports how much has arrived, so that whoever waits sees a sign of life", async () => {
		const reports: unknown[] = [];
		const progress: ToolContext["progress"] = (update) => void reports.push(update);
		await commandIn(scratchFolder(), { command: "echo", args: ["hello"] }, { context: quietContext({ progress }) });
		expect(reports).toEqual([{ bytes: 6 }]);
	});

	it("is shown as the line a person would type", () => {
		const { presentation } = runCommandTool("/");
		const shown = (args: object) => presentation?.({ args: [], shell: false, path: ".", ...args }).title;
		expect(shown({ command: "npm", args: ["test", "a b"] })).toBe('Run npm test "a b"');
		expect(shown({ command: "ls | wc", shell: true })).toBe("Run ls | wc");
	});
});
