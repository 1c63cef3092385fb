// Rewritten
//
// What an engine's face says of a call in a form that is not the one it was asked for in: middleware changed its raw
// arguments, and everything that is known of a call follows from those. Its own file, because the face makes it and the
// wave acts on it.
//
// Owns:      the shape of that answer.
// Does not:  parse or judge the form (policy-face.ts), or decide what becomes of the call (wave/call-forms.ts).

import type { Outcome } from "../core/outcome.js";
import type { Over } from "./ask-policies.js";
import type { Admitted, ToolMeta } from "./concurrent-invoke.js";

export type Rewritten<T> =
	| { readonly kind: "answered"; readonly outcome: Outcome }
	| {
			readonly kind: "ready";
			readonly meta: ToolMeta;
			/** Whether what policies say of it depends on the calls before it. */
			readonly inCallOrder: boolean;
			/** Stage one for this form, with the stamp of the call's admission; no further policy is asked once it is over. */
			admit(at: number, over: Over): Admitted<T> | Promise<Admitted<T>>;
	  };
