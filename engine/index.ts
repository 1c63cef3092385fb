// wavetrain
//
// The public surface, by what a host does with it. Anything not named here may change without notice.

export { loadThreadTools } from "../workers/tool-loader.js";
// Scheduling calls of one's own
export { isConcurrencySafe } from "./admission/concurrency-safe.js";
// Faces and policies of the host's own
export type { Admitted, ConcurrentInvoke, ToolMeta } from "./admission/concurrent-invoke.js";
export { serialFace } from "./admission/serial-face.js";
export type { EarlyStarts } from "./ahead/early-starts.js";
// Calls and how they end
export type { ToolCall } from "./core/call.js";
// Watching, and time
export { type Clock, systemClock } from "./core/clock.js";
export type { Effect, ToolAnnotations } from "./core/effect.js";
export {
	EngineError,
	type EngineErrorCode,
	type EngineErrorParts,
	type ErrorCode,
	isEngineError,
	type Retry,
} from "./core/errors.js";
export type { CallPlace, DiscardReason, EngineEvent, Listener } from "./core/events.js";
export type { Invocable } from "./core/invocable.js";
export type { Binary, JsonObject, JsonValue } from "./core/json-value.js";
export { DEFAULT_MAX_PARALLEL_TOOL_CALLS } from "./core/limits.js";
export type { CallError, ErrorCause, Outcome } from "./core/outcome.js";
// Declaring tools
export { onThread, type ThreadRef } from "./core/thread-ref.js";
export { type LockKeys, type Presentation, type Tool, type ToolDefinition, tool } from "./core/tool.js";
export type { ToolContext } from "./core/tool-context.js";
// Running waves
export { createEngine, type Engine, type EngineCloseReport } from "./create-engine.js";
export { type ConcurrentOptions, executeConcurrent, openAhead } from "./execute-concurrent.js";
export type { CloseReport } from "./execution/executor.js";
export { scheduleToolCalls, type ToolCallSchedule } from "./execution/schedule.js";
// History
export { canonical, type Entry, type EntryDraft, type EntryKind, type Intent } from "./ledger/entry.js";
export { fileLedger } from "./ledger/file-ledger.js";
export type { Ledger } from "./ledger/ledger.js";
export { memoryLedger } from "./ledger/memory-ledger.js";
export { type LedgerCheck, readLedger, verifyLedger } from "./ledger/read-ledger.js";
export type { EngineOptions, ExecutionOptions, ThreadOptions, WaveCallOptions } from "./options.js";
export type { Policy, PolicyView, Verdict } from "./policy/policy.js";
export type { ReplyEvent } from "./report/reply-event.js";
export { type Lane, type Timeline, timelineOf } from "./report/timeline.js";
export { BAR_LEGEND, type BarScale, barOf, markOf } from "./report/timeline-bar.js";
// Replies that stream
export { detectFormat, type StreamFormat } from "./streams/detect-format.js";
export { readStream } from "./streams/read-stream.js";
export type { StreamSource } from "./streams/source.js";
export type { StreamCut, StreamEnd, StreamItem } from "./streams/stream-item.js";
export { teeStream } from "./streams/tee-stream.js";
export { type WorkspaceToolsOptions, workspaceTools } from "./tools/workspace-tools.js";
export type { BadEnd, Step } from "./wave/step.js";
export type { Schedule, StillGoing, Timeouts } from "./wave/wave-options.js";
export type { CallResult, CallTiming, WaveResult } from "./wave/wave-result.js";
