// Keys meet
//
// Whether two calls with these keys would have to go one after the other. Early starts hold no keys, so among themselves
// they must be told apart without the locks.
//
// Owns:      the comparison of two lists of keys.
// Does not:  take, watch or wait for a key.

import { keyLists, type LockKeys } from "../core/lock-keys.js";

export function keysMeet(one: LockKeys | undefined, other: LockKeys | undefined): boolean {
	if (one === undefined || other === undefined) return false;
	const [mine, theirs] = [keyLists(one), keyLists(other)];
	const isAmong = (keys: readonly string[]) => (key: string) => keys.includes(key);
	if (mine.write.some(isAmong(theirs.write)) || mine.write.some(isAmong(theirs.read))) return true;
	return mine.read.some(isAmong(theirs.write));
}
