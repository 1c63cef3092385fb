// Inside the workspace
//
// Every way out of the root that a path can name, and that the ways inside it stay open. The outside is looked at after
// each refusal: it must not have been touched.

import {
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { insideWorkspace } from "../../engine/core/inside-workspace.js";
import { writeText } from "../../engine/tools/text-files.js";
import { readFile } from "../../workers/tools/read-file.js";
import { quietContext } from "../support/quiet-context.js";
import { scratchFolder } from "../support/scratch-folder.js";

function twoFolders() {
	const above = scratchFolder({ "root/note.md": "inside", "root/docs/a.md": "a", "outside/secret.md": "secret" });
	return { root: join(above, "root"), outside: join(above, "outside") };
}

function write(base: string, path: string): Promise<unknown> {
	return writeText({ base, path, text: "written" }, quietContext());
}

function read(root: string, path: string): Promise<unknown> {
	return readFile({ root, path, fromLine: 1 });
}

describe("paths that lead out of the workspace", () => {
	it("are refused by `..`, from any depth and by detours", async () => {
		const { root, outside } = twoFolders();
		for (const path of ["..", "../outside/secret.md", "docs/../../outside/secret.md", "./../outside/new.md"]) {
			const message = `The path ${JSON.stringify(path)} leads out of the workspace`;
			await expect(read(root, path)).rejects.toThrow(message);
			await expect(write(root, path)).rejects.toThrow(message);
		}
		expect(existsSync(join(outside, "new.md"))).toBe(false);
		expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("secret");
	});

	it("are refused as absolute paths, also where the root's name is the beginning of another's", async () => {
		const { root, outside } = twoFolders();
		for (const path of [join(outside, "secret.md"), `${root}-other/a.md`, "/"]) {
			await expect(write(root, path)).rejects.toThrow("leads out of the workspace");
		}
		expect(existsSync(`${root}-other`)).toBe(false);
	});

	it("are refused through a link as the last name, and the link is named", async () => {
		const { root, outside } = twoFolders();
		symlinkSync(join(outside, "secret.md"), join(root, "linked.md"));
		await expect(read(root, "linked.md")).rejects.toThrow('The link "linked.md" leads out of the workspace');
		await expect(write(root, "linked.md")).rejects.toThrow('The link "linked.md" leads out of the workspace');
		expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("secret");
	});

	it("are refused through a link to a place that does not exist yet, and nothing is created there", async () => {
		const { root, outside } = twoFolders();
		symlinkSync(join(outside, "new.md"), join(root, "dangling.md"));
		symlinkSync(join(root, "dangling.md"), join(root, "twice.md"));
		symlinkSync("../../outside/deep/new.md", join(root, "docs", "relative.md"));
		for (const link of ["dangling.md", "twice.md", "docs/relative.md"]) {
			await expect(write(root, link)).rejects.toThrow(`The link "${link}" leads out of the workspace`);
		}
		await expect(write(root, "docs/relative.md/more.md")).rejects.toThrow('The link "docs/relative.md" leads out');
		expect(readdirSync(outside)).toEqual(["secret.md"]);
	});

	it("are refused through a link in the middle, and the link is named, not the file behind it", async () => {
		const { root, outside } = twoFolders();
		symlinkSync(outside, join(root, "docs", "away"));
		await expect(read(root, "docs/away/secret.md")).rejects.toThrow('The link "docs/away" leads out of the workspace');
		await expect(write(root, "docs/away/made/new.md")).rejects.toThrow(
			'The link "docs/away" leads out of the workspace',
		);
		expect(existsSync(join(outside, "made"))).toBe(false);
	});

	it("are refused when links go round in a circle", async () => {
		const { root } = twoFolders();
		symlinkSync(join(root, "b"), join(root, "a"));
		symlinkSync(join(root, "a"), join(root, "b"));
		await expect(write(root, "a")).rejects.toThrow("leads back to itself");
	});

	it("are refused with a zero byte in them", async () => {
		await expect(read(twoFolders().root, "note.md\0.png")).rejects.toThrow("holds a zero byte");
	});

	it("carry a code that tells them from a file that is not there", async () => {
		const { root } = twoFolders();
		await expect(read(root, "../x")).rejects.toMatchObject({
			name: "OutsideWorkspaceError",
			code: "OUTSIDE_WORKSPACE",
		});
		await expect(read(root, "missing.md")).rejects.toMatchObject({ message: 'There is no file "missing.md".' });
	});
});

describe("paths that stay inside", () => {
	it("go through a link to another folder of the workspace to the real place", async () => {
		const { root } = twoFolders();
		symlinkSync(join(root, "docs"), join(root, "linked"));
		symlinkSync("docs/new.md", join(root, "fresh.md"));
		expect(await insideWorkspace(root, "linked/a.md")).toEqual({ real: join(root, "docs/a.md"), shown: "docs/a.md" });
		await write(root, "linked/a.md");
		await write(root, "fresh.md");
		expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe("written");
		expect(readFileSync(join(root, "docs/new.md"), "utf8")).toBe("written");
	});

	it("may be absolute, and may use `..` that does not leave", async () => {
		const { root } = twoFolders();
		expect((await insideWorkspace(root, join(root, "note.md"))).shown).toBe("note.md");
		expect((await insideWorkspace(root, "docs/../note.md")).shown).toBe("note.md");
		expect((await insideWorkspace(root, ".")).shown).toBe(".");
	});

	it("leave a linked folder by `..` where the file system does, beside the folder it leads to", async () => {
		const { root, outside } = twoFolders();
		mkdirSync(join(root, "docs/deep"));
		symlinkSync(join(root, "docs/deep"), join(root, "linked"));
		symlinkSync(outside, join(root, "away"));
		expect((await insideWorkspace(root, "linked/../a.md")).shown).toBe("docs/a.md");
		expect((await insideWorkspace(root, "linked/../new.md")).shown).toBe("docs/new.md");
		await expect(insideWorkspace(root, "away/../note.md")).rejects.toThrow(
			'The link "away" leads out of the workspace',
		);
		expect((await insideWorkspace(root, "away/../root/note.md")).shown).toBe("note.md");
	});

	it("work when the root itself is given by a link, written either way", async () => {
		const { root } = twoFolders();
		const byLink = `${root}-link`;
		symlinkSync(root, byLink);
		expect((await insideWorkspace(byLink, "note.md")).real).toBe(join(root, "note.md"));
		expect((await insideWorkspace(byLink, join(root, "note.md"))).shown).toBe("note.md");
		expect((await insideWorkspace(byLink, join(byLink, "note.md"))).shown).toBe("note.md");
	});

	it("may name what does not exist yet, folders included", async () => {
		const { root } = twoFolders();
		await write(root, "made/on/the/way.md");
		expect(readFileSync(join(root, "made/on/the/way.md"), "utf8")).toBe("written");
	});

	it("I9: whatever is written, the real place is the root or below it, or nothing is handed out", async () => {
		const { root, outside } = twoFolders();
		symlinkSync(outside, join(root, "out"));
		symlinkSync("..", join(root, "up"));
		symlinkSync(join(root, "docs"), join(root, "in"));
		mkdirSync(join(root, "docs/deep"));
		symlinkSync("../../in/deep", join(root, "docs/deep/loop"));
		linkSync(join(root, "note.md"), join(root, "hard.md"));
		const names = ["..", ".", "docs", "deep", "loop", "in", "out", "up", "note.md", "hard.md", "new", "", "outside"];
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 7 }),
				fc.boolean(),
				async (steps, absolute) => {
					const path = (absolute ? `${root}/` : "") + steps.join("/");
					const real = await placeOf(root, path);
					if (real === undefined) return;
					expect(real === root || real.startsWith(`${root}/`)).toBe(true);
					const existing = deepestExisting(real);
					expect(realpathSync(existing)).toBe(existing);
				},
			),
		);
	});
});

/** A dangling link exists: it is what must not be left in a real place. */
function deepestExisting(path: string): string {
	try {
		lstatSync(path);
		return path;
	} catch {
		return deepestExisting(dirname(path));
	}
}

async function placeOf(root: string, path: string): Promise<string | undefined> {
	try {
		return (await insideWorkspace(root, path)).real;
	} catch (error) {
		expect((error as { code?: unknown }).code).toBe("OUTSIDE_WORKSPACE");
		return undefined;
	}
}
