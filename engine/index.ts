// wavetrain
//
// The public surface, by what a host does with it. Anything not named here may change without notice.
//
// Owns:      what is public, and under which headings.
// Does not:  define anything.

// Running waves.

export type { EarlyStarts } from "./ahead/early-starts.js";
export type { ThreadOptions } from "./core/thread-options.js";
export { createEngine } from "./create-engine.js";
export type { Engine, EngineCloseReport } from "./engine.js";
export { type ConcurrentOptions, executeConcurrent, openAhead } from "./execute-concurrent.js";
export type { CloseReport, Executor, InlineWork, Job, Work } from "./execution/executor.js";
export type { Overrun } from "./execution/overrun.js";
export type {
	AskerFunction,
	EngineOptions,
	ExecutionOptions,
	ResumeOptions,
	RunOptions,
	RunResumeOptions,
	WaveCallOptions,
} from "./options.js";
export type { ReplyCall, ReplyItem } from "./wave/reply-item.js";
export type { BadEnd, Step } from "./wave/step.js";
export type { Schedule, StillGoing, Timeouts } from "./wave/wave-options.js";
export type { CallResult, CallTiming, WaveResult, WaveSoFar } from "./wave/wave-result.js";

// Running a model.

export { type AgentDefinition, agentTool } from "./run/agent-tool.js";
export type { RunEvent } from "./run/live-events.js";
export type { Message } from "./run/messages.js";
export type { Model, ModelItem, ModelRequest, ToolDescription } from "./run/model-port.js";
export type { Run } from "./run/run-handle.js";
export type { RunRequest, RunResumeRequest } from "./run/run-request.js";
export type { RunResult, RunSoFar, StepTaken, StopPredicate } from "./run/run-result.js";
export { type ScriptedModel, type ScriptedReply, scriptedModel } from "./run/scripted-model.js";

// Declaring tools.

export { loadThreadTools } from "../workers/tool-loader.js";
export type { Effect, ToolAnnotations } from "./core/effect.js";
export { onThread, type ThreadRef } from "./core/thread-ref.js";
export { type Presentation, type Tool, type ToolDefinition, tool } from "./core/tool.js";
export type { ToolContext, ToolValue } from "./core/tool-context.js";
export type { InputDelta, InputPlace } from "./core/tool-input.js";
export { fetchTool } from "./tools/fetch-tool.js";
export { fileTools } from "./tools/file-tools.js";
export { type RestrictFileToolsOptions, restrictFileTools } from "./tools/restrict-file-tools.js";
export { type WorkspaceToolsOptions, workspaceTools } from "./tools/workspace-tools.js";

// Calls, and how they end.

export type { ToolCall } from "./core/call.js";
export { CALL_ERRORS, type ErrorCode } from "./core/call-codes.js";
export type { Retry } from "./core/code-row.js";
export { ENGINE_ERRORS, type EngineErrorCode } from "./core/engine-codes.js";
export { EngineError, type EngineErrorParts, isEngineError } from "./core/errors.js";
export type { Binary, JsonObject, JsonValue } from "./core/json-value.js";
export type { CallError, ErrorCause, Outcome } from "./core/outcome.js";
export { ToolCallError } from "./core/tool-call-error.js";

// Questions, and waves that wait for their answers.

export { isPause } from "./core/pause.js";
export type { ApprovalAnswer, ApprovalNeed, ApprovalQuestion, AskedQuestion } from "./core/question.js";
export type { RunCheckpoint, SealedCheckpoint, ToolExecution, WaveCheckpoint } from "./ledger/checkpoint.js";

// Policies.

export { type ApprovalRule, type ApprovalsOptions, approvals } from "./policy/approvals.js";
export { type BudgetOptions, budget } from "./policy/budget.js";
export type { BudgetLimits } from "./policy/budget-bounds.js";
export { type CheckpointNet, checkpointNet } from "./policy/checkpoint-net.js";
export { type DedupOptions, dedup, type RecordedAnswer } from "./policy/dedup.js";
export { definePolicy } from "./policy/define-policy.js";
export { type DoorRule, type DoorsOptions, doors } from "./policy/doors.js";
export type { EffectKind } from "./policy/effect-kind.js";
export { type MemoOptions, memo } from "./policy/memo.js";
export type { CheckpointNetOptions, RestoreReport, Suspected } from "./policy/net-options.js";
export { neverRan } from "./policy/never-ran.js";
export type { BeginVerdict, BeginView, Policy, PolicyView, RecordedEntry, Verdict } from "./policy/policy.js";
export { type RedactOptions, redact } from "./policy/redact.js";
export { runMemory } from "./policy/run-memory.js";
export type { RunChange, RunMemory, RunMemoryParts, Seen, SeenMaker } from "./policy/run-memory-parts.js";
export { type TaintOptions, taint } from "./policy/taint.js";

// Middleware.

export type { Middleware, NextCall, WrappedCall } from "./wave/middleware.js";

// Faces of the host's own.

export type { Admitted, ConcurrentInvoke, ToolMeta } from "./admission/concurrent-invoke.js";
export { serialFace } from "./admission/serial-face.js";
export type { BeginHooks, Execution, Invocable } from "./core/invocable.js";

// Scheduling calls of one's own, and locks.

export { isConcurrencySafe } from "./admission/concurrency-safe.js";
export { DEFAULT_MAX_PARALLEL_TOOL_CALLS } from "./core/limits.js";
export type { LockKeys } from "./core/lock-keys.js";
export { scheduleToolCalls, type ToolCallSchedule } from "./execution/schedule.js";
export { StepGate } from "./execution/step-gate.js";
export { fileLockKey, fileLockKeys, keysCoverFile } from "./locks/file-lock-key.js";
export type { KeyWatch } from "./locks/key-watches.js";
export {
	type AcquireOptions,
	KeyedLock,
	type LockGrant,
	type LockOptions,
	type LockWaiting,
} from "./locks/keyed-lock.js";
export type { Lineage } from "./locks/lineage.js";
export { LockCycleError } from "./locks/lock-cycle.js";
export { toolLocks } from "./locks/tool-locks.js";

// History.

export { canonical, type Entry, type EntryDraft, type EntryKind, type Intent } from "./ledger/entry.js";
export { type FileLedgerOptions, fileLedger } from "./ledger/file-ledger.js";
export type { Ledger, ValueStore } from "./ledger/ledger.js";
export { memoryLedger } from "./ledger/memory-ledger.js";
export { type LedgerCheck, readLedger, verifyLedger } from "./ledger/read-ledger.js";
export { sqliteLedger } from "./ledger/sqlite-ledger.js";

export { type ListedRun, type ListedRunFacts, listRuns } from "./run/list-runs.js";
export { recover } from "./run/recover.js";

// Replies that stream.

export { detectFormat, type StreamFormat } from "./streams/detect-format.js";
export { readStream } from "./streams/read-stream.js";
export type { StreamSource } from "./streams/source.js";
export type {
	CallDelta,
	OfCall,
	OfEvent,
	StreamCut,
	StreamEnd,
	StreamItem,
	WithArguments,
} from "./streams/stream-item.js";
export { teeStream } from "./streams/tee-stream.js";

// Watching, and time.

export { type Clock, systemClock, type TimerOptions } from "./core/clock.js";
export type {
	AheadMeasure,
	CallPlace,
	DiscardedWork,
	DiscardReason,
	EngineEvent,
	KeyBlocker,
	Listener,
} from "./core/events.js";
export { type KeyHistory, type KeyHold, keyHistoryOf } from "./report/key-history.js";
export type { ReplyEvent } from "./report/reply-event.js";
export { type Lane, type Phase, type Span, type Timeline, timelineOf } from "./report/timeline.js";
export { BAR_LEGEND, type BarScale, barOf, markOf } from "./report/timeline-bar.js";
export { readTrace, TRACE_HEADER, traceLine } from "./report/trace.js";
