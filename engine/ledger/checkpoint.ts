// Checkpoint
//
// What a wave or a run goes on from, as a value that a host keeps wherever it keeps JSON: a file, a row, a message. It comes
// back from there possibly cut, edited, out of another version or belonging to something else, and none of that may become
// a call that runs; so it is sealed with a digest of its content and opened only if that holds.
//
// The digest is of the canonical text, because stores reorder keys. It leaves out `toolExecution`: how calls run is a
// setting that a resume may choose anew, not something that happened. It finds damage and edits by mistake; it is no
// signature, and whoever can write checkpoints can write one of their own.
//
// Owns:      the shape, the seal, the check, and large values beside a ledger that keeps them.
// Does not:  know what is in the records (core/call-record.ts) or go on from them (wave/take-up.ts).
//
// Invariants:
//   CH1. What is opened is what was sealed, byte for byte of its canonical text.

import { createHash, hash } from "node:crypto";
import type { CallRecord, LineRecord } from "../core/call-record.js";
import { canonicalPieces } from "../core/canonical-pieces.js";
import { EngineError } from "../core/errors.js";
import { canonicalJson, copyJson, type JsonObject, type JsonValue } from "../core/json-value.js";
import { LONG_TEXT_CHARS_MIN } from "../core/ledger-limits.js";
import type { AskedQuestion } from "../core/question.js";
import { showValue } from "../core/show-value.js";
import { joinLargeValues, type LargeValue, splitLargeValues, type ValuePath } from "./large-values.js";
import type { Ledger } from "./ledger.js";

/** The version that this code writes, and the only one it reads. */
export const CHECKPOINT_VERSION = 1;

/**
 * How a wave's calls were run. A time limit of `null` is no limit.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ToolExecution {
	/** Which cleared calls ran at once. */
	readonly schedule: "serial" | "leading-reads" | "barriers";
	/** The same in the words of the providers: `false` beside `'serial'`. */
	readonly parallelToolCalls: boolean;
	/** Most calls at once; `null` is no limit. */
	readonly maxParallelToolCalls: number | null;
	/** In milliseconds, by the names of `Timeouts`; `null` is no limit. */
	readonly timeouts: Readonly<Record<string, number | null>>;
}

/** A value that is kept beside the ledger, and where in the content it belongs. */
interface KeptValue {
	readonly path: ValuePath;
	readonly as: "json" | "binary";
	readonly sha256: string;
	readonly bytes: number;
}

/**
 * What every checkpoint has. Plain JSON; keep it as it is. Everything but what is named here may change with its
 * `version`.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface SealedCheckpoint {
	/** Of the format; a checkpoint of another version is refused as `INVALID_CHECKPOINT`. */
	readonly version: number;
	/** The run it belongs to. */
	readonly runId: string;
	/** The step of the run, from 0. */
	readonly step: number;
	/** What waits for an answer, in call order. */
	readonly questions: readonly AskedQuestion[];
	/** Left out: it goes on with what the resume passes, else with the engine's. */
	readonly toolExecution?: ToolExecution;
	/** How far it had come. */
	readonly content: JsonValue;
	/** Values of the content that are kept beside the ledger. */
	readonly kept: JsonValue;
	/** Of all but `toolExecution`; a checkpoint that was changed is refused as `INVALID_CHECKPOINT`. */
	readonly digest: string;
}

/**
 * What a paused wave goes on from.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface WaveCheckpoint extends SealedCheckpoint {
	/** Tells it from the checkpoint of a run; `engine.resume` answers with a `WaveResult`. */
	readonly kind: "wave";
}

/**
 * What a run goes on from that paused, or whose process has ended: the conversation, the place it had come to, and what is
 * left of the wave it was in.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunCheckpoint extends SealedCheckpoint {
	/** Tells it from the checkpoint of a wave; `engine.resume` answers with a `Run`. */
	readonly kind: "run";
}

type Kind = "wave" | "run";

type CheckpointOf<K extends Kind> = SealedCheckpoint & { readonly kind: K };

/** What a wave's checkpoint is made of. */
export interface CheckpointContent {
	readonly calls: readonly CheckpointCall[];
	/** Left out after a crash, as `toolExecution` is: a ledger does not hold how calls were run. */
	readonly onError?: "continue" | "stop";
	/** Why its reply ended before its calls could run: nobody is asked about them, and none stops another. */
	readonly cut?: "length" | "filtered";
	readonly records: readonly CallRecord[];
	readonly steers: readonly string[];
	readonly cancelled: boolean;
	readonly spentMs: number;
	readonly policyNames: readonly string[];
	/** The rules that a person has approved for the rest of the run. */
	readonly rules: readonly string[];
	readonly tail?: CutCall;
	/**
	 * The waves before this one of a run whose waves its host runs by itself, each as text, because a long run has many and
	 * they are read once.
	 */
	readonly earlier?: readonly string[];
}

/** After a crash: the call that is accounted next, and its lines that the ledger holds already, cut off before its last. */
export interface CutCall {
	readonly index: number;
	readonly lines: readonly LineRecord[];
}

export interface CheckpointCall {
	readonly id: string;
	readonly name: string;
	readonly args: JsonValue;
}

export type CheckpointHead<K extends Kind = "wave"> = Pick<
	CheckpointOf<K>,
	"kind" | "runId" | "step" | "questions" | "toolExecution"
>;

/** The content as plain data that shares nothing with what it was taken from. */
export function plainContent(content: object): JsonObject {
	return JSON.parse(JSON.stringify(content)) as JsonObject;
}

export async function sealCheckpoint<K extends Kind>(
	head: CheckpointHead<K>,
	content: JsonObject,
	ledger: Pick<Ledger, "values">,
): Promise<CheckpointOf<K>> {
	const { values } = ledger;
	const takes = values?.takes && ((value: JsonValue): boolean => values.takes?.(head.runId, value) === true);
	const split = values === undefined ? undefined : splitLargeValues(content, takes);
	const large = split?.large ?? [];
	const hashes = large.length === 0 ? [] : await values?.keep(large.map(({ bytes }) => bytes));
	const kept = large.map(({ path, as, bytes }, place) => ({
		path,
		as,
		sha256: hashes?.[place] ?? "",
		bytes: bytes.length,
	}));
	const text = split === undefined ? content : (JSON.parse(split.text) as JsonValue);
	const { toolExecution, ...rest } = JSON.parse(JSON.stringify(head)) as CheckpointHead<K>;
	const sealed = { ...rest, version: CHECKPOINT_VERSION, content: text, kept };
	return { ...sealed, ...(toolExecution && { toolExecution }), digest: digestOf(sealed) };
}

/** The head and the content of a checkpoint that is whole. Throws `INVALID_CHECKPOINT`. */
export async function openCheckpoint<K extends Kind>(
	kind: K,
	given: unknown,
	ledger: Pick<Ledger, "values">,
): Promise<{ readonly head: CheckpointHead<K>; readonly content: JsonObject }> {
	const { digest, toolExecution, ...sealed } = demandShape(kind, given);
	// CH1: asked before anything of it is used.
	if (digestOf(sealed) !== digest) refuse("its digest is not that of its content: it was changed, or is not whole");
	const { runId, step, questions, kept, content } = sealed as Omit<SealedCheckpoint, "digest">;
	const values = await Promise.all((kept as unknown as KeptValue[]).map((one) => load(one, ledger)));
	const joined = joinLargeValues(content, values);
	return { head: { kind, runId, step, questions, ...(toolExecution && { toolExecution }) }, content: joined };
}

/** A copy, so that neither the wave nor its next pause changes what the host holds. */
function demandShape<K extends Kind>(wanted: K, given: unknown): CheckpointOf<K> {
	const copied = copyJson(given);
	const value = copied.ok ? copied.value : undefined;
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		return refuse(`it is ${showValue(given)}, not an object of JSON`);
	}
	const { kind, version, runId, step, questions, kept, digest } = value as JsonObject;
	if (kind !== wanted) refuse(`its kind is ${showValue(kind)}, not ${showValue(wanted)}`);
	if (version !== CHECKPOINT_VERSION) {
		refuse(`its version is ${showValue(version)}, and this engine reads version ${CHECKPOINT_VERSION}`);
	}
	const isWhole = typeof runId === "string" && typeof step === "number" && typeof digest === "string";
	if (!isWhole || !Array.isArray(questions) || !Array.isArray(kept)) refuse("parts of it are missing");
	return value as unknown as CheckpointOf<K>;
}

async function load({ path, as, sha256, bytes }: KeptValue, { values }: Pick<Ledger, "values">): Promise<LargeValue> {
	if (values === undefined) return refuse(`its value ${sha256} is kept beside a ledger that this engine does not have`);
	const loaded = await values.load(sha256, bytes);
	return "problem" in loaded ? refuse(loaded.problem) : { path, as, bytes: Buffer.from(loaded.bytes) };
}

function digestOf(sealed: object): string {
	const digest = createHash("sha256");
	// The head, the content, and what the content lists: calls, records, earlier waves.
	const pieces = canonicalPieces(sealed as unknown as JsonValue, { levels: 3, pieceOf });
	for (const piece of pieces) digest.update(piece);
	return digest.digest("hex");
}

// An earlier wave is a text of JSON, and writing that as JSON once more takes three times as long as its digest does. No
// JSON begins like the piece that stands for it. What has no UTF-8 would have the digest of another text.
function pieceOf(value: JsonValue): string {
	const isLong = typeof value === "string" && value.length > LONG_TEXT_CHARS_MIN && value.isWellFormed();
	return isLong ? `#${hash("sha256", value)}` : canonicalJson(value);
}

function refuse(problem: string): never {
	throw new EngineError("INVALID_CHECKPOINT", { action: "resume from the checkpoint", problem });
}
