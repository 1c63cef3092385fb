// Left behind
//
// A call may answer and leave a timer, a promise or a callback that fails later, or that calls `process.exit`. By then
// another call may be running on the thread, and it must not pay. Which call a failure belongs to is known by its async
// context: each call runs in one of its own, and Node restores it for whatever the call started.
//
//   the running call's own              the thread ends, and the call with it
//   no call runs                        for `process.exit` the thread ends; any other failure is a stray error
//   an ended call's, while another runs  a stray error; the host replaces the thread once the running call has ended
//
// A throw in a bare microtask has no context on Node 20 and 22. It counts as the running call's own, which it is: a
// call's microtasks have run before the next call begins (thread-server.ts).
//
// Owns:      that judgement, and `process.exit` on the thread.
// Does not:  end the thread for a stray error; the host does (host-thread.ts).

import { AsyncLocalStorage } from "node:async_hooks";
import { causeOf, type ErrorCause } from "../engine/core/outcome.js";
import type { Leaving } from "./protocol.js";

/** Whose code runs: a call, or the loading of a module, which belongs to every call. */
type Owner = object;

export interface LeftBehindWatch {
	/** Whose failures end the thread at present. */
	owner(): Owner | undefined;
	/** Told right before the thread ends. */
	leaving(why: Leaving): void;
	stray(cause: ErrorCause): void;
}

// Thrown in place of an exit that must not happen, so that the code after it does not run either.
class ExitRefused extends Error {}

const owners = new AsyncLocalStorage<Owner>();

/** Runs code so that whatever it leaves behind is known to be the owner's. */
export function runOwned<Result>(owner: Owner, code: () => Result): Result {
	return owners.run(owner, code);
}

/** Watches this thread for the rest of its life. */
export function watchLeftBehind(watch: LeftBehindWatch): void {
	const exit = process.exit.bind(process);
	const failed = (thrown: unknown): void => {
		if (thrown instanceof ExitRefused) return;
		const cause = causeOf(thrown);
		if (watch.owner() === undefined || !isOwn(watch)) {
			watch.stray(cause);
			return;
		}
		watch.leaving({ kind: "uncaught", cause });
		exit(1);
	};
	process.on("uncaughtException", failed);
	process.on("unhandledRejection", failed);
	process.exit = (code?: number | string | null): never => {
		const exitCode = Number(code ?? process.exitCode ?? 0);
		if (watch.owner() === undefined || isOwn(watch)) {
			watch.leaving({ kind: "exit", exitCode });
			return exit(exitCode);
		}
		const message = `process.exit(${exitCode}) was called by what an ended call had left behind`;
		watch.stray({ name: "Error", message });
		throw new ExitRefused(message);
	};
}

function isOwn(watch: LeftBehindWatch): boolean {
	const owner = owners.getStore();
	return owner === undefined || owner === watch.owner();
}
