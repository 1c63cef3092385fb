// The lines of a wave, kept as they stand in the ledger: what a recovery makes of lines that nobody parsed is what it makes
// of their records.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budget, fileLedger, type Ledger, recover } from "../../engine/index.js";
import { encodeLine, FIRST_HASH, HEADER } from "../../engine/ledger/line-format.js";
import { readRun } from "../../engine/ledger/read-ledger.js";
import { RunHistory } from "../../engine/ledger/run-history.js";
import type { WaveHistory } from "../../engine/ledger/wave-history.js";
import { historyIn, type WaveLines } from "../../engine/ledger/wave-lines.js";
import { temporaryFolders } from "../ledger/temporary-folder.js";
import { recordsOf, recoveredWave } from "../support/crash-kit.js";
import { benchOf, toolOf } from "../support/law-kit.js";
import { SOAK } from "../support/property-seed.js";
import { historyCases, mixedLedger } from "./random-histories.js";

const folder = temporaryFolders();

const LEDGERS = 60 * SOAK;

async function inFile(ledger: Ledger): Promise<string> {
	const path = join(folder(), "l");
	const file = fileLedger(path);
	file.append(await recordsOf(ledger));
	await file.close();
	return path;
}

/** What is told of an ended wave. */
const endOf = ({ step, calls, answered }: WaveHistory) => ({ step, calls, answered });

describe("the lines of a wave", () => {
	it(
		"WL1: say as text what they say as lines, and unread what they say when they are read",
		async () => {
			let earlierCount = 0;
			const same = fc.asyncProperty(historyCases, fc.array(fc.nat(3), { maxLength: 40 }), async (cases, order) => {
				const { ledger, runs } = await mixedLedger(cases, order);
				const path = await inFile(ledger);
				const bothOf = (wave: WaveLines) => ({ text: wave.text(), read: endOf(wave.read()) });
				for (const runId of runs.keys()) {
					const found = await recover(ledger, runId).catch(({ code }) => code);
					expect(await recover(path, runId).catch(({ code }) => code)).toEqual(found);
					const history = new RunHistory(runId, bothOf);
					for await (const batch of readRun(path, runId)) for (const line of batch) history.add(line);
					for (const { text, read } of history.earlier) expect(endOf(historyIn(JSON.parse(text)))).toEqual(read);
					earlierCount += history.earlier.length;
				}
			});
			await fc.assert(same, { numRuns: LEDGERS });
			expect(earlierCount).toBeGreaterThan(LEDGERS / 2);
		},
		120_000 * SOAK,
	);

	const NO_JSON = '"data":{"step":0,"calls":[}';

	function written(lines: readonly string[]): string {
		const path = join(folder(), "l");
		let hash = FIRST_HASH;
		const texts = lines.map((line) => {
			const encoded = encodeLine(line, hash);
			hash = encoded.hash;
			return Buffer.from(encoded.text);
		});
		writeFileSync(path, Buffer.concat([HEADER, ...texts]));
		return path;
	}

	it("are LEDGER_DAMAGED where the data of one that is needed is no JSON, though its hash fits", async () => {
		const path = written([`{"seq":0,"kind":"model_returned","runId":"r","at":1,${NO_JSON}`]);
		await expect(recover(path, "r")).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
	});

	it("are refused at the resume where one of an earlier wave is no JSON, before anything runs", async () => {
		const path = written([
			'{"seq":0,"kind":"model_returned","runId":"r","at":1,"data":{"step":0,"calls":[]}',
			`{"seq":1,"kind":"tool_called","runId":"r","at":1,${NO_JSON}`,
			'{"seq":2,"kind":"model_returned","runId":"r","at":1,"data":{"step":1,"calls":[{"id":"","name":"look","args":{}}]}',
		]);
		const ran: unknown[] = [];
		const look = toolOf("look", (args) => ran.push(args));
		const { engine } = benchOf({ tools: [look], policies: [budget({ run: { calls: 5 } })] });
		const checkpoint = await recoveredWave(path, "r");
		await expect(engine.resume(checkpoint)).rejects.toMatchObject({ code: "INVALID_CHECKPOINT" });
		expect(ran).toEqual([]);
	});
});
