// Build workers
//
// Node 20 cannot load a worker from TypeScript, so the tests that start threads, the command or the examples build the
// package first, and the modules of tools that tests run on threads. Nothing is built while the sources are older than
// what was built last. Several test runs may do this at once: each builds aside and renames file by file.
//
// Owns:      that build, and where a built test tool is.
// Does not:  make declarations or check types.

import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsup";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = join(ROOT, "node_modules", ".cache", "wavetrain");
const THREAD_TOOLS = join("test", "support", "thread-tools");

/** The URL of a built module of `thread-tools/`, by its name without an extension. */
export function threadTools(name: string): string {
	return pathToFileURL(join(CACHE, "thread-tools", `${name}.mjs`)).href;
}

export async function setup(): Promise<void> {
	const packageText = await readFile(join(ROOT, "package.json"), "utf8");
	const { tsup } = JSON.parse(packageText) as { tsup: { entry: Record<string, string> } };
	await buildIfStale({ sources: ["engine", "workers", "package.json"], into: join(ROOT, "dist"), entry: tsup.entry });
	const names = (await readdir(join(ROOT, THREAD_TOOLS))).filter((name) => name.endsWith(".ts"));
	const entry = Object.fromEntries(names.map((name) => [basename(name, ".ts"), join(THREAD_TOOLS, name)]));
	await buildIfStale({
		sources: ["engine/core", THREAD_TOOLS],
		into: join(CACHE, "thread-tools"),
		entry,
		suffix: ".mjs",
	});
}

interface Build {
	/** What the built files are made of, from the root. */
	readonly sources: readonly string[];
	readonly into: string;
	readonly entry: Readonly<Record<string, string>>;
	/** Of the built files; left out: `.js`. */
	readonly suffix?: string;
}

async function buildIfStale({ sources, into, entry, suffix = ".js" }: Build): Promise<void> {
	const built = Object.keys(entry).map((name) => join(into, `${name}${suffix}`));
	const newest = Math.max(...(await Promise.all(sources.map((source) => newestUnder(join(ROOT, source))))));
	const oldest = Math.min(...(await Promise.all(built.map(changedAt))));
	if (oldest > newest) return;
	await mkdir(CACHE, { recursive: true });
	const aside = await mkdtemp(join(CACHE, "build-"));
	try {
		await build({
			config: join(ROOT, "package.json"),
			entry: { ...entry },
			outDir: aside,
			outExtension: () => ({ js: suffix }),
			// A loader brings its own binary, which cannot be bundled.
			external: [/^tsx/],
			dts: false,
			clean: false,
			silent: true,
		});
		for (const file of await filesUnder(aside)) await moveInto(file, join(into, relative(aside, file)), newest);
	} finally {
		await rm(aside, { recursive: true, force: true });
	}
}

// The built file gets the time of the newest source it was made of: a source that changed during the build is newer.
async function moveInto(file: string, target: string, newest: number): Promise<void> {
	await mkdir(dirname(target), { recursive: true });
	const seconds = (newest + 1) / 1000;
	await utimes(file, seconds, seconds);
	await rename(file, target);
}

async function newestUnder(path: string): Promise<number> {
	const times = await Promise.all((await filesUnder(path)).map(changedAt));
	return Math.max(0, ...times);
}

async function filesUnder(path: string): Promise<string[]> {
	if ((await stat(path)).isFile()) return [path];
	const entries = await readdir(path, { withFileTypes: true, recursive: true });
	return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function changedAt(path: string): Promise<number> {
	return stat(path).then(
		({ mtimeMs }) => mtimeMs,
		() => 0,
	);
}
