// Property seed
//
// Properties try new cases on every run at a desk and the same ones in CI, so that CI is never red for what nobody
// changed. A failure prints its seed and path; pass both to `fc.assert` to see it again. A soak tries many times as much.
//
// Owns:      what the environment says to properties: the seed, and how long to look.
// Does not:  run one.

import fc from "fast-check";

const CI_SEED = 20_261_001;

/** How many times as much as usual the tests that can be soaked try: `SOAK=100 npm test -- test/locks`. */
export const SOAK = Number(process.env.SOAK ?? 1);

if (process.env.CI !== undefined) fc.configureGlobal({ seed: CI_SEED });
