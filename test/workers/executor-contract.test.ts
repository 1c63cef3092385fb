// Both adapters of the executor's port run one contract suite.

import { systemClock } from "../../engine/core/clock.js";
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

executorContract("the thread executor", {
	make: () => threadExecutor({ threads: { max: 1 }, clock: systemClock, emit: () => undefined }),
	echo: threadWork("plain/echo"),
	echoLater: threadWork("plain/echoLater"),
	throws: threadWork("faults/throwOwn"),
	answersFunction: threadWork("faults/answerFunction"),
	untilAborted: threadWork("plain/untilAborted"),
	queues: true,
});
