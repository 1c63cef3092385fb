// Process-wide
//
// Two copies of the package in one process (two versions of a dependency, a bundle beside an install) load two module
// graphs, so a module's own variable is not shared between them. A property of `globalThis` under a registered symbol is.
//
// Owns:      making a value once for all copies on this thread, and finding it again.
// Does not:  know the value. Its name carries a version: whoever changes the value's shape takes a new number, because
//            an older copy would use the shape it knows.

/** The value of that name on this thread, made by the first copy of the package that asks. */
export function processWide<Value>(name: string, make: () => Value): Value {
	const symbol = Symbol.for(name);
	const known = Object.getOwnPropertyDescriptor(globalThis, symbol);
	// The cast holds while nobody reuses a name with another shape.
	if (known !== undefined) return known.value as Value;
	const value = make();
	Object.defineProperty(globalThis, symbol, { value });
	return value;
}
