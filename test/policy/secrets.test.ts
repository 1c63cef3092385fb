// What is taken for a secret, wherever in data it stands, and what of the data stays.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../engine/core/json-value.js";
import { lookForSecrets } from "../../engine/policy/secret-rules.js";
import { holdsSign, SIGNS } from "../../engine/policy/secret-signs.js";
import { secretKindsIn, withoutSecrets } from "../../engine/policy/secrets.js";

const LETTERS = "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUxqLm3R7dT9vBzYs2HgK8eFj1NaQ5C";
const letters = (count: number): string => LETTERS.repeat(3).slice(0, count);

// Built from pieces, so that no scanner takes this file for a leak.
const SECRETS: readonly (readonly [kind: string, secret: string])[] = [
	["github", `ghp_${letters(36)}`],
	["npm", `npm_${letters(36)}`],
	["slack", `xoxb-${"123456789012"}-1234567890123-${letters(24)}`],
	["anthropic", `sk-ant-api03-${letters(93)}AA`],
	["openai", `sk-proj-${letters(58)}T3BlbkFJ${letters(58)}`],
	["sendgrid", `SG.${letters(22)}.${letters(43)}`],
	["basicauth", `https://marie:${letters(14)}@intranet.corp`],
	["database-connection-string", `postgres://marie:${letters(14)}@db.corp:5432/main`],
	["aws-access-key-id", `AKIA${"QWERTYUIOPASDFGH"}`],
	["google-api-key", `AIza${letters(35)}`],
	["json-web-token", `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`],
	["stripe-key", `sk_live_${letters(24)}`],
	["gitlab-token", `glpat-${letters(20)}`],
	["hugging-face-token", `hf_${letters(60).replace(/\d/g, "").slice(0, 34)}`],
	["pypi-token", `pypi-AgE${letters(60)}`],
	["private-key", `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(30)}==\n-----END RSA PRIVATE KEY-----`],
];

describe("a sign", () => {
	it.each(Object.entries(SIGNS))(
		"of %s is seen in whatever way it is written, and wherever it stands",
		(_kind, sign) => {
			const words = fc.stringMatching(/^(?:[a-f]{1,12} ){0,6}$/);
			const around = fc.stringMatching(/^[a-f]{10,24}$/);
			// Without a flag for it the matcher's dot and classes are those of the signs; none of them ends a piece.
			const written = fc.stringMatching(new RegExp(`^(?:${sign})$`)).filter((text) => !/[\s"',;<>(){}]/.test(text));
			fc.assert(
				fc.property(words, around, written, words, (before, piece, signed, after) => {
					expect(holdsSign(`${before}${piece}${signed} ${after}`)).toBe(true);
					expect(holdsSign(`${before}${signed}${piece} ${after}`)).toBe(true);
				}),
			);
		},
	);

	it("is nowhere in words, and in no name of a file that holds none of its letters", () => {
		expect(holdsSign("the quick brown fox jumps over the lazy dog src/components/table/row-17.ts")).toBe(false);
	});
});

const star = (kind: string): string => `<${kind}>`;

describe("a secret", () => {
	it.each(SECRETS)("of the kind %s is found and replaced, and the words around it stay", (kind, secret) => {
		expect(secretKindsIn({ text: `before ${secret} after` })).toEqual([kind]);
		expect(withoutSecrets({ text: `before ${secret} after` }, star)).toEqual({ text: `before <${kind}> after` });
	});

	it("that is known by its name is replaced whole, and its name stays", () => {
		const secret = letters(40);
		const data = { env: { aws_secret_access_key: secret }, file: `AWS_SECRET_ACCESS_KEY="${secret}"\nREGION=x` };
		expect(withoutSecrets(data, star)).toEqual({
			env: { aws_secret_access_key: "<aws>" },
			file: 'AWS_SECRET_ACCESS_KEY="<aws>"\nREGION=x',
		});
	});

	it("is found behind the escapes of a JSON text, and the text stays JSON", () => {
		const secret = `ghp_${letters(36)}`;
		const escaped = `{"a":1,"token":"\\u0067${secret.slice(1)}"}`;
		expect(withoutSecrets({ args: escaped }, star)).toEqual({ args: '{"a":1,"token":"<github>"}' });
		const key = `{"key": ${JSON.stringify(SECRETS.at(-1)?.[1])}}`;
		expect(withoutSecrets({ args: key }, star)).toEqual({ args: '{"key":"<private-key>"}' });
	});

	it("is found in a name, in a list and in bytes", () => {
		const secret = `ghp_${letters(36)}`;
		const bytes = Buffer.from(`é ${secret} é`);
		expect(withoutSecrets({ [secret]: [["x", secret]] }, star)).toEqual({ "<github>": [["x", "<github>"]] });
		expect(withoutSecrets({ value: { $binary: bytes.toString("base64") } }, star)).toEqual({
			value: { $binary: Buffer.from("é <github> é").toString("base64") },
		});
		expect(secretKindsIn({ body: new Uint8Array(bytes) })).toEqual(["github"]);
	});

	it("is found beside a comment that would switch a linter off", () => {
		expect(secretKindsIn(`// secretlint-disable\nghp_${letters(36)}`)).toEqual(["github"]);
	});
});

describe("data without a secret", () => {
	it.each<[string, JsonValue]>([
		["plain words and numbers", { text: "The key to the house is under the mat.", n: 7, none: null }],
		[
			"paths, digests and ids",
			{ path: "src/components/button/index.tsx", sha: "9f86d081884c7d659a2feaa0c55ad015", id: "call_abc123" },
		],
		["an address without a password", { url: "https://example.com/a/b?c=d#e" }],
		["nesting that no stack could walk", `{"a":"\\n","deep":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
	])("is given back as it is: %s", (_what, data) => {
		expect(withoutSecrets(data, star)).toBe(data);
	});
});

describe("the spans", () => {
	it("SE1: never overlap: what is left around the replacements is the text, in order", () => {
		const words = fc.array(
			fc.oneof(
				fc.constantFrom(...SECRETS.map(([, secret]) => secret)),
				// What stands behind the escapes of addresses is read twice, and its secrets are given out twice.
				fc.string().map((text) => text.replaceAll("%", "")),
				fc.constantFrom(":", "=", "/", "@"),
			),
			{
				maxLength: 6,
			},
		);
		fc.assert(
			fc.property(words, fc.constantFrom("", " ", "\n"), (parts, between) => {
				const text = parts.join(between);
				const cut: string[] = [];
				const kept = withoutSecrets(text, (_kind, secret) => {
					cut.push(secret);
					return "\0";
				});
				expect(
					kept
						.split("\0")
						.flatMap((rest, place) => [rest, cut[place] ?? ""])
						.join(""),
				).toBe(text);
			}),
			{ numRuns: 500 },
		);
	});

	// Found by the test's time limit: what looks at all of the text at each beginning takes minutes.
	it.each([
		"-----BEGIN PRIVATE KEY-----",
		"-----BEGIN ",
		"eyJhbGciOiJIUzI1NiJ9.",
		"-eyJ",
		"-eyJhbGciOiJIUzI1NiJ9",
		"https://a:",
		"://aaa:bbb",
		"-AKIA",
		"sk-ant-",
		"ghp_",
		"-glpat-",
		"pypi-AgE-",
		"postgres://",
		"aws_secret_access_key=",
		"xoxb-",
		"SG.",
	])("of megabytes that repeat %s, the beginning of a secret, are looked for without a hang", (begun) => {
		expect(withoutSecrets(begun.repeat(6_000_000 / begun.length), () => "")).toBeDefined();
	});
});

describe("a JSON web token", () => {
	const WHOLE = /^eyJ[\w-]{8,4000}\.eyJ[\w-]{8,}\.[\w-]{16,4000}$/;
	const end = "_bcdefgh.eyJ_bcdefgh.ijklmnopqrstuvwx";
	const long = "y".repeat(3_996);
	const parts = fc.array(
		fc.constantFrom("eyJ", "eyJ", ".", "-", " ", "a", "_bcdefgh", "ijklmnopqrstuvwx", end, end, long),
		{
			maxLength: 14,
		},
	);

	it("is found wherever an expression of its whole shape finds it, and nowhere else", () => {
		fc.assert(
			fc.property(parts, (pieces) => {
				const text = pieces.join("");
				const found = lookForSecrets(text).filter(({ kind }) => kind === "json-web-token");
				for (const { start, end } of found) {
					expect(WHOLE.test(text.slice(start, end))).toBe(true);
					expect(/\w/.test(text[start - 1] ?? " ")).toBe(false);
				}
				for (const { 0: token, index } of text.matchAll(/\beyJ[\w-]{8,4000}\.eyJ[\w-]{8,}\.[\w-]{16,4000}/g)) {
					const covers = found.some(({ start, end }) => start <= index && end >= index + token.length);
					expect(covers, text).toBe(true);
				}
			}),
			{ numRuns: 2_000 },
		);
	});
});
