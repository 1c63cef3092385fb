// Workspace module URL
//
// The one place that knows where the built module of the workspace tools is. The package is built to one folder, so
// beside the bundle there is `tools/workspace.js`; the sources, which tests run without a build of their own, use the
// built module of the checkout, because Node 20 cannot load a thread's module from TypeScript.
//
// Owns:      that knowledge.
// Does not:  build the module.

const FROM_SOURCE = import.meta.url.endsWith("/engine/tools/workspace-module-url.ts");

export const workspaceModuleUrl = new URL(
	FROM_SOURCE ? "../../dist/tools/workspace.js" : "./tools/workspace.js",
	import.meta.url,
).href;
