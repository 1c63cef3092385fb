// Wherever data holds a secret, in whatever form a tool or a provider puts it, it is found, and nothing of it stays.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../engine/core/json-value.js";
import { secretKindsIn, withoutSecrets } from "../../engine/policy/secrets.js";

const LETTERS = "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUxqLm3R7dT9vBzYs2HgK8eFj1NaQ5C";
const letters = (count: number): string => LETTERS.repeat(3).slice(0, count);
const star = (kind: string): string => `<${kind}>`;

// Built from pieces, so that no scanner takes this file for a leak.
const TOKEN = `ghp_${letters(36)}`;
const AWS = letters(40);
const PEM_LINES = ["-----BEGIN RSA PRIVATE KEY-----", letters(64), `${letters(30)}==`, "-----END RSA PRIVATE KEY-----"];

describe("a secret is found, and nothing of it stays,", () => {
	it.each<[string, JsonValue, JsonValue]>([
		["in a list of lines", PEM_LINES, PEM_LINES.map(() => "<private-key>")],
		["in a list of lines with a name", { body: PEM_LINES }, { body: PEM_LINES.map(() => "<private-key>") }],
		[
			"in lines around it, one of them an address with escapes",
			{ body: ["a%20b", ...PEM_LINES, "z"] },
			{ body: ["a%20b", ...PEM_LINES.map(() => "<private-key>"), "z"] },
		],
		[
			"in a list of lines inside of JSON text",
			{ args: JSON.stringify({ body: PEM_LINES }) },
			{ args: JSON.stringify({ body: PEM_LINES.map(() => "<private-key>") }) },
		],
		[
			"as the value of a name beside it",
			{ env: [{ name: "AWS_SECRET_ACCESS_KEY", value: AWS }] },
			{ env: [{ name: "AWS_SECRET_ACCESS_KEY", value: "<aws>" }] },
		],
		[
			"as the value of a key beside it, inside of JSON text",
			`[{"value":"${AWS}","key":"AWS_SECRET_ACCESS_KEY"}]`,
			'[{"value":"<aws>","key":"AWS_SECRET_ACCESS_KEY"}]',
		],
		["right behind an escape that ends like a word", `https://a.b/?q=t%3D${TOKEN}`, "https://a.b/?q=t=<github>"],
		["behind an escape of an address", `https://a.b/?q=Bearer%20${TOKEN}`, "https://a.b/?q=Bearer%20<github>"],
		[
			"in an address all of escapes",
			[...TOKEN].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(""),
			"<github>",
		],
		["beside escapes that are none", `100% of %zz %ff%20${TOKEN}`, "100% of %zz %ff%20<github>"],
		["in JSON text, which keeps its form", `{ "a" : 1e999,\n "b": "${TOKEN}" }`, '{ "a" : 1e999,\n "b": "<github>" }'],
	])("%s", (_what, data, kept) => {
		expect(secretKindsIn(data).length).toBe(1);
		expect(withoutSecrets(data, star)).toEqual(kept);
	});

	it.each<[string, string]>([
		["of a store without a user", `redis://:${letters(14)}@cache:6379/0`],
		["with signs that no word has", `https://marie:p!ss_${letters(8)}$@host.corp/x`],
		["with escapes", `amqps://app:a%2Fb%40${letters(8)}@[::1]:5671`],
		["of a user of one letter", `https://u:${letters(12)}@host.corp`],
	])("in an address %s", (_what, address) => {
		expect(secretKindsIn({ address }).length).toBe(1);
		const [user = "", password = ""] = address.slice(address.indexOf("//") + 2, address.lastIndexOf("@")).split(":");
		const kept = JSON.stringify(withoutSecrets({ address }, star));
		expect(kept).not.toContain(password);
		expect(kept).toContain(address.slice(address.lastIndexOf("@") + 1));
		expect(user).not.toContain("@");
	});

	it.each([
		`https://marie:\${PASSWORD}@host`,
		"https://user:<password>@host",
		"postgresql-like://user:****@host",
		"http://host:3000/@scope/name",
		"see https://a.b/c:d and mail x@y.z",
	])("and %s is an address without one", (address) => {
		expect(withoutSecrets({ address }, star)).toEqual({ address });
	});
});

describe("data made of secrets", () => {
	const text = fc.constantFrom(
		TOKEN,
		`sk_live_${letters(24)}`,
		`AKIA${"QWERTYUIOPASDFGH"}`,
		`redis://:${letters(14)}@h`,
		"plain",
		"a%20b",
		"",
	);
	const { data } = fc.letrec<{ data: JsonValue }>((tie) => ({
		data: fc.oneof(
			{ maxDepth: 4 },
			text,
			fc.constant(PEM_LINES as JsonValue),
			fc.array(tie("data"), { maxLength: 3 }),
			fc.dictionary(fc.constantFrom("a", "value", "name", "key", "__proto__", TOKEN), tie("data"), { maxKeys: 3 }),
			tie("data").map((inner) => JSON.stringify(inner)),
			tie("data").map((inner) => encodeURIComponent(JSON.stringify(inner))),
			tie("data").map((inner) => ({ $binary: Buffer.from(JSON.stringify(inner)).toString("base64") })),
		),
	}));

	it("SE2: holds none once they are replaced, whatever stands in what", () => {
		fc.assert(
			fc.property(data, (whole) => {
				const kept = withoutSecrets(whole, star);
				expect(secretKindsIn(kept)).toEqual([]);
				expect(JSON.stringify(kept)).not.toContain(TOKEN.slice(4));
			}),
			{ numRuns: 2_000 },
		);
	});
});
