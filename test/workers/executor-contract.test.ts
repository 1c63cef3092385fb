// Every adapter of the executor's port runs one contract suite.

import { systemClock } from "../../engine/core/clock.js";
import { HostExecutor } from "../../engine/execution/host-executor.js";
import { inlineExecutor } from "../../workers/inline.js";
import { threadExecutor } from "../../workers/pool.js";
import { executorContract } from "../contracts/executor.js";
import { answerFunction, throwOwn } from "../support/thread-tools/faults.js";
import { echo, echoLater, untilAborted } from "../support/thread-tools/plain.js";
import { threadWork } from "./thread-kit.js";

executorContract("the inline executor", {
	make: inlineExecutor,
	echo,
	echoLater,
	throws: throwOwn,
	answersFunction: answerFunction,
	untilAborted,
	queues: false,
});

const parts = { clock: systemClock, emit: () => undefined };
const onThreads = {
	make: () => threadExecutor({ threads: { max: 1 }, ...parts }),
	echo: threadWork("plain/echo"),
	echoLater: threadWork("plain/echoLater"),
	throws: threadWork("faults/throwOwn"),
	answersFunction: threadWork("faults/answerFunction"),
	untilAborted: threadWork("plain/untilAborted"),
	queues: true,
};

executorContract("the thread executor", onThreads);

executorContract("an executor of the host's own, as the engine has it", {
	...onThreads,
	make: () => new HostExecutor(onThreads.make(), parts),
});
