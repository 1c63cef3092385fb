// wavetrain/testing
//
// Contract suites that a host runs against what it brings itself: a ledger, an executor, a face. Each gives named cases, so
// that any runner can run them: `for (const { name, run } of ledgerContract(under)) it(name, run)`.
//
// Owns:      what this entry of the package gives out.
// Does not:  hold a case (the suites beside it do).

export type { CloseReport, Executor, InlineWork, Job, Work } from "../execution/executor.js";
export type { ContractCase } from "./contract-case.js";
export { type ExecutorUnderTest, executorContract } from "./executor-contract.js";
export { type FaceUnderTest, faceContract } from "./face-contract.js";
export { type LedgerDisk, type LedgerUnderTest, ledgerContract, type MadeLedger } from "./ledger-contract.js";
