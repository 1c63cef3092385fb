// Module that throws on load
//
// Imported by threads alone.
//
// Owns:      that fault.
// Does not:  reach its export.

throw new Error("this module cannot load");

export const run = (): number => 1;
