// Workspace tools on a thread
//
// The module that a thread loads for `workspaceTools()`: one export a tool. Declarations (names, schemas, effects) are
// on the host's side in engine/tools/; a test compares the two.

export { analyseFiles } from "./analyse-files.js";
export { hashFile } from "./hash-file.js";
export { listFiles } from "./list-files.js";
export { readFile } from "./read-file.js";
export { searchFiles } from "./search-files.js";
export { writeFile } from "./write-file.js";
