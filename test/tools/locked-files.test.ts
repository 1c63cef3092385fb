// Locked files
//
// Writers of one file meet, whatever way leads them there, and whatever becomes of that way while they wait.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEngine, type Engine, type EngineEvent, toolLocks, workspaceTools } from "../../engine/index.js";
import { fileLockKey, fileLockKeys } from "../../engine/locks/file-lock-key.js";
import { scratchFolder } from "../support/scratch-folder.js";

function engineOver(root: string): Engine {
	const engine = createEngine({ tools: workspaceTools({ root }) });
	onTestFinished(() => engine.close().then(() => undefined));
	return engine;
}

function editOf(path: string, oldText: string, newText: string) {
	return { id: "", name: "edit_file", args: { path, oldText, newText } };
}

async function outcomes(wave: ReturnType<Engine["executeWave"]>): Promise<string[]> {
	const { results } = await wave;
	return results.map(({ outcome }) => (outcome.ok ? "ok" : `${outcome.error.code} ${outcome.error.message}`));
}

/** Resolves with the next event of the kind. */
function next(engine: Engine, kind: EngineEvent["kind"]): Promise<EngineEvent> {
	return new Promise((resolve) => {
		const stop = engine.subscribe((event) => {
			if (event.kind !== kind) return;
			stop();
			resolve(event);
		});
	});
}

async function hold(...paths: string[]): Promise<() => void> {
	const keys = await Promise.all(paths.map((path) => fileLockKey(path)));
	const release = await toolLocks.acquire(keys);
	onTestFinished(release);
	return release;
}

/** Turns a link in one move, as a program that must not be seen without it does. */
function turn(link: string, target: string): void {
	symlinkSync(target, `${link}.new`);
	renameSync(`${link}.new`, link);
}

describe("two writers of one file", () => {
	it("of two engines, in two waves, through a link and through the real path, both keep their edits", async () => {
		const lines = Array.from({ length: 12 }, (_, line) => `line ${line} old`);
		const root = scratchFolder({ "docs/a.md": lines.join("\n") });
		symlinkSync("docs", join(root, "linked"));
		linkSync(join(root, "docs/a.md"), join(root, "hard.md"));
		const [one, other] = [engineOver(root), engineOver(root)];
		const paths = ["docs/a.md", "linked/a.md", join(root, "docs/a.md"), "hard.md"];
		const waves = lines.map((line, at) => {
			const path = paths[at % paths.length] ?? "";
			return (at % 2 === 0 ? one : other).executeWave([editOf(path, line, `line ${at} new`)]);
		});
		const told = await Promise.all(waves.map((wave) => outcomes(wave)));
		expect(told.flat()).toEqual(lines.map(() => "ok"));
		expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe(lines.map((_, line) => `line ${line} new`).join("\n"));
		expect(toolLocks.size).toBe(0);
	});

	it("in one wave go one after the other, in call order", async () => {
		const root = scratchFolder({ "docs/a.md": "one" });
		symlinkSync(join(root, "docs"), join(root, "linked"));
		const wave = engineOver(root).executeWave([
			editOf("linked/a.md", "one", "two"),
			editOf("docs/a.md", "two", "three"),
			editOf("linked/a.md", "one", "four"),
		]);
		expect(await outcomes(wave)).toEqual([
			"ok",
			"ok",
			'TOOL_FAILED "docs/a.md" does not hold the old text. It was left as it is.',
		]);
		expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe("three");
	});

	it("through two names of one file wait for each other", async () => {
		const root = scratchFolder({ "a.md": "old" });
		linkSync(join(root, "a.md"), join(root, "b.md"));
		const release = await toolLocks.acquire(await fileLockKeys(join(root, "a.md")));
		onTestFinished(release);
		const engine = engineOver(root);
		const waiting = next(engine, "call_waiting");
		const wave = engine.executeWave([editOf("b.md", "old", "new")]);
		await waiting;
		expect(readFileSync(join(root, "b.md"), "utf8")).toBe("old");
		release();
		expect(await outcomes(wave)).toEqual(["ok"]);
	});
});

describe("an edit that a person is asked about", () => {
	it("keeps no other writer of the file waiting, and is made in what the file holds once it is approved", async () => {
		const root = scratchFolder({ "a.md": "one and two" });
		const asked = workspaceTools({ root }).map((one) => ({ ...one, requiresApproval: one.name === "edit_file" }));
		const careful = createEngine({ tools: asked });
		onTestFinished(() => careful.close().then(() => undefined));
		const { status, questions, checkpoint } = await careful.executeWave([editOf("a.md", "one", "1")]);
		expect([status, toolLocks.size]).toEqual(["paused", 0]);
		expect(await outcomes(engineOver(root).executeWave([editOf("a.md", "two", "2")]))).toEqual(["ok"]);
		if (checkpoint === undefined) throw new Error("the wave has no checkpoint");
		const answers = Object.fromEntries(questions.map(({ id }) => [id, true]));
		expect(await outcomes(careful.resume(checkpoint, { answers }))).toEqual(["ok"]);
		expect(readFileSync(join(root, "a.md"), "utf8")).toBe("1 and 2");
	});
});

describe("a way that changes while its writer waits", () => {
	it("LP1: leads the writer to wait for where it leads now, however often, and only that file is changed", async () => {
		const names = ["first.md", "second.md", "third.md"];
		const root = scratchFolder(Object.fromEntries(names.map((name) => [name, "old"])));
		symlinkSync("first.md", join(root, "link.md"));
		const releases = await Promise.all(names.map((name) => hold(join(root, name))));
		const engine = engineOver(root);
		const waiting = next(engine, "call_waiting");
		const wave = engine.executeWave([editOf("link.md", "old", "new")]);
		await waiting;
		for (const [at, name] of names.slice(1).entries()) {
			turn(join(root, "link.md"), name);
			const waitingAgain = next(engine, "call_waiting");
			releases[at]?.();
			await waitingAgain;
		}
		expect(readFileSync(join(root, "third.md"), "utf8")).toBe("old");
		releases[2]?.();
		expect(await outcomes(wave)).toEqual(["ok"]);
		expect(names.map((name) => readFileSync(join(root, name), "utf8"))).toEqual(["old", "old", "new"]);
	});

	it("and leads out of the workspace by then is refused, and the outside is not touched", async () => {
		const above = scratchFolder({ "root/first.md": "old", "outside.md": "old" });
		const root = join(above, "root");
		symlinkSync("first.md", join(root, "link.md"));
		const release = await hold(join(root, "first.md"));
		const engine = engineOver(root);
		const waiting = next(engine, "call_waiting");
		const wave = engine.executeWave([editOf("link.md", "old", "new")]);
		await waiting;
		turn(join(root, "link.md"), "../outside.md");
		release();
		expect(await outcomes(wave)).toEqual([
			'TOOL_FAILED The link "link.md" leads out of the workspace. Name a path inside the workspace.',
		]);
		expect(readFileSync(join(above, "outside.md"), "utf8")).toBe("old");
		expect(readFileSync(join(root, "first.md"), "utf8")).toBe("old");
	});

	it("and gives the file a second name by then, is waited for at that name too", async () => {
		const root = scratchFolder({ "a.md": "old" });
		const releaseName = await hold(join(root, "a.md"));
		const engine = engineOver(root);
		const waiting = next(engine, "call_waiting");
		const wave = engine.executeWave([editOf("a.md", "old", "new")]);
		await waiting;
		linkSync(join(root, "a.md"), join(root, "b.md"));
		const [, inode = ""] = await fileLockKeys(join(root, "b.md"));
		const releaseFile = await toolLocks.acquire([inode]);
		const waitingAgain = next(engine, "call_waiting");
		releaseName();
		await waitingAgain;
		releaseFile();
		expect(await outcomes(wave)).toEqual(["ok"]);
		expect(readFileSync(join(root, "b.md"), "utf8")).toBe("new");
	});
});

describe("a way out", () => {
	it("keeps no call waiting for a file of the outside", async () => {
		const above = scratchFolder({ "outside.md": "old" });
		mkdirSync(join(above, "root"));
		symlinkSync("../outside.md", join(above, "root/link.md"));
		symlinkSync("../absent.md", join(above, "root/dangling.md"));
		await hold(join(above, "outside.md"), join(above, "absent.md"));
		const wave = engineOver(join(above, "root")).executeWave([
			editOf("link.md", "old", "new"),
			{ id: "", name: "write_file", args: { path: "dangling.md", text: "new" } },
		]);
		expect(await outcomes(wave)).toEqual([
			'TOOL_FAILED The link "link.md" leads out of the workspace. Name a path inside the workspace.',
			'TOOL_FAILED The link "dangling.md" leads out of the workspace. Name a path inside the workspace.',
		]);
		rmSync(join(above, "outside.md"));
	});
});
