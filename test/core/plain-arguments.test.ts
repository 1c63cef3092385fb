// Which texts of arguments are taken for their own canonical form: none that is not, and what models mostly write.

import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsKey } from "../../engine/core/call.js";
import { isPlainArguments } from "../../engine/core/plain-arguments.js";

const texts = fc.oneof(
	fc.string(),
	fc.string({ unit: "binary" }),
	fc.constantFrom("__proto__", "constructor", "10", "9", "a", "b", "\ud800", "\u2028", "\u007f", '"', "\\", "\n"),
);
const scalars = fc.oneof(
	fc.constantFrom("0", "-0", "1", "-7", "1e3", "1.0", "01", "999999999999999", "9999999999999999", "1e999", "nul"),
	fc.constantFrom("true", "false", "null", "{}", "[]", '{"b":1,"a":2}', '"\\u0061"', '"\\/"'),
	texts.map((text) => JSON.stringify(text)),
);
const spaces = fc.constantFrom("", "", "", " ", "\n");

/** Texts of flat objects, near to plain ones and not always JSON. */
const written = fc
	.array(fc.tuple(texts, scalars, spaces), { maxLength: 4 })
	.map((fields) => fields.map(([name, value, space]) => `${space}${JSON.stringify(name)}:${value}`).join(","))
	.chain((fields) =>
		fc.constantFrom(`{${fields}}`, `{${fields}`, `${fields}}`, `{${fields},}`, `{${fields}}}`, ` {${fields}}`),
	);

describe("the plain arguments", () => {
	it("are only texts that are their own canonical form", () => {
		fc.assert(
			fc.property(written, (text) => {
				if (isPlainArguments(text)) expect(canonicalize(JSON.parse(text))).toBe(text);
			}),
			{ numRuns: 5_000 },
		);
	});

	it("are every flat object of usual texts, whole numbers, yes and no, as it is written without spaces and in order", () => {
		const usual = fc.oneof(fc.stringMatching(/^[\w ./:,{}é-]*$/), fc.integer(), fc.boolean(), fc.constant(null));
		const flat = fc.dictionary(fc.stringMatching(/^[a-z]\w*$/), usual, { minKeys: 1 });
		fc.assert(
			fc.property(flat, (fields) => {
				const text = canonicalize(fields) ?? "";
				expect(isPlainArguments(text)).toBe(true);
				expect(argumentsKey(text)).toBe(argumentsKey(fields));
			}),
		);
	});

	it("are none so long that looking at them would exhaust the matcher", () => {
		expect(isPlainArguments(`{"text":"${"x".repeat(1_000_000)}"}`)).toBe(false);
	});
});
