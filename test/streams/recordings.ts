// Recordings
//
// The recorded replies beside the repository, and what a right reader reports of each. Where they are missing, the tests
// that need them are skipped by name.

import { existsSync, readFileSync } from "node:fs";
import type { StreamFormat } from "../../engine/streams/detect-format.js";
import type { StreamItem } from "../../engine/streams/stream-item.js";

const FOLDER = new URL("../../../shared/streams/", import.meta.url);

export const recordingsAreHere = existsSync(new URL("EXPECTED.jsonl", FOLDER));

/** Put into the title of what is skipped, so that the report says why. */
export const where = recordingsAreHere ? "" : " (skipped: no recordings at ../shared/streams)";

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

function formatByName(file: string): StreamFormat | undefined {
	if (file.startsWith("anthropic-")) return "anthropic";
	if (file.startsWith("openai-responses-")) return "openai-responses";
	return /^(openai-chat|deepseek-chat|mistral-chat|groq-chat|openrouter|ollama-openai|synthetic-chat)-/.test(file)
		? "openai-chat"
		: undefined;
}

function load(): { readonly known: readonly Recording[]; readonly others: ReadonlyMap<string, Uint8Array> } {
	const known: Recording[] = [];
	const others = new Map<string, Uint8Array>();
	if (!recordingsAreHere) return { known, others };
	const lines = readFileSync(new URL("EXPECTED.jsonl", FOLDER), "utf8").trim().split("\n");
	for (const line of lines) {
		const { file, events, finish, calls } = JSON.parse(line) as ExpectedLine;
		const bytes = new Uint8Array(readFileSync(new URL(file, FOLDER)));
		const format = formatByName(file);
		if (format === undefined) others.set(file, bytes);
		else known.push({ file, format, bytes, expected: { calls: calls.map(asReported), events, reason: finish } });
	}
	return { known, others };
}

function asReported(call: ExpectedCall): ReportedCall {
	return {
		id: call.call_id ?? "",
		name: call.name,
		// The arguments of a call that was cut are known to the file and never reported.
		argsText: call.complete_at === null ? undefined : call.arguments,
		startedAt: call.started_at,
		completeAt: call.complete_at ?? undefined,
		closedAt: call.closed_at ?? undefined,
	};
}

export const { known: recordings, others: otherRecordings } = load();

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
export function eventsOf({ bytes }: Recording): Record<string, unknown>[] {
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
