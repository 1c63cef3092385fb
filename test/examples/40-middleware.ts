// Middleware
//
// Around each call, outermost first: one measures, one tries a call that failed once more, one knows where files are. What
// it makes of a call is judged anew, so the door for the folder of others stays closed.

import process from "node:process";
import { createEngine, doors, type Middleware, memoryLedger, tool } from "wavetrain";
import { z } from "zod";

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const measured: Middleware = {
	name: "measured",
	observesOnly: true,
	async wrapToolCall({ name, args }, next) {
		const outcome = await next();
		print(`${name} ${String(args.path)}: ${outcome.ok ? "a value" : outcome.error.code}`);
		return outcome;
	},
};

const onceMore: Middleware = {
	name: "once-more",
	async wrapToolCall(_call, next) {
		const outcome = await next();
		return outcome.ok || outcome.error.code !== "TOOL_FAILED" ? outcome : next();
	},
};

const places: Readonly<Record<string, string>> = { "notes.md": "ada/notes.md", "ours.md": "../eve/ours.md" };
const placed: Middleware = {
	name: "placed",
	wrapToolCall: ({ name, args }, next) => next({ name, args: { path: places[String(args.path)] ?? null } }),
};

let saves = 0;
const save = tool({
	name: "save",
	parameters: z.object({ path: z.string() }),
	effect: ({ path }) => ({ write: path.includes("..") ? "others" : "home" }),
	execute: ({ path }) => {
		saves += 1;
		if (saves === 1) throw new Error("the disk was busy");
		return `saved ${path}`;
	},
});

const ledger = memoryLedger();
const engine = createEngine({
	tools: [save],
	ledger,
	policies: [doors({ write: { home: "allow" } })],
	middleware: [measured, onceMore, placed],
});
const { results } = await engine.executeWave([
	{ id: "1", name: "save", args: { path: "notes.md" } },
	{ id: "2", name: "save", args: { path: "ours.md" } },
]);
for (const { outcome } of results) print(outcome.ok ? String(outcome.value) : outcome.error.message);
for await (const { kind, data } of ledger.entries())
	if (kind === "tool_result") print(JSON.stringify(data.ranAs ?? "-"));
await engine.close();

// Prints:
//   save notes.md: a value
//   save ours.md: DENIED
//   saved ada/notes.md
//   The door for write(others) is closed.
//   {"args":{"path":"ada/notes.md"},"effect":{"write":"home"}}
//   "-"
