// Peers
//
// wavetrain beside frameworks that run a reply's tool calls too: each takes the same replies with the same tools, as its
// own documentation uses it, and is asked what hosts are bitten by. `npm start` after `npm run build` in the package.
//
// Owns:      the questions, the rounds and the table.
// Does not:  know a framework (one file each) or a tool (tools.mjs).

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { peer as aiSdk } from "./ai-sdk.mjs";
import { peer as langgraph } from "./langgraph.mjs";
import { peer as openaiAgents } from "./openai-agents.mjs";
import { BURN, EDIT, NO_OP } from "./tools.mjs";
import { peer as wavetrain } from "./wavetrain.mjs";

const require = createRequire(import.meta.url);
const { dependencies } = require("./package.json");
const { version } = require("../../package.json");

const PEERS = [wavetrain, aiSdk, langgraph, openaiAgents];

const EDIT_ROUNDS = 20;
const BURN_CALLS = 32;
const HEARTBEAT_MS = 5;
const NO_OP_CALLS = 200;
const WARM_UP = 20;
const ROUNDS = 21;

/** How many of the two edits that each of twenty replies asks for, of one file, are in the file afterwards. */
async function editsKept(peer, folder) {
	const { step, close } = peer.prepare([EDIT]);
	let kept = 0;
	for (let round = 0; round < EDIT_ROUNDS; round += 1) {
		const path = join(folder, "note.md");
		await writeFile(path, "one\ntwo\n");
		await answered(step, [
			{ id: "a", name: "edit", args: { path, from: "one", to: "1" } },
			{ id: "b", name: "edit", args: { path, from: "two", to: "2" } },
		]);
		const text = await readFile(path, "utf8");
		kept += Number(text.includes("1")) + Number(text.includes("2"));
	}
	await close();
	return kept;
}

/** How long a reply with 640 ms of arithmetic takes, and the longest that the host's own timer is held up meanwhile. */
async function burnt(peer) {
	const { step, close } = peer.prepare([BURN]);
	const calls = Array.from({ length: BURN_CALLS }, (_, index) => ({ id: `call_${index}`, name: "burn", args: {} }));
	await answered(step, calls);
	let lastMs = performance.now();
	let gapMs = 0;
	const beat = () => {
		gapMs = Math.max(gapMs, performance.now() - lastMs);
		lastMs = performance.now();
	};
	const heartbeat = setInterval(beat, HEARTBEAT_MS);
	const startMs = performance.now();
	await answered(step, calls);
	const tookMs = performance.now() - startMs;
	beat();
	clearInterval(heartbeat);
	await close();
	return { tookMs, gapMs };
}

/** What a call that does nothing costs, in microseconds: the median of replies with two hundred. */
async function callCosts() {
	const calls = Array.from({ length: NO_OP_CALLS }, (_, key) => ({ id: `call_${key}`, name: "no_op", args: { key } }));
	const prepared = PEERS.map((peer) => peer.prepare([NO_OP]));
	const samples = PEERS.map(() => []);
	// In turns, so that drift of the machine meets all alike.
	for (let round = -WARM_UP; round < ROUNDS; round += 1) {
		for (const [place, { step }] of prepared.entries()) {
			const startMs = performance.now();
			await answered(step, calls);
			if (round >= 0) samples[place].push(((performance.now() - startMs) * 1_000) / NO_OP_CALLS);
		}
	}
	await Promise.all(prepared.map(({ close }) => close()));
	return samples.map((values) => values.sort((left, right) => left - right)[Math.floor(ROUNDS / 2)]);
}

/** Fails where a framework answered fewer calls than it was asked: nothing that it did then means anything. */
async function answered(step, calls) {
	const count = await step(calls);
	if (count !== calls.length) throw new Error(`${count} of ${calls.length} calls were answered`);
}

/** Its name and version; this package's own is the one that was built, not the folder that it is installed from. */
function nameOf(peer) {
	return `${peer.name} ${peer === wavetrain ? version : dependencies[peer.package]}`;
}

const folder = await mkdtemp(join(tmpdir(), "peers-"));
try {
	const costsUs = await callCosts();
	const rows = [];
	for (const [place, peer] of PEERS.entries()) {
		const kept = await editsKept(peer, folder);
		const { tookMs, gapMs } = await burnt(peer);
		rows.push({
			"": nameOf(peer),
			"edits kept": `${kept} of ${EDIT_ROUNDS * 2}`,
			"640 ms of CPU": `${tookMs.toFixed(0)} ms`,
			"host held up": `${gapMs.toFixed(0)} ms`,
			"a call costs": `${costsUs[place].toFixed(1)} µs`,
		});
	}
	process.stdout.write(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}\n`);
	const columns = Object.keys(rows[0]);
	const lines = [columns, ...rows.map((row) => Object.values(row))];
	const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
	const rule = widths.map((width) => "-".repeat(width));
	const shown = [lines[0], rule, ...lines.slice(1)];
	const show = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |\n`;
	process.stdout.write(shown.map(show).join(""));
} finally {
	await rm(folder, { recursive: true });
}
