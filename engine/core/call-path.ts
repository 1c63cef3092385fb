// Call path
//
// Where a call stands among those that it descends from: the index of the outermost, then of each call below it. Entries
// say it as their `lineage`.
//
// Owns:      telling whether one path leads through another.
// Does not:  hold the chain of calls itself (locks/lineage.ts).

/** Whether the path is the other one, or of a call that was made somewhere below it. */
export function isPathWithin(path: readonly number[], above: readonly number[]): boolean {
	return above.length <= path.length && above.every((index, place) => path[place] === index);
}
