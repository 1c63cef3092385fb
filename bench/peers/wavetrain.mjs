// wavetrain
//
// A reply's calls as a wave, on the defaults; the arithmetic on worker threads, because that is what it is for.

import { createEngine, memoryLedger, onThread, tool } from "wavetrain";

export const peer = { name: "wavetrain", package: "wavetrain", prepare };

function prepare(tools) {
	const declared = tools.map(({ thread, execute, ...rest }) =>
		tool({ ...rest, execute: thread === undefined ? execute : onThread(thread.url, thread.exportName) }),
	);
	const engine = createEngine({ tools: declared, ledger: memoryLedger() });
	return {
		step: async (calls) => (await engine.executeWave(calls)).results.length,
		close: () => engine.close(),
	};
}
