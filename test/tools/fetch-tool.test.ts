// fetch_page
//
// A page from a server of the test's own: what is answered, and every bound.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolContext } from "../../engine/core/tool-context.js";
import { FETCH_BYTES_MAX } from "../../engine/core/tool-limits.js";
import { fetchTool } from "../../engine/tools/fetch-tool.js";
import { quietContext } from "../support/quiet-context.js";

async function served(answer: RequestListener): Promise<string> {
	const server = createServer(answer);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function fetched(url: string, context: ToolContext = quietContext()) {
	const { execute } = fetchTool();
	if (typeof execute !== "function") throw new Error("fetch_page runs inline");
	return execute({ url }, context);
}

describe("fetch_page", () => {
	it("answers the text by its charset, the status whatever it is, and where redirects led", async () => {
		const url = await served((request, reply) => {
			if (request.url === "/from") reply.writeHead(302, { location: "/to" }).end();
			else {
				reply.writeHead(404, { "content-type": "text/plain; charset=latin1" });
				reply.end(Buffer.from([0x63, 0xe9]));
			}
		});
		expect(await fetched(`${url}/from`)).toEqual({
			url: `${url}/to`,
			status: 404,
			contentType: "text/plain; charset=latin1",
			text: "cé",
		});
	});

	it("stops an endless page at its bound, between characters, and lets the connection go", async () => {
		let closed: Promise<unknown> | undefined;
		const url = await served((_request, reply) => {
			closed = once(reply, "close");
			reply.writeHead(200, { "content-type": "text/html" });
			reply.write("x");
			const more = (): void => void reply.write("é".repeat(50_000), more);
			more();
		});
		const answer = (await fetched(url)) as { text: string; remark: string };
		expect(Buffer.byteLength(answer.text)).toBe(FETCH_BYTES_MAX - 1);
		expect(answer.text).not.toContain("\uFFFD");
		expect(answer.remark).toBe(`only the first ${FETCH_BYTES_MAX} bytes`);
		await closed;
	});

	it("does not read what is no text", async () => {
		const url = await served((_request, reply) => {
			reply.writeHead(200, { "content-type": "image/png" }).end("png");
		});
		expect(await fetched(url)).toMatchObject({ status: 200, remark: "not text, so it was not read" });
	});

	it("ends a fetch that is called off while the page is awaited, and says why one could not be made", async () => {
		const controller = new AbortController();
		const url = await served(() => controller.abort(new Error("enough")));
		await expect(fetched(url, quietContext({ signal: controller.signal }))).rejects.toThrow("enough");
		await expect(fetched("http://127.0.0.1:1/")).rejects.toThrow("http://127.0.0.1:1/ could not be fetched: ");
	});

	it("takes http and https alone, and is a read of the open world", () => {
		const { parameters, annotations, effect } = fetchTool();
		const takes = (url: string) => !("issues" in (parameters["~standard"].validate({ url }) as object));
		expect(["https://a.test/", "http://a.test", "file:///etc/passwd", "data:,x", "a.test"].map(takes)).toEqual([
			true,
			true,
			false,
			false,
			false,
		]);
		expect(effect).toBe("read");
		expect(annotations?.openWorldHint).toBe(true);
	});
});
