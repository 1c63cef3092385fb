// Layers
//
// The import law put to dependency-cruiser, which resolves every import, types included.
//
// Owns:      the rules made of the table, and what a look at a tree found.
// Does not:  know the table (import-law.ts).

import { cruise, type ICruiseResult, type IForbiddenRuleType } from "dependency-cruiser";
import { AREAS, type Area, ENCLOSED, type Enclosed } from "./import-law.js";

export interface Layers {
	/** How many files of ours were read. With an unfit TypeScript dependency-cruiser reads none and finds no fault. */
	readonly moduleCount: number;
	readonly violations: readonly string[];
}

/** Looks at the tree under `root`, which holds engine/ and workers/. */
export async function readLayers(root: string): Promise<Layers> {
	const { output } = await cruise(["engine", "workers"], {
		baseDir: root,
		validate: true,
		ruleSet: { forbidden: [...AREAS.map(areaRule), ...ENCLOSED.map(enclosedRule), CYCLES, UNRESOLVED] },
		tsPreCompilationDeps: true,
		doNotFollow: { path: "node_modules" },
		exclude: { path: "node_modules/(?!piscina|comlink)" },
	});
	const { modules, summary } = output as ICruiseResult;
	const ours = modules.filter(({ source }) => /^(engine|workers)\//.test(source));
	return {
		moduleCount: ours.length,
		violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
	};
}

const CYCLES: IForbiddenRuleType = {
	name: "no cycles",
	severity: "error",
	from: {},
	to: { circular: true },
};

const UNRESOLVED: IForbiddenRuleType = {
	name: "every import leads somewhere",
	severity: "error",
	from: {},
	to: { couldNotResolve: true },
};

function areaRule(area: Area): IForbiddenRuleType {
	return {
		name: `${area.name} may import ${area.imports.length === 0 ? "nothing of ours" : area.imports.join(", ")}`,
		severity: "error",
		from: { path: pattern(area.path) },
		to: { path: "^(engine|workers|bench|test)/", pathNot: [area.path, ...area.imports.map(pathOf)].map(pattern) },
	};
}

function enclosedRule(enclosed: Enclosed): IForbiddenRuleType {
	return {
		name: `${enclosed.package} is imported only in ${enclosed.only.join(", ")}`,
		severity: "error",
		from: { path: "^(engine|workers)/", pathNot: enclosed.only.map(pattern) },
		to: { path: `(^|/)node_modules/${enclosed.package}/` },
	};
}

/** Where an entry of a row's `imports` is: the area of that name, or the file itself. */
function pathOf(entry: string): string {
	return AREAS.find(({ name }) => name === entry)?.path ?? entry;
}

/** A folder means everything below it, a file means itself. */
function pattern(path: string): string {
	return `^${path.replaceAll(".", "\\.")}${path.endsWith("/") ? "" : "$"}`;
}
