// Ledger sabotages
//
// The faults that break what is promised of a ledger's lines and of a checkpoint's, one line each.
//
// Owns:      that part of the list.
// Does not:  apply it (sabotage.ts) or hold the faults of other parts (sabotages.ts).

import type { Sabotage } from "./sabotages.js";

const recover = (name: string, title: string) => ({ file: `test/recover/${name}.test.ts`, title });

export const LEDGER_SABOTAGES: readonly Sabotage[] = [
	{
		law: "Law 8: damage that moves bytes is no torn end",
		file: "engine/ledger/mark-search.ts",
		find: "markedBytes(line.slice(0, end)) !== undefined",
		replace: "markedBytes(line.slice(0, end)) === at",
		test: {
			file: "test/ledger/moved-marks.test.ts",
			title: "S3: is damaged where a part is a line taken out",
		},
	},
	{
		law: "Recovery: a run in a folder of runs is recovered from its own file",
		file: "engine/ledger/rotated-ledger.ts",
		find: "runId === undefined ? this.#records() : this.#recordsOf(runId)",
		replace: "this.#records()",
		test: recover("one-run-alone", "is recovered where another's file is changed"),
	},
	{
		law: "Law 7: a ledger takes no record that it could not read back",
		file: "engine/ledger/record-text.ts",
		find: "if (!Number.isFinite(at)) refuse",
		replace: "if (at === undefined) refuse",
		test: { file: "test/ledger/unreadable-records.test.ts", title: "whose clock has lost the time" },
	},
	{
		law: "Ledger: a header torn by two power cuts is torn",
		file: "engine/ledger/line-scanner.ts",
		find: "const left = bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);",
		replace: "const left = bytes.every((byte) => byte === 0) ? bytes.subarray(0, 0) : bytes;",
		test: { file: "test/ledger/torn-header.test.ts", title: "S3: a header that two power cuts have torn" },
	},
	{
		law: "CH1: the digest of a checkpoint is that of its canonical text",
		file: "engine/core/canonical-pieces.ts",
		find: "of fields.sort().entries()",
		replace: "of fields.entries()",
		test: { file: "test/core/canonical-pieces.test.ts", title: "joined, they are the canonical text" },
	},
	{
		law: "CH1: no two texts enter the digest as the same bytes",
		file: "engine/ledger/checkpoint.ts",
		find: " && value.isWellFormed()",
		replace: "",
		test: { file: "test/pause/checkpoint-digest.test.ts", title: "CH1: tells halves of characters apart" },
	},
	{
		law: "UL1: what is read by its places is what parsing gives",
		file: "engine/ledger/line-format.ts",
		find: " || (digits > 1 && text.charCodeAt(from) === ZERO)",
		replace: "",
		test: { file: "test/ledger/usual-line.test.ts", title: "UL1: whatever stands in its place" },
	},
	{
		law: "UL1: nothing stands twice in what is read by its places",
		file: "engine/ledger/usual-line.ts",
		find: "if (own !== text) return undefined;",
		replace: "",
		test: { file: "test/ledger/usual-line.test.ts", title: "UL1: whatever stands in its place" },
	},
	{
		law: "A piece that is read ahead of its use misses nothing that was written since",
		file: "engine/ledger/record-reader.ts",
		find: "if (lines.length === 0) lines = await this.#next(until);",
		replace: "",
		test: { file: "test/ledger/read-ledger.test.ts", title: "entries that a writer adds while a file is read" },
	},
	{
		law: "S5: what does not fit is read twice before it is judged",
		file: "engine/ledger/line-scanner.ts",
		find: "if (isUnfit && this.#isReadTwice()) this.#stop",
		replace: "if (isUnfit) this.#stop",
		test: { file: "test/ledger/written-ahead.test.ts", title: "S5: that sees a later part of a batch" },
	},
	{
		law: "S3: a change of the space written ahead is found",
		file: "engine/ledger/line-scanner.ts",
		find: "if (cut[0] !== BRACE || cut.includes(0)) return true;",
		replace: "if (cut.includes(0)) return true;",
		test: { file: "test/ledger/written-ahead.test.ts", title: "S3: is found wherever it is (ahead)" },
	},
	{
		law: "W4: a closed ledger has nothing behind its last line",
		file: "engine/ledger/ledger-writer.ts",
		find: "if (offset + last.length < this.#reach) await",
		replace: "if (offset + last.length < 0) await",
		test: { file: "test/ledger/written-ahead.test.ts", title: "W4: is NUL bytes up to a whole block" },
	},
	{
		law: "Rotation: a file with another run's records is damaged",
		file: "engine/ledger/run-folder.ts",
		find: "if (stray !== undefined) {",
		replace: "if (stray !== undefined && records < 0) {",
		test: { file: "test/ledger/rotated-ledger.test.ts", title: "RF1: is damaged where a file holds another run's" },
	},
	{
		law: "Rotation: one failed file fails the ledger",
		file: "engine/ledger/rotated-ledger.ts",
		find: 'if (this.#phase.kind === "open") this.#phase = { kind: "failed", error };',
		replace: "",
		test: { file: "test/ledger/rotated-ledger.test.ts", title: "RO2: fails as a whole" },
	},
	{
		law: "Rotation: files of runs that rest are closed",
		file: "engine/ledger/rotated-ledger.ts",
		find: 'if (this.#phase.kind === "open") this.#closeOldest();',
		replace: "",
		test: { file: "test/ledger/rotated-ledger.test.ts", title: "RO1: has no more files open than the bound" },
	},
	{
		law: "WL1: what a nested agent says begins no wave of the run",
		file: "engine/ledger/run-history.ts",
		find: `if (line instanceof UnreadRecord && !line.dataText.includes('"lineage":')) return false;`,
		replace: "if (line instanceof UnreadRecord) return false;",
		test: recover("wave-lines", "WL1: say as text what they say as lines"),
	},
	{
		law: "WL1: a wave's text holds what its calls made",
		file: "engine/ledger/wave-lines.ts",
		find: 'if (line.kind !== "intent" && !ASKING_KINDS',
		replace: 'if (line.kind !== "intent" && line.kind !== "model_returned" && !ASKING_KINDS',
		test: recover("wave-lines", "WL1: say as text what they say as lines"),
	},
	{
		law: "UL1: a value inside one that left goes back into it",
		file: "engine/ledger/large-values.ts",
		find: "return others.length === 0 ? text : textWith(JSON.parse(text), others, depth);",
		replace: "return text;",
		test: {
			file: "test/ledger/large-values.test.ts",
			title: "UL1: who reads a run unread gets the same records, whatever lies beside",
		},
	},
	{
		law: "Lock: a ledger with other names has no writer",
		file: "engine/ledger/writer-lock.ts",
		find: "if (names <= 1) return;",
		replace: "if (names > 0) return;",
		test: { file: "test/ledger/writer-lock.test.ts", title: "a file with other names has none" },
	},
	{
		law: "B1: a value's name alone is no proof of its bytes",
		file: "engine/ledger/blob-folder.ts",
		find: "return (await this.#read(sha256))?.equals(bytes) ?? false;",
		replace: "return (await this.#read(sha256)) !== undefined && bytes.length > 0;",
		test: {
			file: "test/ledger/large-values.test.ts",
			title: "B1: a value is written again where a file of its name holds",
		},
	},
	{
		law: "a file that was never a ledger is not called a damaged one",
		file: "engine/ledger/ledger-error.ts",
		find: "if (reason.endsWith(NO_LEDGER) || reason.endsWith(OTHER_DATABASE)) {",
		replace: "if (reason === action) {",
		test: { file: "test/ledger/ledger-messages.test.ts", title: "is called none" },
	},
	{
		law: "a database is whole only where its index is",
		file: "engine/ledger/read-ledger.ts",
		find: "		if (reader.problem === undefined) await reader.check?.();",
		replace: "",
		test: { file: "test/ledger/sqlite-ledger.test.ts", title: "a damaged index is found" },
	},
	{
		law: "a ledger whose first line was changed is damaged",
		file: "engine/ledger/line-format.ts",
		find: "OUR_TRACES.test(line) ?",
		replace: "OUR_TRACES.test(FORMAT_VERSION.toString()) ?",
		test: { file: "test/ledger/ledger-messages.test.ts", title: "is not what one is called" },
	},
	{
		law: "L2: the contract looks at what a crash leaves, not at the open ledger",
		file: "engine/testing/ledger-contract.ts",
		find: "opens(await afterCrash(made))",
		replace: "made.ledger",
		test: { file: "test/testing/ledger-faults.test.ts", title: "barriers that do nothing, and writes on close" },
	},
	{
		law: "L2: the contract sees intents that a barrier left behind",
		file: "engine/testing/ledger-durability.ts",
		find: "[everyKind(0), [intentOf(1_000)], everyKind(2_000), [intentOf(3_000)]]",
		replace: "[everyKind(0), everyKind(2_000)]",
		test: { file: "test/testing/ledger-faults.test.ts", title: "makes nothing durable where intents alone are held" },
	},
	{
		law: "L2: the contract compares records whole",
		file: "engine/testing/ledger-kit.ts",
		find: "return { kind, runId, at, data, ",
		replace: "return { kind, runId, data, ",
		test: { file: "test/testing/ledger-faults.test.ts", title: "keeps times in 32 bits" },
	},
	{
		law: "L2: the contract asks for a barrier while another is under way",
		file: "engine/testing/ledger-durability.ts",
		find: "for (const turns of [0, 1, 2, 3, 5, 8]) {",
		replace: "for (const turns of []) {",
		test: { file: "test/testing/ledger-faults.test.ts", title: "that very barrier" },
	},
	{
		law: "L2: the contract holds a sync and sees that the barrier waits",
		file: "engine/testing/ledger-contract.ts",
		find: "strictEqual(isResolved, false);",
		replace: "",
		test: { file: "test/testing/ledger-contract.test.ts", title: "barrier resolves before its sync is done" },
	},
];
