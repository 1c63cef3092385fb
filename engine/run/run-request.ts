// Run request
//
// What a host asks for when it runs a model, and the check of it: a mistake is named before the model is asked anything.
//
// Owns:      the shapes and the check.
// Does not:  check how calls run (options.ts) or the conversation (messages.ts).

import { EngineError } from "../core/errors.js";
import type { JsonValue } from "../core/json-value.js";
import { showValue } from "../core/show-value.js";
import type { Message } from "./messages.js";
import type { Model } from "./model-port.js";
import type { Run } from "./run-handle.js";
import type { StopPredicate } from "./run-result.js";

/**
 * What a run is asked with, beside how its calls run.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunRequest {
	/** Whom to ask. */
	readonly model: Model;
	/** What the run begins with: a text is one message of a user. */
	readonly input: string | readonly Message[];
	/** Default: a fresh id. */
	readonly runId?: string;
	/** Aborts the run, as {@link Run.abort} does. */
	readonly signal?: AbortSignal;
	/** How often the model is asked; at the limit the run ends after the whole step. Default `50`; minimum `1`. */
	readonly maxSteps?: number;
	/** Asked after each step that asked for calls, in order; the first that says `true` ends the run. Default: none. */
	readonly stop?: StopPredicate | readonly StopPredicate[];
}

/**
 * What a run goes on with, beside how its calls run. What is left out is as it was.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export interface RunResumeRequest extends Omit<RunRequest, "input" | "runId"> {
	/** By the ids of the questions, in any order. What is not answered is asked again by the next pause. */
	readonly answers?: Readonly<Record<string, JsonValue>>;
}

export function predicates(stop: RunRequest["stop"]): readonly StopPredicate[] {
	if (stop === undefined) return [];
	return typeof stop === "function" ? [stop] : stop;
}

type Asked = { readonly [Field in "maxSteps" | "stop" | "runId"]?: RunRequest[Field] | undefined } & Pick<
	RunRequest,
	"model"
>;

export function checkedRequest<Request extends Asked>(request: Request): Request {
	if (typeof request !== "object" || request === null) return refuse(`the options are ${showValue(request)}`);
	const { model, maxSteps, stop, runId } = request;
	if (typeof model?.stream !== "function") refuse(`model is ${showValue(model)}, which has no stream()`);
	if (maxSteps !== undefined && !(Number.isSafeInteger(maxSteps) && maxSteps >= 1)) {
		refuse(`maxSteps is ${showValue(maxSteps)}, not a whole number from 1`);
	}
	const all: unknown = stop === undefined || typeof stop === "function" ? [] : stop;
	if (!Array.isArray(all) || !all.every((one) => typeof one === "function")) {
		refuse(`stop is ${showValue(stop)}, neither a function nor a list of functions`);
	}
	if (runId !== undefined && typeof runId !== "string") refuse(`runId is ${showValue(runId)}, not a text`);
	return request;
}

function refuse(problem: string): never {
	throw new EngineError("INVALID_OPTIONS", { action: "run the model", problem });
}
