// What a call could discard by the texts among its arguments.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NET_PATHS_MAX } from "../../engine/core/limits.js";
import { stakesOf } from "../../engine/policy/call-stakes.js";
import { judged, netted, write } from "./net-kit.js";
import { refusal } from "./policy-kit.js";

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `${at}.txt`);

describe("the texts among a call's arguments", () => {
	it("are all looked at, however many lists they stand in", () => {
		const paths = names(NET_PATHS_MAX);
		const half = paths.length / 2;
		const args = { first: paths.slice(0, half), further: { paths: [paths.slice(half)] } };
		const found = stakesOf({ tool: "delete_files", args }, "/root").map((stake) => "path" in stake && stake.path);
		expect(found).toEqual(paths.map((path) => join("/root", path)));
	});

	it("have the call refused where they are more than are looked at, as one of the rest may be a file", async () => {
		const { net } = netted({ "a.txt": "1" }, { git: false });
		const { rule, violation } = refusal(await judged(net, write({ paths: [...names(NET_PATHS_MAX), "a.txt"] })));
		expect([rule, violation]).toEqual(["checkpoint-net", expect.stringContaining("may name more than 10000 paths")]);
	});
});
