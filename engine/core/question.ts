// Question
//
// What a person is asked and what they may say. A tool asks anything that is data and gets any data back; an approval is
// a question of the engine's own, about one call and exactly the arguments shown.
//
// Owns:      the shapes, and the reading of an answer to an approval.
// Does not:  decide who is asked, or when (wave/questions.ts, run/interrupts.ts).

import { createHash } from "node:crypto";
import { readArguments, type ToolCall } from "./call.js";
import { canonicalJson, type JsonValue } from "./json-value.js";
import { showValue } from "./show-value.js";

/**
 * A question that waits for its answer. The id is made of the run, the step, the call's path of indexes and a counter
 * (0 for the call's approval, followed by a digest where middleware changed its arguments; from 1 on for what the call
 * itself asks), so it is the same after a reload.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface AskedQuestion {
	/** What its answer is given by; the same after a reload. */
	readonly id: string;
	/** The index of the call; of a nested call, that of the call of the wave it is nested in. */
	readonly index: number;
	/** What the tool asked, or an {@link ApprovalQuestion}. */
	readonly question: JsonValue;
}

/**
 * The question whether a call may run. The answer holds for this call with these arguments, whose digest is shown.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ApprovalQuestion {
	/** Tells it from a tool's own question. */
	readonly kind: "approval";
	/** The tool's name. */
	readonly tool: string;
	/** The raw arguments as they were read. */
	readonly args: JsonValue;
	/** SHA-256 of the canonical arguments. */
	readonly digest: string;
	/** What is to be approved, in the tool's own words, else its name. */
	readonly title: string;
	/** More of it, as the tool presents the call. */
	readonly detail?: string;
}

/**
 * What a person says to an {@link ApprovalQuestion}; `true` and `false` are short for it.
 *
 * `always` approves, for the rest of the run, every call of the same tool that is asked about for the same reason: the
 * tool's own `requiresApproval`, or a policy of the same name that asks the very same thing.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export type ApprovalAnswer =
	| { readonly approve: true; readonly always?: boolean }
	| { readonly approve: false; readonly reason?: string };

/**
 * Why a person must approve a call, and how they are shown it.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface ApprovalNeed {
	/** What an `always` covers: equal for calls of one tool that are asked about for one reason. */
	readonly rule: string;
	/** What is to be approved, in the tool's own words, else its name. */
	readonly title: string;
	/** More of it, as the tool presents the call. */
	readonly detail?: string;
}

export function approvalQuestion(call: ToolCall, { title, detail }: ApprovalNeed): ApprovalQuestion {
	const read = readArguments(call.args);
	const args = read.ok ? read.args : {};
	const digest = createHash("sha256").update(canonicalJson(args)).digest("hex");
	return { kind: "approval", tool: call.name, args, digest, title, ...(detail !== undefined && { detail }) };
}

/** The rule of a tool that asks by itself, or of a policy that asks about a call of the tool. */
export function approvalRule(
	tool: string,
	asker: { readonly policy: string; readonly ask: JsonValue } | "tool",
): string {
	return asker === "tool" ? canonicalJson(["tool", tool]) : canonicalJson(["policy", tool, asker.policy, asker.ask]);
}

/** The answer in its long form, or what is wrong with it. */
export function readApproval(answer: unknown): { readonly answer: ApprovalAnswer } | { readonly problem: string } {
	if (typeof answer === "boolean") return { answer: { approve: answer } };
	const { approve, always, reason } = (answer ?? {}) as Record<string, unknown>;
	if (approve === true && isOptional(always, "boolean")) {
		return { answer: { approve, ...(always === true && { always }) } };
	}
	if (approve === false && isOptional(reason, "string")) {
		return { answer: { approve, ...(reason !== undefined && { reason: reason as string }) } };
	}
	return { problem: `${showValue(answer)} neither approves nor declines ({ approve: true } or { approve: false })` };
}

function isOptional(value: unknown, type: "boolean" | "string"): boolean {
	return value === undefined || typeof value === type;
}
