// What lines and programs could discard: compared with what a real shell does discard.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHELL_FOLDERS_MAX } from "../../engine/core/limits.js";
import { placesAtStake } from "../../engine/policy/at-stake.js";
import { discardedByLine, discardedByProgram } from "../../engine/policy/discarding-commands.js";
import { CannotKeep } from "../../engine/policy/net-refusal.js";
import { scratchFolder } from "../support/scratch-folder.js";
import { keptFor, netted, run } from "./net-kit.js";

const FILES = {
	"a.txt": "alpha",
	"b.txt": "beta",
	"two words.txt": "gamma",
	"src/a.txt": "delta",
	"src/deep/c.js": "epsilon",
	"build/out.js": "zeta",
	"build/.hidden": "eta",
	"build/deep/c.js": "theta",
};

async function foundBy(discards: ReturnType<typeof discardedByLine>, root: string): Promise<readonly string[]> {
	const { signal } = new AbortController();
	const { places } = await placesAtStake(discards, { leaveOut: new Set(["node_modules"]), signal });
	return places.map((place) => place.slice(root.length + 1));
}

function keptBy(line: string, files: Readonly<Record<string, string>> = FILES): Promise<readonly string[]> {
	const root = scratchFolder(files);
	return foundBy(discardedByLine(line, root), root);
}

/** Every file and link below the folder, by path and content. */
function contentsOf(root: string, folder = ""): ReadonlyMap<string, string> {
	const found = new Map<string, string>();
	for (const name of readdirSync(join(root, folder))) {
		const path = folder === "" ? name : `${folder}/${name}`;
		const here = lstatSync(join(root, path));
		if (here.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(root, path))}`);
		else if (here.isFile()) found.set(path, readFileSync(join(root, path), "utf8"));
		else if (name !== ".git") for (const [inner, text] of contentsOf(root, path)) found.set(inner, text);
	}
	return found;
}

function runInBash(line: string, root: string): void {
	try {
		execFileSync("bash", ["-c", line], { cwd: root, stdio: "ignore", timeout: 10_000 });
	} catch {
		// Half of what a failing line wanted may have happened.
	}
}

/** One command that discards something, or may. */
const path = fc.constantFrom(
	"a.txt",
	"b.txt",
	"'two words.txt'",
	"src",
	"src/*",
	"*.txt",
	"build",
	"./src/../a.txt",
	"src/deep/",
	"src/.",
	"src/deep",
);
const simple = fc.oneof(
	fc
		.tuple(fc.constantFrom("rm -rf", "rm -f", "unlink", "truncate -s 1", "shred -n1"), path)
		.map((words) => words.join(" ")),
	fc
		.tuple(fc.constantFrom("mv", "cp -r", "cp -rT", "ln -sf", "mv -f", "cp -a", "install", "cp -t"), path, path)
		.map((words) => words.join(" ")),
	fc.tuple(fc.constantFrom("echo x >", "cat b.txt >|", "date 2>", "ls &>"), path).map((words) => words.join(" ")),
	fc.tuple(fc.constantFrom("find", "find ."), path).map(([find, start]) => `${find} ${start} -name '*.js' -delete`),
	path.map((one) => `ls -d ${one} | xargs rm -rf`),
	path.map((one) => `tee ${one} < b.txt`),
);

describe("what a line could discard", () => {
	it.each<[string, readonly string[]]>([
		["rm a.txt", ["a.txt"]],
		["rm -f -- a.txt gone.txt", ["a.txt"]],
		["rm 'two words.txt'", ["two words.txt"]],
		["rm two\\ words.txt", ["two words.txt"]],
		["rm -r src", ["src", "src/a.txt", "src/deep", "src/deep/c.js"]],
		["rm -rf build/*", ["build/deep", "build/deep/c.js", "build/out.js"]],
		["rm -rf build/.*", ["build/.hidden"]],
		["rm {a,b}.txt", ["a.txt", "b.txt"]],
		["rm [!b].txt", ["a.txt"]],
		["sudo -u me rm a.txt", ["a.txt"]],
		["if true; then rm a.txt; fi", ["a.txt"]],
		["make && rm a.txt || rm b.txt", ["a.txt", "b.txt"]],
		["cd src && rm a.txt", ["a.txt", "src/a.txt"]],
		["sh -c 'rm a.txt'", ["a.txt"]],
		["echo $(rm a.txt)", ["a.txt"]],
		["echo `rm a.txt`", ["a.txt"]],
		["find src -name '*.js' -delete", ["src", "src/a.txt", "src/deep", "src/deep/c.js"]],
		["find src -name '*.js'", []],
		["mv a.txt b.txt", ["a.txt", "b.txt"]],
		["mv a.txt new.txt", []],
		["mv a.txt c.txt; rm c.txt", ["a.txt"]],
		["mv b.txt src", []],
		["mv a.txt build", []],
		["mv *.txt src", ["a.txt", "b.txt", "src", "src/a.txt", "src/deep", "src/deep/c.js", "two words.txt"]],
		["cp -r src/deep build", ["build/deep", "build/deep/c.js"]],
		["cp -t src a.txt", ["a.txt", "src/a.txt"]],
		["echo x > a.txt", ["a.txt"]],
		["echo x 2>a.txt 1>&2", ["a.txt"]],
		["make &>a.txt", ["a.txt"]],
		["echo x >> a.txt", []],
		["echo x 1<>a.txt", ["a.txt"]],
		["exec 3<> a.txt", ["a.txt"]],
		["trap 'rm a.txt' EXIT", ["a.txt"]],
		["env -S 'rm a.txt'", ["a.txt"]],
		["watch -n1 'rm a.txt'", ["a.txt"]],
		["sort < a.txt", []],
		["truncate -s 0 a.txt", ["a.txt"]],
		["dd if=b.txt of=a.txt", ["a.txt", "b.txt"]],
		["sed -i s/a/b/ a.txt", ["a.txt"]],
		["sed s/a/b/ a.txt", []],
		["cat a.txt | tee b.txt", ["b.txt"]],
		["ls; cat a.txt # rm b.txt", []],
		["echo $(echo ')'; rm a.txt)", ["a.txt"]],
		['echo "$(echo ")")"; rm a.txt', ["a.txt"]],
		["echo `echo \\`rm a.txt\\``", ["a.txt"]],
		["echo $'it\\'s'; rm a.txt", ["a.txt"]],
		["cat <<EOF >> b.txt\nit's\nEOF\nrm a.txt", ["a.txt"]],
		["cat <<'A' <<-B\nit's\nA\nit's\n\tB\nrm a.txt", ["a.txt"]],
		["sh <<EOF\nrm a.txt\nEOF", ["a.txt"]],
		["cat <<<it\\'s; rm a.txt", ["a.txt"]],
		["rm -r node_modules", []],
	])("%s: %j", async (line, expected) => {
		expect(await keptBy(line, { ...FILES, "node_modules/p/index.js": "p" })).toEqual(expected);
	});

	it.each([
		'rm "$FILE"',
		"ls | parallel 'rm {}'",
		"RM='rm -rf'; $RM a.txt",
		"CLEAN='rm a.txt'; eval \"$CLEAN\"",
		"rm ~else/a.txt",
		"ls | xargs rm",
		'cd "$DIR" && rm -rf x',
		"tar -xf a.tar",
		`${"cd src; ".repeat(20)} rm x`,
		"echo $(echo $(echo $(echo $(echo $(echo $(rm a.txt))))))",
	])("is everything in the folder where it cannot be known: %s", async (line) => {
		expect(await keptBy(line)).toEqual(expect.arrayContaining(Object.keys(FILES)));
	});

	it.each([
		["cd a; ", "rm x"],
		["", `tar czf out.tgz ${"a ".repeat(40)}`],
		["git -C a ", `${"-C a ".repeat(40)} reset --hard`],
	])("is meant from no more folders than there are words, or a bound: %s… %s", (many, line) => {
		const discards = discardedByLine(many.repeat(16) + line, "/root");
		expect(Math.max(...discards.map(({ from }) => from.length))).toBeLessThanOrEqual(2 * SHELL_FOLDERS_MAX);
	});

	it.each(["rm", "cp", "mv -t", "xargs", "sed -i", "tar"])("cannot be said of %s over and over", (word) => {
		expect(() => discardedByLine(`${word} `.repeat(20_000), "/root")).toThrowError(CannotKeep);
	});

	it("is said of a shell over and over, which is given no word twice", () => {
		expect(discardedByLine(`${"sh ".repeat(20_000)} 'rm a.txt'`, "/root")).toHaveLength(1);
	});

	it("takes the words of a program as they are: no pattern, no separator", async () => {
		const root = scratchFolder(FILES);
		expect(await foundBy(discardedByProgram(["rm", "*.txt", "a.txt; rm b.txt"], root), root)).toEqual([]);
		expect(await foundBy(discardedByProgram(["rm", "two words.txt"], root), root)).toEqual(["two words.txt"]);
	});

	it.each<[string, readonly string[]]>([
		["git status", []],
		["git commit -m 'git reset'", []],
		["git reset --hard", ["a.txt", "new.txt"]],
		["git -C src checkout -- .", ["a.txt", "new.txt"]],
		["git clean -fd", ["a.txt", "new.txt"]],
		["git clean -fdx", ["a.txt", "new.txt", "old.log"]],
	])("is of git what no commit holds: %s %j", async (line, expected) => {
		const root = scratchFolder({ "a.txt": "1", "src/b.txt": "1", ".gitignore": "*.log\n", "old.log": "log" });
		const git = (...args: readonly string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
		git("init", "-q");
		git("add", ".");
		git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
		execFileSync("sh", ["-c", "echo 2 > a.txt; echo 2 > new.txt"], { cwd: root });
		expect(await foundBy(discardedByLine(line, root), root)).toEqual(expected);
	});

	it("holds every file that a real shell removes or changes, for lines of many shapes", async () => {
		const wrapped = fc.oneof(
			simple,
			simple.map((line) => `sh -c ${JSON.stringify(line)}`),
			simple.map((line) => `(cd src && ${line})`),
			simple.map((line) => `if true; then ${line}; fi`),
			simple.map((line) => `env X=1 ${line}`),
			simple.map((line) => `cat > /dev/null <<EOF\nit's\nEOF\n${line}`),
			simple.map((line) => `bash <<-'END' 2> /dev/null\n\t${line}\n\tEND\necho "it's"`),
			simple.map((line) => `echo $(echo ")"; ${line})`),
			simple.map((line) => `echo $'it\\'s'; ${line}`),
			simple.map((line) => `echo \`echo \\\`${line}\\\`\``),
			simple.map((line) => `: $(: $(: $(: $(: $(${line})))))`),
			fc.tuple(simple, fc.constantFrom(";", "&&", "||", "|"), simple).map((parts) => parts.join(" ")),
		);
		await fc.assert(
			fc.asyncProperty(wrapped, async (line) => {
				const root = scratchFolder(FILES);
				const kept = new Set(await foundBy(discardedByLine(line, root), root));
				const before = contentsOf(root);
				runInBash(line, root);
				const after = new Set(existsSync(root) ? contentsOf(root).values() : []);
				// What was moved is not lost.
				const lost = [...before].filter(([, text]) => !after.has(text)).map(([file]) => file);
				expect({ line, unkept: lost.filter((file) => !kept.has(file)) }).toEqual({ line, unkept: [] });
			}),
			{ numRuns: 60 },
		);
	});

	it("is all there again after a restore, whatever the line did to it", async () => {
		await fc.assert(
			fc.asyncProperty(simple, async (line) => {
				const { root, net } = netted(FILES, { git: false });
				const before = contentsOf(root);
				const reference = await keptFor(net, run(line));
				runInBash(line, root);
				if (reference !== undefined) await net.restore(reference);
				const after = new Set(contentsOf(root).values());
				expect({ line, lost: [...before.values()].filter((text) => !after.has(text)) }).toEqual({ line, lost: [] });
			}),
			{ numRuns: 30 },
		);
	});
});

describe("a file that a command puts another in the place of", () => {
	it.each([
		"sh <<< 'rm a.txt'",
		"bash -s <<<'rm a.txt'",
		"gzip a.txt",
		"xz -9 a.txt",
		"bzip2 -- a.txt",
		"sort -o a.txt b.txt",
		"sort b.txt -oa.txt",
		"sort --output=a.txt b.txt",
		"curl -sSLo a.txt file:///dev/null",
		"curl --output a.txt file:///dev/null",
		"wget -O a.txt http://host/x",
		"wget -qOa.txt http://host/x",
		"wget --output-document=a.txt http://host/x",
		"dos2unix a.txt",
		"vim -es '+%d' '+wq' a.txt",
		"sponge a.txt",
	])("is kept for %s", async (line) => {
		expect(await keptBy(line)).toContain("a.txt");
	});

	it.each(["sort a.txt", "curl http://host/a.txt", "cat <<< a.txt", "sort -r a.txt > c.txt"])(
		"is not kept for %s, which only reads it",
		async (line) => {
			expect(await keptBy(line)).not.toContain("a.txt");
		},
	);
});
