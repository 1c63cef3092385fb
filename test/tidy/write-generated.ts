// Writes the generated blocks
//
// The half of `npm run fix` that the linter cannot do.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BLOCKS, withBlock } from "./generated.js";
import { ROOT } from "./sources.js";

for (const { name, document, make } of BLOCKS) {
	const path = join(ROOT, document);
	const written = withBlock(readFileSync(path, "utf8"), name, make());
	if (written === undefined) throw new Error(`${document} has no <!-- ${name} --> … <!-- /${name} -->`);
	writeFileSync(path, written);
}
