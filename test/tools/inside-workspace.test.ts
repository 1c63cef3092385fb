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
import { insideWorkspace } from "../../workers/tools/inside-workspace.js";
import { readFile } from "../../workers/tools/read-file.js";
import { writeFile } from "../../workers/tools/write-file.js";
import { scratchFolder } from "../support/scratch-folder.js";

function twoFolders() {
	const above = scratchFolder({ "root/note.md": "inside", "root/docs/a.md": "a", "outside/secret.md": "secret" });
	return { root: join(above, "root"), outside: join(above, "outside") };
}

function write(root: string, path: string): unknown {
	return writeFile({ root, path, text: "written" });
}

function read(root: string, path: string): unknown {
	return readFile({ root, path, fromLine: 1 });
}

describe("paths that lead out of the workspace", () => {
	it("are refused by `..`, from any depth and by detours", () => {
		const { root, outside } = twoFolders();
		for (const path of ["..", "../outside/secret.md", "docs/../../outside/secret.md", "./../outside/new.md"]) {
			const message = `The path ${JSON.stringify(path)} leads out of the workspace`;
			expect(() => read(root, path)).toThrow(message);
			expect(() => write(root, path)).toThrow(message);
		}
		expect(existsSync(join(outside, "new.md"))).toBe(false);
		expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("secret");
	});

	it("are refused as absolute paths, also where the root's name is the beginning of another's", () => {
		const { root, outside } = twoFolders();
		for (const path of [join(outside, "secret.md"), `${root}-other/a.md`, "/"]) {
			expect(() => write(root, path)).toThrow("leads out of the workspace");
		}
		expect(existsSync(`${root}-other`)).toBe(false);
	});

	it("are refused through a link as the last name, and the link is named", () => {
		const { root, outside } = twoFolders();
		symlinkSync(join(outside, "secret.md"), join(root, "linked.md"));
		expect(() => read(root, "linked.md")).toThrow('The link "linked.md" leads out of the workspace');
		expect(() => write(root, "linked.md")).toThrow('The link "linked.md" leads out of the workspace');
		expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("secret");
	});

	it("are refused through a link to a place that does not exist yet, and nothing is created there", () => {
		const { root, outside } = twoFolders();
		symlinkSync(join(outside, "new.md"), join(root, "dangling.md"));
		symlinkSync(join(root, "dangling.md"), join(root, "twice.md"));
		symlinkSync("../../outside/deep/new.md", join(root, "docs", "relative.md"));
		for (const link of ["dangling.md", "twice.md", "docs/relative.md"]) {
			expect(() => write(root, link)).toThrow(`The link "${link}" leads out of the workspace`);
		}
		expect(() => write(root, "docs/relative.md/more.md")).toThrow('The link "docs/relative.md" leads out');
		expect(readdirSync(outside)).toEqual(["secret.md"]);
	});

	it("are refused through a link in the middle, and the link is named, not the file behind it", () => {
		const { root, outside } = twoFolders();
		symlinkSync(outside, join(root, "docs", "away"));
		expect(() => read(root, "docs/away/secret.md")).toThrow('The link "docs/away" leads out of the workspace');
		expect(() => write(root, "docs/away/made/new.md")).toThrow('The link "docs/away" leads out of the workspace');
		expect(existsSync(join(outside, "made"))).toBe(false);
	});

	it("are refused when links go round in a circle", () => {
		const { root } = twoFolders();
		symlinkSync(join(root, "b"), join(root, "a"));
		symlinkSync(join(root, "a"), join(root, "b"));
		expect(() => write(root, "a")).toThrow("leads back to itself");
	});

	it("are refused with a zero byte in them", () => {
		expect(() => read(twoFolders().root, "note.md\0.png")).toThrow("holds a zero byte");
	});

	it("carry a code that tells them from a file that is not there", () => {
		const { root } = twoFolders();
		const caught = (path: string) => {
			try {
				return read(root, path);
			} catch (error) {
				return error;
			}
		};
		expect(caught("../x")).toMatchObject({ name: "OutsideWorkspaceError", code: "OUTSIDE_WORKSPACE" });
		expect(caught("missing.md")).toMatchObject({ message: 'There is no file "missing.md".' });
	});
});

describe("paths that stay inside", () => {
	it("go through a link to another folder of the workspace to the real place", () => {
		const { root } = twoFolders();
		symlinkSync(join(root, "docs"), join(root, "linked"));
		symlinkSync("docs/new.md", join(root, "fresh.md"));
		expect(insideWorkspace(root, "linked/a.md")).toEqual({ real: join(root, "docs/a.md"), shown: "docs/a.md" });
		write(root, "linked/a.md");
		write(root, "fresh.md");
		expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe("written");
		expect(readFileSync(join(root, "docs/new.md"), "utf8")).toBe("written");
	});

	it("may be absolute, and may use `..` that does not leave", () => {
		const { root } = twoFolders();
		expect(insideWorkspace(root, join(root, "note.md")).shown).toBe("note.md");
		expect(insideWorkspace(root, "docs/../note.md").shown).toBe("note.md");
		expect(insideWorkspace(root, ".").shown).toBe(".");
	});

	it("work when the root itself is given by a link, written either way", () => {
		const { root } = twoFolders();
		const byLink = `${root}-link`;
		symlinkSync(root, byLink);
		expect(insideWorkspace(byLink, "note.md").real).toBe(join(root, "note.md"));
		expect(insideWorkspace(byLink, join(root, "note.md")).shown).toBe("note.md");
		expect(insideWorkspace(byLink, join(byLink, "note.md")).shown).toBe("note.md");
	});

	it("may name what does not exist yet, folders included", () => {
		const { root } = twoFolders();
		write(root, "made/on/the/way.md");
		expect(readFileSync(join(root, "made/on/the/way.md"), "utf8")).toBe("written");
	});

	it("I9: whatever is written, the real place is the root or below it, or nothing is handed out", () => {
		const { root, outside } = twoFolders();
		symlinkSync(outside, join(root, "out"));
		symlinkSync("..", join(root, "up"));
		symlinkSync(join(root, "docs"), join(root, "in"));
		mkdirSync(join(root, "docs/deep"));
		symlinkSync("../../in/deep", join(root, "docs/deep/loop"));
		linkSync(join(root, "note.md"), join(root, "hard.md"));
		const names = ["..", ".", "docs", "deep", "loop", "in", "out", "up", "note.md", "hard.md", "new", "", "outside"];
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 7 }),
				fc.boolean(),
				(steps, absolute) => {
					const path = (absolute ? `${root}/` : "") + steps.join("/");
					const real = placeOf(root, path);
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

function placeOf(root: string, path: string): string | undefined {
	try {
		return insideWorkspace(root, path).real;
	} catch (error) {
		expect((error as { code?: unknown }).code).toBe("OUTSIDE_WORKSPACE");
		return undefined;
	}
}
