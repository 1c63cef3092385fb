// What a refusal of a door says, and what is looked at before something leaves. The table of all effects and rules is in
// effects-and-verdicts.test.ts.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { doors, tool } from "../../engine/index.js";
import { benchOf, shorts, toolOf } from "../support/law-kit.js";
import { called, refusal, verdict, viewOf } from "./policy-kit.js";

const SECRET = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;

describe("a door", () => {
	it("judges the effect that the tool declares for these arguments", async () => {
		const areaOf = (args: unknown) => ((args as { n: number }).n === 1 ? "notes" : "system");
		const put = toolOf("put", () => "done", { effect: (args) => ({ write: areaOf(args) }) });
		const { engine } = benchOf({ tools: [put], policies: [doors({ write: { notes: "allow" } })] });
		const wave = await engine.executeWave([1, 2].map((n) => ({ id: "", name: "put", args: { n } })));
		expect(shorts(wave)).toEqual(['"done"', "DENIED"]);
		expect(wave.results[1]?.outcome).toMatchObject({
			error: { message: "The door for write(system) is closed.", details: { rule: "door.write" } },
		});
	});

	it("that asks is a refusal where nobody can be asked, before anything runs", async () => {
		const spawn = toolOf("spawn", () => expect.unreachable("the tool ran"), { effect: "spawn" });
		const { engine } = benchOf({ tools: [spawn], policies: [doors()], asker: "none" });
		const { results } = await engine.executeWave([{ id: "", name: "spawn", args: {} }]);
		expect(results[0]?.outcome).toMatchObject({ error: { code: "DENIED", details: { rule: "no-asker" } } });
	});

	it("asks with the tool, its effect and what its arguments would carry out, and never with the secret", () => {
		const view = viewOf({ effect: { connector: "mail" }, args: { body: SECRET } });
		const said = verdict(doors({ secrets: "ask" }), called("post", { body: SECRET }), view);
		expect(said).toEqual({
			ask: { kind: "door", door: "connector", tool: "post", effect: "connector(mail)", secrets: ["github"] },
		});
	});
});

describe("the look at outgoing arguments", () => {
	it("finds a secret in what the model wrote and in what the schema made of it", () => {
		const policy = doors();
		const hidden = Buffer.from(SECRET).toString("base64");
		for (const [raw, args] of [
			[{ body: SECRET }, {}],
			[{ body: hidden }, { body: SECRET }],
			[`{"b":"\\u0067${SECRET.slice(1)}"}`, {}],
		]) {
			const { rule, violation } = refusal(verdict(policy, called("send", raw), viewOf({ effect: "egress", args })));
			expect([rule, violation]).toEqual(["door.secrets", expect.stringContaining("(github)")]);
			expect(violation).not.toContain(SECRET);
		}
	});

	it("happens before the tool runs, and reads pass without it", async () => {
		const text = z.object({ text: z.string() });
		const sent: string[] = [];
		const send = tool({
			name: "send",
			parameters: text,
			effect: "egress",
			execute: ({ text }) => void sent.push(text),
		});
		const look = tool({ name: "look", parameters: text, effect: "read", execute: () => "seen" });
		const { engine } = benchOf({ tools: [send, look], policies: [doors()] });
		const call = (name: string, said: string) => ({ id: "", name, args: { text: said } });
		const wave = await engine.executeWave([call("send", "hello"), call("send", SECRET), call("look", SECRET)]);
		expect(shorts(wave)).toEqual(["nothing", "DENIED", '"seen"']);
		expect(sent).toEqual(["hello"]);
	});
});

describe("the options of doors", () => {
	it.each<[string, unknown, string]>([
		["a door that does not exist", { wirte: "deny" }, '"wirte" is not known; perhaps "write" is meant'],
		["a rule that does not exist", { write: "maybe" }, 'write is "maybe"'],
		["one in a table", { connector: { mail: "maybe" } }, 'connector.mail is "maybe"'],
		["a table for a door that has no places", { spawn: { x: "deny" } }, "spawn is"],
	])("are refused for %s", (_what, options, named) => {
		const made = () => doors(options as never);
		expect(made).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(named) }));
	});
});
