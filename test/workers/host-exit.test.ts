// A host lives for as long as a thread has a call, and not because of threads that have none, or could not be made.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const CHILD = fileURLToPath(new URL("./host-exit-child.ts", import.meta.url));

it("a process stays until its calls are answered, whatever their threads do, and then ends by itself", async () => {
	const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--import", "tsx", CHILD], {
		timeout: 20_000,
	});
	const answered = ["WORKER_LOST exit", "WORKER_LOST exit", "an answer"];
	const unmade = Array.from({ length: 3 }, () => "TOOL_NOT_LOADED start");
	expect(JSON.parse(stdout)).toEqual([...answered, ...unmade]);
	expect(stderr).toBe("");
});
