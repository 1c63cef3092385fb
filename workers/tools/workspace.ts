// Workspace tools on a thread
//
// The module that a thread loads for `workspaceTools()`: one export a tool that reads. What writes runs on the host,
// where the locks are. Declarations (names, schemas, effects) are in engine/tools/; a test compares the two.
//
// Owns:      the list of exports.
// Does not:  declare or run anything.

export { analyseFiles } from "./analyse-files.js";
export { globFiles } from "./glob-files.js";
export { grepFiles } from "./grep-files.js";
export { hashFile } from "./hash-file.js";
export { listFiles } from "./list-files.js";
export { readFile } from "./read-file.js";
