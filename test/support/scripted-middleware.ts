// Scripted middleware
//
// Middleware of random waves: what it does to a call is looked up under the call's place, and when it does so is decided
// by `hold`. The same script runs in the engine and in the serial reference.
//
// Owns:      everything that a middleware may do, as plain data.
// Does not:  choose (middleware-cases.ts).

import { answered, failed, type Outcome } from "../../engine/core/outcome.js";
import type { Middleware } from "../../engine/index.js";
import type { Hold } from "./held-work.js";
import type { Standing } from "./middleware-kit.js";

export type MiddlewareAct =
	| { readonly kind: "pass" }
	/** Waits before and after. */
	| { readonly kind: "measure" }
	| { readonly kind: "rewrite"; readonly to: Standing }
	| { readonly kind: "invalid" }
	| { readonly kind: "rename" }
	| { readonly kind: "veto" }
	| { readonly kind: "throw"; readonly when: "before" | "after" }
	/** Until it has a value, each time as `to` says. */
	| { readonly kind: "retry"; readonly times: number; readonly to: Standing }
	/** Asks again, whatever came. */
	| { readonly kind: "twice"; readonly to: Standing }
	| { readonly kind: "replace" }
	| { readonly kind: "no outcome" };

export interface MiddlewarePlan {
	/** By place, counted round. */
	readonly acts: readonly MiddlewareAct[];
	/** Does nothing but pass and measure. */
	readonly observesOnly: boolean;
}

const unheld: Hold = async () => undefined;

export function scriptedMiddleware(plan: MiddlewarePlan, place: number, hold: Hold = unheld): Middleware {
	const name = `layer-${place}`;
	return {
		name,
		observesOnly: plan.observesOnly,
		async wrapToolCall(call, next) {
			const act = plan.acts[call.index % plan.acts.length] ?? { kind: "pass" };
			const to = (change: object) => next({ name: call.name, args: { ...call.args, ...change } });
			switch (act.kind) {
				case "pass":
					return next();
				case "measure": {
					await hold(`${name} before ${call.index}`);
					const outcome = await next();
					await hold(`${name} after ${call.index}`);
					return outcome;
				}
				case "rewrite":
					return to(act.to);
				case "invalid":
					return to({ n: "none" });
				case "rename":
					return next({ name: "other", args: call.args });
				case "veto":
					return failed("DENIED", { message: `${name} says no` });
				case "throw":
					if (act.when === "after") await next();
					throw new Error(`${name} broke`);
				case "retry": {
					let outcome: Outcome = await next();
					for (let time = 1; time < act.times && !outcome.ok; time += 1) outcome = await to(act.to);
					return outcome;
				}
				case "twice":
					await next();
					return to(act.to);
				case "replace": {
					const outcome = await next();
					return outcome.ok ? answered([name, outcome.value]) : outcome;
				}
				case "no outcome":
					return 7 as unknown as Outcome;
			}
		},
	};
}
