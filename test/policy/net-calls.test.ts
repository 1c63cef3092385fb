// The notes beside the copies of a checkpoint net: which copy is for which call.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findNotes, writeNote } from "../../engine/policy/net-calls.js";
import { scratchFolder } from "../support/scratch-folder.js";
import { judged, netted, write } from "./net-kit.js";
import { refusal } from "./policy-kit.js";

describe("a note", () => {
	it("NK1: the note of a call is found at its place, with those below it and no others'", async () => {
		const base = scratchFolder();
		const at = (...path: number[]) => ({ runId: "r/../r", step: 1, path });
		const places = [
			at(1),
			at(1, 0),
			at(1, 12, 3),
			at(10),
			at(0, 1),
			{ ...at(1), step: 2 },
			{ ...at(1, 4), runId: "r" },
		];
		for (const [n, place] of places.entries()) await writeNote(base, place, { at: 5, kept: [`copy ${n}`] });
		const { own, below } = await findNotes([scratchFolder(), base], at(1));
		expect(own).toEqual(["copy 0"]);
		expect(Object.fromEntries(below)).toEqual({ "1.0": ["copy 1"], "1.12.3": ["copy 2"] });
		await expect(writeNote(base, at(1), { at: 6, kept: [] })).rejects.toThrow("names nothing");
	});

	it("of two in two places the later stands, and of one stamp the one that names more", async () => {
		const [one, other] = [scratchFolder(), scratchFolder()];
		const place = { runId: "r", step: 0, path: [0] };
		await writeNote(one, place, { at: 5, kept: ["old", "older"] });
		await writeNote(other, place, { at: 6, kept: ["new"] });
		expect((await findNotes([one, other], place)).own).toEqual(["new"]);
		await writeNote(one, place, { at: 6, kept: ["new", "form"] });
		expect((await findNotes([one, other], place)).own).toEqual(["new", "form"]);
	});

	it("that cannot be written leaves its call refused", async () => {
		const { folder, net } = netted({ "a.txt": "a" }, { git: false });
		mkdirSync(folder);
		writeFileSync(join(folder, "calls"), "no folder");
		const said = refusal(await judged(net, write({ path: "a.txt" })));
		expect(said.violation).toContain("write_file could discard cannot be kept");
	});
});
