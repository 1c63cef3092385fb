// Recordings
//
// The recorded replies beside the repository, and what a right reader reports of each. Where they are missing, the tests
// that need them are skipped by name.

import { existsSync, readFileSync } from "node:fs";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";
import { eventsOfFrames } from "./event-frames.js";

const FOLDER = new URL("../../../shared/streams/", import.meta.url);

export const recordingsAreHere = existsSync(new URL("EXPECTED.jsonl", FOLDER));

/** The title of what is skipped without them. Prints why as well: the usual report shows no title of what is skipped. */
export function sayIfSkipped(title: string): string {
	if (recordingsAreHere) return title;
	const why = "skipped: no recordings at ../shared/streams";
	process.stderr.write(`${title}: ${why}\n`);
	return `${title} (${why})`;
}

export interface ReportedCall {
	readonly id: string;
	readonly name: string;
	readonly argsText: string | undefined;
	readonly startedAt: number;
	readonly completeAt: number | undefined;
	readonly closedAt: number | undefined;
}

/** What a reader reports of a whole reply. */
export interface Report {
	readonly calls: readonly ReportedCall[];
	readonly events: number;
	readonly reason: string | undefined;
}

export interface Recording {
	readonly file: string;
	readonly format: StreamFormat;
	readonly bytes: Uint8Array;
	readonly expected: Report;
}

interface ExpectedCall {
	readonly call_id: string | null;
	readonly name: string;
	readonly arguments?: string;
	readonly args_by_path?: Readonly<Record<string, string>>;
	readonly started_at: number;
	readonly complete_at: number | null;
	readonly closed_at: number | null;
}

interface ExpectedLine {
	readonly file: string;
	readonly events: number;
	readonly finish: string;
	readonly calls: readonly ExpectedCall[];
}

const FORMATS: readonly (readonly [RegExp, StreamFormat])[] = [
	[/^anthropic-/, "anthropic"],
	[/^openai-responses-/, "openai-responses"],
	[/^(openai|deepseek|mistral|groq|synthetic)-chat-|^openrouter-|^ollama-openai-/, "openai-chat"],
	[/^gemini-/, "gemini"],
	[/^bedrock-converse-/, "bedrock-converse"],
	[/^cohere-/, "cohere"],
	[/^ollama-native-/, "ollama"],
	[/^aisdk-fullstream-/, "ai-sdk"],
	[/^aisdk-ui-/, "ai-sdk-ui"],
];

/** The formats that deliver arguments as values. */
const BY_VALUE: ReadonlySet<StreamFormat> = new Set(["gemini", "ollama"]);

// The folder expects nothing of the two recordings derived from this one; the calls are the same, at other events.
const DERIVED_FROM = "openai-responses-parallel-2.txt";
const DERIVED = [
	{ file: "aisdk-fullstream-parallel-2.derived.txt", events: 30, at: [[2, 17, 19] as const, [20, 25, 27] as const] },
	{
		file: "aisdk-ui-message-stream-parallel-2.derived.txt",
		events: 28,
		at: [[2, 17, 18] as const, [19, 24, 25] as const],
	},
];

function expectations(): ExpectedLine[] {
	const text = readFileSync(new URL("EXPECTED.jsonl", FOLDER), "utf8");
	const lines = text.trim().split("\n");
	const expected = lines.map((line) => JSON.parse(line) as ExpectedLine);
	const calls = expected.find(({ file }) => file === DERIVED_FROM)?.calls ?? [];
	const derived = DERIVED.map(({ file, events, at }) => ({
		file,
		events,
		finish: "tool-calls",
		calls: calls.map((call, index) => {
			const [started_at, complete_at, closed_at] = at[index] ?? [-1, -1, -1];
			return { ...call, started_at, complete_at, closed_at };
		}),
	}));
	return [...expected, ...derived];
}

function load(): readonly Recording[] {
	if (!recordingsAreHere) return [];
	return expectations().map(({ file, events, finish, calls }) => {
		const format = FORMATS.find(([name]) => name.test(file))?.[1];
		if (format === undefined) throw new Error(`no format is known for ${file}`);
		const stored = readFileSync(new URL(file, FOLDER));
		const bytes = new Uint8Array(file.includes(".b64.") ? Buffer.from(stored.toString(), "base64") : stored);
		const reported = calls.map((call) => asReported(call, BY_VALUE.has(format)));
		return { file, format, bytes, expected: { calls: reported, events, reason: finish } };
	});
}

function asReported(call: ExpectedCall, byValue: boolean): ReportedCall {
	const byPath = Object.entries(call.args_by_path ?? {}).map(([path, value]) => [path.slice("$.".length), value]);
	const written = call.arguments ?? JSON.stringify(Object.fromEntries(byPath));
	// Of arguments that come as a value the text is ours, without the blanks that the file has.
	const argsText = byValue ? JSON.stringify(JSON.parse(written)) : written;
	return {
		id: call.call_id ?? "",
		name: call.name,
		// The arguments of a call that was cut are known to the file and never reported.
		argsText: call.complete_at === null ? undefined : argsText,
		startedAt: call.started_at,
		completeAt: call.complete_at ?? undefined,
		closedAt: call.closed_at ?? undefined,
	};
}

export const recordings = load();

/** The same in the words of the file: the calls after the last restart. */
export function reportOf(items: readonly StreamItem[]): Report {
	let calls: ReportedCall[] = [];
	let end: Extract<StreamItem, { kind: "end" }> | undefined;
	for (const item of items) {
		if (item.kind === "restart") calls = [];
		else if (item.kind === "end") end = item;
		else if (item.kind !== "text") calls[item.index] = merge(calls[item.index], item);
	}
	return { calls, events: (end?.event ?? -1) + 1, reason: end?.reason };
}

type CallItem = Extract<StreamItem, { index: number }>;

function merge(before: ReportedCall | undefined, item: CallItem): ReportedCall {
	const { id, name, event } = item;
	if (item.kind === "call-started") {
		return { id, name, argsText: undefined, startedAt: event, completeAt: undefined, closedAt: undefined };
	}
	if (before === undefined) throw new Error(`call ${item.index} went on before it started`);
	const at = item.kind === "call-complete" ? { completeAt: event } : { closedAt: event };
	return { ...before, id, name, argsText: item.argsText, ...at };
}

export function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
	const pieces: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
	return pieces;
}

/** The events of a recording as their own client library would hand them over. */
export function eventsOf({ format, bytes }: Recording): Record<string, unknown>[] {
	if (format === "bedrock-converse") return eventsOfFrames(bytes);
	return new TextDecoder()
		.decode(bytes)
		.split("\n")
		.map((line) => line.replace(/^data: ?/, ""))
		.filter((line) => line.startsWith("{"))
		.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The data event of each of the values, as server-sent events. */
export function asServerSentEvents(events: readonly unknown[]): string {
	return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

export async function allOf(items: AsyncIterable<StreamItem>): Promise<StreamItem[]> {
	const all: StreamItem[] = [];
	for await (const item of items) all.push(item);
	return all;
}
