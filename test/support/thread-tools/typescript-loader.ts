// TypeScript loader
//
// Preloaded by threads that are to read TypeScript. The plain `--import tsx` registers itself on the main thread alone.
//
// Owns:      that registration.
// Does not:  hold tools.

import { register } from "tsx/esm/api";

register();
