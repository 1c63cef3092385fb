// What a line could discard in the less usual words of shells, of git and of other commands: run by a real shell, and put
// back by the net.

import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { checkpointNet } from "../../engine/index.js";
import { matcherOf } from "../../engine/policy/shell-pattern.js";
import { scratchFolder } from "../support/scratch-folder.js";
import { gitIn, keptFor, run } from "./net-kit.js";

afterEach(() => {
	vi.unstubAllEnvs();
});

const FILES = {
	"a.txt": "alpha",
	"b.txt": "beta",
	"1.txt": "one",
	"a1.txt": "one more",
	"2024.log": "log",
	"BIG.TXT": "big",
	"f[1].txt": "bracket",
	"{a}.txt": "brace",
	"].txt": "closing",
	"sub/a.txt": "inner",
	"sub/deep/c.txt": "deep",
	"a.txt.gz": "packed",
};
const OUT = { "a.txt": "outside", "old.tgz": "archive", "linked.txt": "linked", "in/a.txt": "outer" };
const SOURCE = { "a.txt": "new", "linked.txt": "newer" };

function under(folder: string, files: Readonly<Record<string, string>>): [string, string][] {
	return Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]);
}

/** A workspace `work`, and beside it `out`, which is the home, and `source`. */
function world(prepare: string, git: boolean): string {
	const base = scratchFolder(
		Object.fromEntries([...under("work", FILES), ...under("out", OUT), ...under("source", SOURCE)]),
	);
	const root = join(base, "work");
	symlinkSync("../out", join(root, "way"));
	symlinkSync("../../out/linked.txt", join(root, "sub/linked.txt"));
	if (git) {
		const commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm"];
		for (const words of [
			["init", "-q"],
			["add", "."],
			[...commit, "first"],
		])
			gitIn(root, ...words);
		gitIn(root, "checkout", "-qb", "second");
		writeFileSync(join(root, "a.txt"), "second");
		gitIn(root, ...commit, "second", "-a");
		gitIn(root, "checkout", "-q", "-");
	}
	if (prepare !== "") execFileSync("bash", ["-c", prepare], { cwd: root, stdio: "ignore" });
	return base;
}

function contentsOf(folder: string): ReadonlyMap<string, string> {
	const found = new Map<string, string>();
	for (const name of readdirSync(folder)) {
		const path = join(folder, name);
		const here = lstatSync(path);
		if (here.isSymbolicLink()) found.set(path, `link ${readlinkSync(path)}`);
		else if (here.isFile()) found.set(path, readFileSync(path, "latin1"));
		else if (name !== ".git") for (const [inner, text] of contentsOf(path)) found.set(inner, text);
	}
	return found;
}

/** Not on every machine. */
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

interface Line {
	readonly line: string;
	readonly git?: boolean;
	/** Run before the net looks. */
	readonly prepare?: string;
}

/** The files whose content the line takes away and a restore does not bring back, and how many it took away. */
async function lostBy({
	line,
	git = false,
	prepare = "",
}: Line): Promise<{ changed: boolean; lost: readonly string[] }> {
	const base = world(prepare, git);
	const root = join(base, "work");
	vi.stubEnv("HOME", join(base, "out"));
	const net = checkpointNet({ root, folder: join(scratchFolder(), "copies") });
	const before = [...contentsOf(base)];
	const reference = await keptFor(net, run(line));
	try {
		execFileSync("bash", ["-c", line], { cwd: root, stdio: "ignore", timeout: 10_000 });
	} catch {
		// Half of what a failing line wanted may have happened.
	}
	const between = contentsOf(base);
	const changed = before.some(([path, text]) => between.get(path) !== text);
	if (reference !== undefined) await net.restore(reference);
	const after = contentsOf(base);
	const texts = new Set(after.values());
	// What was moved is not lost.
	const lost = before.filter(([path, text]) => after.get(path) !== text && !texts.has(text));
	return { changed, lost: lost.map(([path]) => path.slice(base.length + 1)) };
}

describe("what a line takes away is there again after a restore", () => {
	it.each([
		"rm a{1..3}.txt",
		'rm "f[1]"*',
		"rm f\\[1\\]*",
		"rm '{a}'*",
		"rm {a}.txt",
		"rm [[:digit:]].txt",
		"rm []].txt",
		"rm [!]a].txt",
		"rm **/a.txt",
		"shopt -s nocaseglob\nrm big*",
	])("of a pattern: %s", async (line) => {
		expect(await lostBy({ line })).toEqual({ changed: true, lost: [] });
	});

	it.each([
		"echo hi >&2024.log",
		"cp <(echo new) a.txt",
		"tee >(cat > b.txt) a.txt < 1.txt; until [ -s b.txt ]; do :; done",
		"cd s*b && rm a.txt",
		"cd -- sub && rm a.txt",
		"cd && rm a.txt",
		"cd */deep && rm c.txt",
		"env -C sub rm a.txt",
		"env --chdir=sub rm a.txt",
		"$(which rm) a.txt",
		"`command -v rm` -f a.txt",
		"echo 'rm a.txt' | sh",
		"printf 'rm %s' a.txt | bash -s",
		"bash <(echo 'rm a.txt')",
		'eval "rm -f" a.txt',
		"env -S 'rm -f' a.txt",
	])("of a shell's own words: %s", async (line) => {
		expect(await lostBy({ line })).toEqual({ changed: true, lost: [] });
	});

	it.each([
		"tar czf ../out/old.tgz sub",
		"tar cf - -C ../source . | tar x -C../out",
		"cp -t../out a.txt",
		"cp a.txt way/",
		"rm -r way/",
		"ln -sf ../source/a.txt",
		"cp -r ../source/. sub",
		"cp -rT ../source sub",
		"find sub -fprint ../out/a.txt",
		"find -H way -name a.txt -delete",
		"gzip -df a.txt.gz",
		"gzip -kf a.txt",
		"uniq 1.txt a.txt",
		"shuf -o a.txt b.txt",
		...(hasCurl ? ["curl -sO file:///etc/hostname"] : []),
	])("of a command's: %s", async (line) => {
		const prepare = "echo packed | gzip > a.txt.gz; echo old > hostname";
		expect(await lostBy({ line, prepare })).toEqual({ changed: true, lost: [] });
	});

	it.each([
		["git diff --output=new.txt HEAD", "echo old > new.txt"],
		["git archive -o ../out/old.tgz HEAD", ""],
		["git bundle create new.txt HEAD", "echo old > new.txt"],
		["git bundle create -q new.txt HEAD", "echo old > new.txt"],
		["git -c alias.z='!rm -f a.txt b.txt' z", ""],
		["git config -f new.txt a.b c", "printf '[a]\\n\\tb = old' > new.txt"],
		["git reset --hard", "echo added > new.txt; git add new.txt"],
		["git reset --hard", "echo added > a.txt; git add a.txt"],
		["git checkout -- a.txt", "echo mine > a.txt; git update-index --assume-unchanged a.txt"],
		["git checkout second -- a.txt", "echo mine > a.txt; git update-index --skip-worktree a.txt"],
		["git worktree remove --force ../tree", "git worktree add -q ../tree second; echo new > ../tree/new.txt"],
		["git --work-tree=../out checkout -f HEAD -- a.txt", ""],
	])("of git's: %s after %j", async (line, prepare) => {
		expect(await lostBy({ line, prepare, git: true })).toEqual({ changed: true, lost: [] });
	});
});

describe("a pattern", () => {
	const sign = fc.constantFrom(..."ab1[]!^-{},.*?é", "[:digit:]", "..", "[a-", "{a,b}", "😀");
	const word = fc.array(sign, { minLength: 1, maxLength: 6 }).map((signs) => signs.join(""));

	it.each(["C", "C.UTF-8"])("matches all that a shell matches by it, where the locale is %s", async (locale) => {
		const files = ["a", "b", "1", "ab", "a1b", "[a]", "{a}", "]", "é", "aé", "😀", "-a", "!a", "a,b", "^", "a.b"];
		const root = scratchFolder(Object.fromEntries(files.map((name) => [name, ""])));
		fc.assert(
			fc.property(word, (pattern) => {
				const line = `LC_ALL=${locale}; printf '%s\\0' ${pattern.replace(/^-/, "./-")}`;
				const said = execFileSync("bash", ["-c", line], { cwd: root, encoding: "utf8" }).split("\0");
				const matched = files.filter((name) => said.includes(name));
				const matches = matcherOf(pattern) ?? (() => true);
				expect({ pattern, missed: matched.filter((name) => !matches(name)) }).toEqual({ pattern, missed: [] });
			}),
			{ numRuns: 150 },
		);
	});
});
