// Checks the import law
//
// What `npm run check:layers` runs: prints every import that the law forbids.

import { readLayers } from "./layers.js";
import { ROOT } from "./sources.js";

const { moduleCount, violations } = await readLayers(ROOT);
const verdict = violations.length === 0 && moduleCount > 0 ? "the import law holds" : "the import law is broken";
process.stdout.write(`${[...violations, `${verdict} (${moduleCount} files read)`].join("\n")}\n`);
process.exitCode = violations.length === 0 && moduleCount > 0 ? 0 : 1;
