// Entry URL
//
// The one place that knows where the worker's built entry is. The package is built to one folder, so beside the bundle
// there is `worker.js`; the sources, which tests run without a build of their own, use the built entry of the checkout,
// because Node 20 cannot load a worker from TypeScript.
//
// Owns:      that knowledge.
// Does not:  build the entry.

const FROM_SOURCE = import.meta.url.endsWith("/workers/entry-url.ts");

export const entryUrl = new URL(FROM_SOURCE ? "../dist/worker.js" : "./worker.js", import.meta.url).href;
