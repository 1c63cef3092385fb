#!/usr/bin/env node
// Main
//
// The process around the command: its streams, its signals, its exit code. The one file of the command that touches
// them.
//
// Owns:      Ctrl-C (once: stop and print; twice: go), the closed pipe, leaving.
// Does not:  know any argument (command.ts).

import { systemClock } from "../index.js";
import { runCommand } from "./command.js";
import { EXIT_CODES } from "./command-error.js";
import { Output } from "./output.js";

const controller = new AbortController();
const interrupt = () => {
	if (controller.signal.aborted) process.exit(EXIT_CODES.interrupted);
	controller.abort(new Error("Interrupted"));
};
process.on("SIGINT", interrupt);
process.on("SIGTERM", interrupt);

const out = new Output(process.stdout, () => controller.abort(new Error("The reader of the output has gone")));
const errors = new Output(process.stderr);
const host = { out, errors, clock: systemClock, signal: controller.signal, folder: process.cwd() };
const exitCode = await runCommand(process.argv.slice(2), host);
await Promise.all([out.drained(), errors.drained()]);
// Not left to an empty event loop: a tool that ignored its signal may have left a timer behind.
process.exit(exitCode);
