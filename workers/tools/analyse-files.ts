// Analysing files
//
// What a folder's text is like: lines, words, the longest line, how much information a byte carries, the words used
// most, and on request how far the text compresses. The work is arithmetic on every byte, which is what threads are for.
//
// Owns:      the measures, and what of them is answered.
// Does not:  walk the folder or read its files (text-files.ts).

import { brotliCompressSync, constants } from "node:zlib";
import { insideWorkspace } from "../../engine/core/inside-workspace.js";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { type TextFile, textFiles } from "./text-files.js";
import { WorkBudget } from "./work-budget.js";

const TOP_WORDS = 5;

export interface AnalyseFilesArgs {
	readonly root: string;
	readonly path: string;
	readonly ending?: string | undefined;
	/** Compress each file as hard as can be, to say how much of it repeats itself. */
	readonly compress: boolean;
}

export async function analyseFiles({ root, path, ending, compress }: AnalyseFilesArgs, context: ToolContext) {
	const place = await insideWorkspace(root, path);
	const budget = new WorkBudget(context);
	const byteCounts = new Uint32Array(256);
	const wordCounts = new Map<string, number>();
	let lines = 0;
	let bytes = 0;
	let files = 0;
	let compressedBytes = 0;
	let longestLine = { path: "", line: 0, chars: 0 };
	for (const file of textFiles(place, budget, ending)) {
		files += 1;
		bytes += file.bytes.length;
		for (const byte of file.bytes) byteCounts[byte] = (byteCounts[byte] ?? 0) + 1;
		countWords(file.text, wordCounts);
		const longest = longestLineOf(file);
		lines += longest.lines;
		if (longest.chars > longestLine.chars) longestLine = { path: file.shown, line: longest.line, chars: longest.chars };
		if (compress) compressedBytes += compressedSize(file.bytes);
	}
	const words = [...wordCounts.values()].reduce((sum, count) => sum + count, 0);
	return {
		path: place.shown,
		files,
		bytes,
		lines,
		words,
		distinctWords: wordCounts.size,
		topWords: topWords(wordCounts),
		longestLine,
		bitsPerByte: rounded(entropyBits(byteCounts, bytes)),
		...(compress && { compressedBytes, compressedTo: rounded(bytes === 0 ? 1 : compressedBytes / bytes) }),
		...budget.remark(),
	};
}

function countWords(text: string, counts: Map<string, number>): void {
	for (const [word] of text.matchAll(/[\p{L}\p{N}_]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
}

function longestLineOf({ text }: TextFile) {
	const all = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text === "" ? [] : text.split("\n");
	let line = 0;
	let chars = 0;
	for (const [index, one] of all.entries()) {
		if (one.length <= chars) continue;
		line = index + 1;
		chars = one.length;
	}
	return { lines: all.length, line, chars };
}

/** Shannon's entropy: 0 for one byte repeated, 8 for noise. */
function entropyBits(counts: Uint32Array, total: number): number {
	let bits = 0;
	for (const count of counts) {
		if (count > 0) bits -= (count / total) * Math.log2(count / total);
	}
	return bits;
}

function compressedSize(bytes: Uint8Array): number {
	const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
	return brotliCompressSync(bytes, { params }).length;
}

// Equal counts are ordered by the word, so that the answer does not depend on the order of insertion.
function topWords(counts: ReadonlyMap<string, number>): { word: string; count: number }[] {
	const long = [...counts].filter(([word]) => word.length > 3).map(([word, count]) => ({ word, count }));
	long.sort((left, right) => right.count - left.count || (left.word < right.word ? -1 : 1));
	return long.slice(0, TOP_WORDS);
}

function rounded(value: number): number {
	return Math.round(value * 1000) / 1000;
}
