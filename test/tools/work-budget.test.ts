// Work budget
//
// Where a call of a workspace tool stops: after so many names, files, bytes or milliseconds, and what it says then.

import { describe, expect, it } from "vitest";
import {
	WORKSPACE_BYTES_MAX,
	WORKSPACE_ENTRIES_MAX,
	WORKSPACE_FILES_MAX,
	WORKSPACE_PROGRESS_MS_MIN,
	WORKSPACE_WORK_MS_MAX,
} from "../../engine/core/tool-limits.js";
import { WorkBudget } from "../../workers/tools/work-budget.js";
import { ManualClock } from "../support/manual-clock.js";
import { quietContext } from "../support/quiet-context.js";

function passes(times: number, may: () => boolean): number {
	let passed = 0;
	while (passed < times && may()) passed += 1;
	return passed;
}

describe("WorkBudget", () => {
	it("stops after its files, its bytes and its names, and never goes on", () => {
		const byFiles = new WorkBudget(quietContext());
		expect(passes(WORKSPACE_FILES_MAX + 1, () => byFiles.takeFile(0))).toBe(WORKSPACE_FILES_MAX);
		expect(byFiles.remark().remark).toBe(
			`stopped after ${WORKSPACE_FILES_MAX} files: a part of the answer, ask for less`,
		);
		expect(byFiles.mayGoOn()).toBe(false);

		const byBytes = new WorkBudget(quietContext());
		expect(byBytes.takeFile(WORKSPACE_BYTES_MAX)).toBe(true);
		expect(byBytes.takeFile(1)).toBe(false);
		expect(byBytes.remark().remark).toContain(`stopped after ${WORKSPACE_BYTES_MAX} bytes`);

		const byNames = new WorkBudget(quietContext());
		expect(passes(WORKSPACE_ENTRIES_MAX + 1, () => byNames.passEntry())).toBe(WORKSPACE_ENTRIES_MAX);
		expect(byNames.remark().remark).toContain(`stopped after ${WORKSPACE_ENTRIES_MAX} files and folders`);
	});

	it("stops when its time is over, and reports on the way, seldom enough to be read", async () => {
		const clock = new ManualClock();
		const reports: unknown[] = [];
		const budget = new WorkBudget(quietContext({ progress: (update) => void reports.push(update) }), clock);
		budget.takeFile(5);
		await clock.pass(WORKSPACE_PROGRESS_MS_MIN - 1);
		expect(budget.mayGoOn()).toBe(true);
		expect(reports).toEqual([]);
		await clock.pass(1);
		expect(passes(3, () => budget.mayGoOn())).toBe(3);
		expect(reports).toEqual([{ files: 1, bytes: 5 }]);
		await clock.pass(WORKSPACE_WORK_MS_MAX);
		expect(budget.mayGoOn()).toBe(false);
		expect(budget.remark().remark).toContain(`stopped after ${WORKSPACE_WORK_MS_MAX} ms`);
	});
});
