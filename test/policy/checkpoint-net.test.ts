// The net under calls that discard files: real folders, real git, real losses.

import {
	chmodSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { checkpointNet } from "../../engine/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { scratchFolder } from "../support/scratch-folder.js";
import { gitIn, judged, keptFor, netted, run, write } from "./net-kit.js";
import { refusal } from "./policy-kit.js";

afterEach(() => {
	vi.unstubAllEnvs();
});

/** Everything in the folder that a person could tell a difference by. */
function pictureOf(root: string): readonly string[] {
	return readdirSync(root, { recursive: true, encoding: "utf8" })
		.filter((path) => !path.startsWith(".git"))
		.sort()
		.map((path) => {
			const here = lstatSync(join(root, path));
			if (here.isSymbolicLink()) return `${path} -> ${readlinkSync(join(root, path))}`;
			const mode = (here.mode & 0o777).toString(8);
			return here.isDirectory() ? `${path}/ ${mode}` : `${path} ${mode} ${readFileSync(join(root, path), "hex")}`;
		});
}

describe("what a call could discard", () => {
	it.each([
		["in the repository", true],
		["in the folder of copies where there is none", false],
	])("is kept %s and put back as it was: bytes, modes, links, empty folders, odd names", async (_where, git) => {
		const { root, folder, net } = netted({ "src/a.txt": "alpha", "kept.txt": "kept" }, { git });
		writeFileSync(join(root, "src/bytes"), Buffer.from([0, 255, 10, 13, 10, 128]));
		writeFileSync(join(root, 'src/odd "name" \\ é\n.txt'), "odd");
		writeFileSync(join(root, "src/empty"), "");
		chmodSync(join(root, "src/a.txt"), 0o750);
		symlinkSync("a.txt", join(root, "src/link"));
		symlinkSync("nowhere", join(root, "src/broken"));
		mkdirSync(join(root, "src/void"), { mode: 0o700 });
		const before = pictureOf(root);
		const reference = await keptFor(net, run("rm -rf src"));
		expect(existsSync(folder)).toBe(!git);
		rmSync(join(root, "src"), { recursive: true });
		const { restored } = await net.restore(reference ?? "");
		expect(restored).toHaveLength(8);
		expect(pictureOf(root)).toEqual(before);
	});

	it("is kept without a touch on index, HEAD, branches, working tree or hooks", async () => {
		const { root, net } = netted({ "a.txt": "1", "b.txt": "1" });
		writeFileSync(join(root, "a.txt"), "2");
		gitIn(root, "add", "a.txt");
		writeFileSync(join(root, "a.txt"), "3");
		writeFileSync(join(root, ".git/hooks/reference-transaction"), "#!/bin/sh\ntouch ran\nexit 1\n", { mode: 0o755 });
		const state = () => [
			readFileSync(join(root, ".git/index"), "hex"),
			readFileSync(join(root, ".git/HEAD"), "utf8"),
			gitIn(root, "for-each-ref", "refs/heads", "refs/tags"),
			gitIn(root, "--no-optional-locks", "status", "--porcelain"),
			pictureOf(root),
		];
		const before = state();
		const reference = await keptFor(net, run("git checkout -- ."));
		expect(state()).toEqual(before);
		expect(gitIn(root, "show", `refs/wavetrain/net/${reference}:inside/a.txt`)).toBe("3");
	});

	it("outlives a clean-up by git, and is the same commit whenever it is kept", async () => {
		const { root, net } = netted({ "a.txt": "1" });
		const reference = await keptFor(net, run("rm a.txt"));
		const commit = gitIn(root, "rev-parse", `refs/wavetrain/net/${reference}`);
		gitIn(root, "reflog", "expire", "--expire=now", "--all");
		gitIn(root, "gc", "-q", "--prune=now");
		expect(await keptFor(net, run("rm a.txt"))).toBe(reference);
		const other = netted({ "a.txt": "1" });
		expect(await keptFor(other.net, run("rm a.txt"))).toBe(reference);
		expect(gitIn(other.root, "rev-parse", `refs/wavetrain/net/${reference}`)).toBe(commit);
	});

	it("NM1: has the same reference in a repository, in a folder, and on a machine without git", async () => {
		const files = { "a.txt": "1", "src/b.txt": "2" };
		const inRepository = await keptFor(netted(files).net, run("rm -r a.txt src"));
		const inFolder = await keptFor(netted(files, { git: false }).net, run("rm -r a.txt src"));
		const { folder, net } = netted(files);
		vi.stubEnv("PATH", scratchFolder());
		const withoutGit = await keptFor(net, run("rm -r a.txt src"));
		expect(readdirSync(join(folder, "manifests"))).toEqual([`${withoutGit}.json`]);
		expect([inRepository, inFolder]).toEqual([withoutGit, withoutGit]);
	});

	it("is kept from outside of the workspace too, under its whole path", async () => {
		const elsewhere = scratchFolder({ "notes.txt": "far" });
		const { root, net } = netted({ "a.txt": "1" });
		const reference = await keptFor(net, run(`rm ${elsewhere}/notes.txt`));
		expect(gitIn(root, "show", `refs/wavetrain/net/${reference}:outside${elsewhere}/notes.txt`)).toBe("far");
		rmSync(join(elsewhere, "notes.txt"));
		await net.restore(reference ?? "");
		expect(readFileSync(join(elsewhere, "notes.txt"), "utf8")).toBe("far");
	});

	it("NS1: is the link for who removes one and also the file for who writes through it", async () => {
		const { root, net } = netted({ "real.txt": "1", "other.txt": "2" });
		symlinkSync("real.txt", join(root, "link"));
		const reference = await keptFor(net, write({ path: "link", text: "new" }));
		writeFileSync(join(root, "link"), "new");
		const { restored } = await net.restore(reference ?? "");
		expect(restored).toEqual(["link", "real.txt"]);
		expect(readlinkSync(join(root, "link"))).toBe("real.txt");
		expect(readFileSync(join(root, "real.txt"), "utf8")).toBe("1");
	});

	it("is a link that leads back to itself, and nothing behind one", async () => {
		const { root, net } = netted({ "a.txt": "1" });
		symlinkSync("round", join(root, "round"));
		const reference = await keptFor(net, run("rm round round/b.txt"));
		rmSync(join(root, "round"));
		expect((await net.restore(reference ?? "")).restored).toEqual(["round"]);
	});

	it("is git's own files as well: those are kept in the folder of copies", async () => {
		const { root, folder, net } = netted({ "a.txt": "1" });
		const head = gitIn(root, "rev-parse", "HEAD");
		const reference = await keptFor(net, run("rm -rf .git"));
		expect(readdirSync(join(folder, "manifests"))).toEqual([`${reference}.json`]);
		rmSync(join(root, ".git"), { recursive: true });
		await net.restore(reference ?? "");
		expect(gitIn(root, "rev-parse", "HEAD")).toBe(head);
	});

	it("is nothing for a new file, a read, an append and a folder that a package manager makes", async () => {
		const { root, net } = netted({ "a.txt": "1", "node_modules/p/index.js": "p" });
		expect(await keptFor(net, write({ path: "new.txt", text: "a" }))).toBeUndefined();
		expect(await keptFor(net, { name: "read_file", args: { path: "a.txt" }, effect: "read" })).toBeUndefined();
		expect(await keptFor(net, run("echo >> a.txt; rm -rf node_modules"))).toBeUndefined();
		expect(gitIn(root, "for-each-ref", "refs/wavetrain")).toBe("");
	});
});

describe("the caller's own word", () => {
	const files = { "a.txt": "1", "b.txt": "2", ".gitignore": "*.env\n", "my.env": "3" };
	it.each<[string, readonly string[] | boolean | undefined, readonly string[] | undefined]>([
		["paths are kept beside what the net finds", ["b.txt"], ["a.txt", "b.txt"]],
		["a lock key of a file is its path", ["file:ROOT/b.txt"], ["a.txt", "b.txt"]],
		["`false` is nothing", false, undefined],
		["nothing said is what the net finds", undefined, ["a.txt"]],
	])("%s", async (_what, said, expected) => {
		const suspect = () =>
			(Array.isArray(said) ? said.map((path: string) => path.replace("ROOT", root)) : said) as boolean;
		const { root, net } = netted(files, { suspect });
		const reference = await keptFor(net, write({ path: "a.txt" }));
		const tree = reference && gitIn(root, "ls-tree", "-r", "--name-only", `refs/wavetrain/net/${reference}`);
		expect(tree?.match(/(?<=inside\/).+/g) ?? undefined).toEqual(expected);
	});

	it("is asked about reads too, and its fault is the call's and not the model's", async () => {
		const { net } = netted({ "a.txt": "1" }, { suspect: async () => ["a.txt"] });
		expect(await keptFor(net, { name: "look", args: {}, effect: "read" })).toMatch(/^[0-9a-f]{64}$/);
		const broken = netted({}, { suspect: () => Promise.reject(new Error("no idea")) });
		await expect(judged(broken.net, write({}))).rejects.toThrow("no idea");
	});
});

describe("a call whose loss cannot be kept is refused", () => {
	it("NM2: for more bytes than allowed, and not for one byte less", async () => {
		const { net } = netted({ "a.txt": "12345", "b.txt": "123456" }, { bytesMax: 5 });
		expect(await judged(net, run("rm a.txt"))).toBe("clear");
		expect(refusal(await judged(net, run("rm b.txt")))).toMatchObject({
			rule: "checkpoint-net",
			violation: "What run_command could discard cannot be kept: it is more than 5 bytes.",
		});
		expect(refusal(await judged(net, run("rm a.txt b.txt"))).violation).toContain("more than 5 bytes");
	});

	it("CN1: for a loss that the places where it would be kept are a part of", async () => {
		const root = scratchFolder({ "a.txt": "1", "copies/b.txt": "2" });
		const net = checkpointNet({ root, folder: join(root, "copies") });
		expect(refusal(await judged(net, run("rm -rf copies"))).violation).toContain("are a part of it");
		expect(await judged(net, run("rm a.txt"))).toBe("clear");
	});

	it("for copies that cannot be written", async () => {
		const { root } = netted({ "a.txt": "1" }, { git: false });
		const net = checkpointNet({ root, folder: join(root, "a.txt") });
		const said = refusal(await judged(net, write({ path: join(scratchFolder({ "b.txt": "1" }), "b.txt") })));
		expect(said.violation).toContain("ENOTDIR");
	});

	it("for one that takes longer than its limit", async () => {
		// Whatever is kept takes longer than a limit that is over at once.
		const over = (expire: () => void) => {
			expire();
			return () => undefined;
		};
		const clock = Object.assign(new ManualClock(), { setTimer: over });
		const { net } = netted({ "a.txt": "1" }, { clock, limitMs: 1_000 });
		const said = refusal(await judged(net, run("rm a.txt")));
		expect(said.violation).toContain("keeping it did not settle within 1000 ms");
	});

	it("and its entry names nothing, not even what an earlier call of its place had kept", async () => {
		const { root, net } = netted({ "a.txt": "1" }, { bytesMax: 1 });
		const asked = write({ path: "a.txt" });
		expect(await judged(net, asked)).toBe("clear");
		writeFileSync(join(root, "a.txt"), "too long");
		refusal(await judged(net, asked));
		const data = { index: 0, id: "", name: asked.name, args: asked.args as never };
		expect(net.record?.({ kind: "tool_called", runId: "run", data })).toBe(data);
	});
});

describe("a restore", () => {
	it("keeps what it writes over, so that it can be taken back", async () => {
		const { root, net } = netted({ "a.txt": "old" });
		const reference = await keptFor(net, write({ path: "a.txt" }));
		writeFileSync(join(root, "a.txt"), "new");
		const { before } = await net.restore(reference ?? "");
		expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("old");
		await net.restore(before ?? "");
		expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new");
	});

	it("changes nothing where there is no room for one of its places", async () => {
		const { root, net } = netted({ "a.txt": "1", "src/b.txt": "1" });
		const reference = await keptFor(net, run("rm -r a.txt src/b.txt"));
		rmSync(join(root, "a.txt"));
		rmSync(join(root, "src/b.txt"));
		mkdirSync(join(root, "src/b.txt"));
		await expect(net.restore(reference ?? "")).rejects.toMatchObject({ code: "RESTORE_FAILED" });
		expect(existsSync(join(root, "a.txt"))).toBe(false);
	});

	it("changes nothing where it could not keep what it writes over", async () => {
		const { root, net } = netted({ "a.txt": "1" }, { bytesMax: 2 });
		const reference = await keptFor(net, write({ path: "a.txt" }));
		writeFileSync(join(root, "a.txt"), "long");
		const refused = { code: "RESTORE_FAILED", message: expect.stringContaining("it is more than 2 bytes") };
		await expect(net.restore(reference ?? "")).rejects.toMatchObject(refused);
		expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("long");
	});

	it("does not follow a folder that was swapped for a link", async () => {
		const elsewhere = scratchFolder({ "b.txt": "theirs" });
		const { root, net } = netted({ "src/b.txt": "1" });
		const reference = await keptFor(net, write({ path: "src/b.txt" }));
		rmSync(join(root, "src"), { recursive: true });
		symlinkSync(elsewhere, join(root, "src"));
		await expect(net.restore(reference ?? "")).rejects.toThrow("its folder leads elsewhere by now");
		expect(readFileSync(join(elsewhere, "b.txt"), "utf8")).toBe("theirs");
	});

	it("replaces the name and not the other names of a file that has several", async () => {
		const { root, net } = netted({ "a.txt": "1" });
		const reference = await keptFor(net, write({ path: "a.txt" }));
		linkSync(join(root, "a.txt"), join(root, "twin.txt"));
		writeFileSync(join(root, "a.txt"), "2");
		await net.restore(reference ?? "");
		expect([readFileSync(join(root, "a.txt"), "utf8"), readFileSync(join(root, "twin.txt"), "utf8")]).toEqual([
			"1",
			"2",
		]);
		expect(statSync(join(root, "a.txt")).nlink).toBe(1);
	});

	it.each(["", "0".repeat(64), "../../a.txt"])("refuses %j, which names nothing", async (reference) => {
		await expect(netted({}).net.restore(reference)).rejects.toMatchObject({ code: "RESTORE_FAILED" });
	});
});

describe("the options", () => {
	it.each([
		[{ root: "", folder: "f" }, 'root is ""'],
		[{ root: "r", folder: 3 as never }, "folder is 3"],
		[{ root: "r", folder: "f", bytesMax: 0 }, "bytesMax is 0"],
		[{ root: "r", folder: "f", limitMs: Number.NaN }, "limitMs is NaN"],
	])("of %j are refused", (options, problem) => {
		expect(() => checkpointNet(options)).toThrow(problem);
	});
});
