// Module that never loads
//
// Imported by threads alone.
//
// Owns:      that fault.
// Does not:  reach its export.

await new Promise(() => undefined);

export const run = (): number => 1;
