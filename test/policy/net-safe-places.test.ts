// Where the net keeps its copies when a command may discard the very places that copies are kept in: real lines, real losses.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkpointNet } from "../../engine/index.js";
import { gitIn, judged, keptFor, netted, run } from "./net-kit.js";
import { refusal } from "./policy-kit.js";

/** Ways to say everything; each of them removes `.git` when a real shell runs it. */
const EVERYTHING = [
	"ls -A | xargs rm -rf",
	"ls -A | parallel rm -rf || ls -A | xargs rm -rf",
	"find . -type f | xargs rm",
	"find . -type f -print0 | xargs -0 -n1 rm -f",
	"find . -delete",
	"find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +",
	"X=.git; rm -rf $X a.txt",
	'cd "$PWD" && rm -rf .git a.txt',
	'for f in $(ls -A); do rm -rf "$f"; done',
	'ls -A | while read f; do rm -rf "$f"; done',
	'rm -rf "$(pwd)/.git" a.txt',
	"rm -rf `pwd`/.git a.txt",
	"rm -rf $'\\x2egit' a.txt",
	"rm -rf .[!.]* *",
	"rm -rf {.git,a.txt}",
	"rm -rf ./{.git,a.txt}",
	"rm -rf ~+/.git a.txt",
	'set -- .git a.txt; rm -rf "$@"',
	"eval 'rm -rf .git a.txt'",
	"X='rm -rf .git'; eval \"$X\"; rm a.txt",
	"bash -c 'rm -rf $0 a.txt' .git",
	"bash -O dotglob -c 'rm -rf *'",
	"mv .git ../gone; rm -rf ../gone a.txt",
	"mkdir e; rsync -a --delete e/ . || rm -rf $(ls -A)",
	"shopt -s dotglob\nrm -rf *",
	"shopt -s extglob\nrm -rf !(b.txt) .!(|.)",
];

/** Of these it is known that they mean git's own files and no others. */
const NAMED: ReadonlySet<string> = new Set([
	"rm -rf {.git,a.txt}",
	"rm -rf ./{.git,a.txt}",
	"eval 'rm -rf .git a.txt'",
	"mv .git ../gone; rm -rf ../gone a.txt",
]);

function workspace() {
	const made = netted({ "a.txt": "committed", "b.txt": "committed" });
	writeFileSync(join(made.root, "a.txt"), "uncommitted");
	return made;
}

describe("a command that may mean everything", () => {
	it.each(EVERYTHING)(
		"CN1: has what it could discard kept outside of that, git's own files with it: %s",
		async (line) => {
			const { root, folder, net } = workspace();
			const head = gitIn(root, "rev-parse", "HEAD");
			const reference = await keptFor(net, run(line));
			expect(readdirSync(join(folder, "manifests"))).toEqual([`${reference}.json`]);
			try {
				execFileSync("bash", ["-c", line], { cwd: root, stdio: "ignore" });
			} catch {
				// Of a line that fails in the end the most is done.
			}
			expect(existsSync(join(root, ".git/HEAD"))).toBe(false);
			await net.restore(reference ?? "");
			expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("uncommitted");
			expect(gitIn(root, "rev-parse", "HEAD")).toBe(head);
			expect(gitIn(root, "status", "--porcelain").replaceAll(/^\?\?.*\n/gm, "")).toBe(" M a.txt\n");
		},
	);

	it("CN1: is what a host says with `true`", async () => {
		const { root, folder, net } = netted(
			{ "a.txt": "committed", ".gitignore": "*.env", "my.env": "ignored" },
			{ suspect: () => true },
		);
		const reference = await keptFor(net, { name: "build", args: {}, effect: "spawn" });
		expect(readdirSync(join(folder, "manifests"))).toEqual([`${reference}.json`]);
		for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
		await net.restore(reference ?? "");
		// Of what git was told to ignore it says nothing.
		expect(gitIn(root, "status", "--porcelain")).toBe("");
		expect(readFileSync(join(root, "my.env"), "utf8")).toBe("ignored");
	});

	const unnamed = EVERYTHING.filter((line) => !NAMED.has(line));
	it.each(unnamed)("CN1: does not run where the folder of copies is a part of everything: %s", async (line) => {
		const { root } = workspace();
		const net = checkpointNet({ root, folder: join(root, ".copies") });
		expect(await judged(net, run("rm a.txt"))).toBe("clear");
		// The first copies that it keeps there would be lost with the rest.
		for (const made of [false, true]) {
			if (made) execFileSync("mkdir", ["-p", join(root, ".copies/files")]);
			expect(refusal(await judged(net, run(line))).violation).toContain("are a part of it");
		}
	});

	it("CN1: does not run where git is to clean the folder of copies away and its own files are at stake", async () => {
		const { root } = workspace();
		const net = checkpointNet({ root, folder: join(root, "node_modules/copies") });
		// No copy is of what is in there, and git removes it all the same.
		expect(await judged(net, run("git clean -fdx"))).toBe("clear");
		expect(refusal(await judged(net, run("git clean -fdx; rm -rf .git"))).violation).toContain("are a part of it");
	});

	it("has the copy of a file that it writes over under an unknown name outside of git's own files", async () => {
		const { root, folder, net } = workspace();
		const reference = await keptFor(net, run('X=.git/HEAD; echo > "$X"'));
		expect(readdirSync(join(folder, "manifests"))).toEqual([`${reference}.json`]);
		rmSync(join(root, "a.txt"));
		await net.restore(reference ?? "");
		expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("uncommitted");
	});

	it.each([
		["git clean -fdx", ["a.txt", "new", "new/deep", "new/deep/c.txt", "new/void", "src/void", "void"]],
		["git clean -fd", ["a.txt", "new", "new/deep", "new/deep/c.txt", "new/void", "src/void", "void"]],
	])("has the folders put back that git has no word for: %s", async (line, paths) => {
		const { root, net } = netted({ "a.txt": "committed", "src/b.txt": "committed" });
		writeFileSync(join(root, "a.txt"), "uncommitted");
		for (const folder of ["src/void", "void", "new/void", "new/deep", "node_modules/void"])
			mkdirSync(join(root, folder), { recursive: true, mode: 0o750 });
		writeFileSync(join(root, "new/deep/c.txt"), "new");
		const reference = await keptFor(net, run(line));
		execFileSync("bash", ["-c", line], { cwd: root, stdio: "ignore" });
		expect((await net.restore(reference ?? "")).restored).toEqual(paths);
		expect(statSync(join(root, "new/void")).mode & 0o777).toBe(0o750);
	});

	it.each(["git clean -fdx", "rm -rf a.txt b.txt", "rm -rf *", "tar -xf a.tar", "git reset --hard"])(
		"is another than one that leaves git's own files alone: %s",
		async (line) => {
			const { root, folder, net } = workspace();
			const reference = await keptFor(net, run(line));
			expect(existsSync(folder)).toBe(false);
			expect(gitIn(root, "show", `refs/wavetrain/net/${reference}:inside/a.txt`)).toBe("uncommitted");
		},
	);
});
