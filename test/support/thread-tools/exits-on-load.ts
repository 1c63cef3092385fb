// Module that exits on load
//
// Imported by threads alone.
//
// Owns:      that fault.
// Does not:  reach its export.

process.exit(3);

export const run = (): number => 1;
