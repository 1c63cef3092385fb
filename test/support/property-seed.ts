// Property seed
//
// Properties try new cases on every run at a desk and the same ones in CI, so that CI is never red for what nobody
// changed. A failure prints its seed and path; pass both to `fc.assert` to see it again.

import fc from "fast-check";

const CI_SEED = 20_261_001;

if (process.env.CI !== undefined) fc.configureGlobal({ seed: CI_SEED });
