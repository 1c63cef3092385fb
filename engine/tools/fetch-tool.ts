// Fetching a page
//
// A read that reaches outside: one request without a body, cookies or credentials. It starts early only where the host
// allows any read to, since the request itself tells the other side something.
//
// Owns:      the declaration, and how much of a page is read.
// Does not:  choose what may be reached: whatever this process can, its own machine included. Policies refuse calls.

import { TextDecoder } from "node:util";
import { z } from "zod";
import { type Tool, tool } from "../core/tool.js";
import type { ToolContext } from "../core/tool-context.js";
import { FETCH_BYTES_MAX, FETCH_MS_MAX } from "../core/tool-limits.js";

/**
 * `fetch_page`: fetches a page by HTTP, follows redirects, and answers its status and text.
 *
 * At most 1,048,576 bytes are read; of a longer page the beginning is answered with a `remark`. A fetch that takes longer
 * than 30 seconds is `TIMED_OUT`. A status that is no success is an answer, not an error. It reaches whatever this
 * process can reach: list a policy where that is too much.
 *
 * @remarks Since 0.1.0.
 * @public
 */
export function fetchTool(): Tool {
	return tool({
		name: "fetch_page",
		description: "Fetches a web page, or any text that a URL leads to.",
		parameters: z.strictObject({ url: z.url({ protocol: /^https?$/ }).describe("An http or https URL") }),
		effect: "read",
		annotations: { readOnlyHint: true, openWorldHint: true },
		timeout: FETCH_MS_MAX,
		presentation: ({ url }) => ({ title: `Fetch ${url}` }),
		execute: fetchPage,
	});
}

async function fetchPage({ url }: { readonly url: string }, { signal }: ToolContext) {
	const reply = await fetch(url, { signal }).catch((error: Error) => {
		// The reason, such as a refused connection, is in the cause; the message says no more than that it failed.
		const why = error.cause instanceof Error ? error.cause.message : error.message;
		throw new Error(`${url} could not be fetched: ${why}.`, { cause: error });
	});
	const contentType = reply.headers.get("content-type") ?? "";
	const about = { url: reply.url, status: reply.status, contentType };
	if (!isTextual(contentType)) {
		await reply.body?.cancel();
		return { ...about, remark: "not text, so it was not read" };
	}
	const { bytes, more } = await readHead(reply);
	const text = decoderFor(contentType).decode(bytes, { stream: more });
	return { ...about, text, ...(more && { remark: `only the first ${bytes.length} bytes` }) };
}

async function readHead(reply: Response): Promise<{ readonly bytes: Buffer; readonly more: boolean }> {
	const pieces: Uint8Array[] = [];
	let left = FETCH_BYTES_MAX;
	// Leaving the loop early cancels the body and with it the connection.
	for await (const piece of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
		pieces.push(piece.subarray(0, left));
		if (piece.length > left) return { bytes: Buffer.concat(pieces), more: true };
		left -= piece.length;
	}
	return { bytes: Buffer.concat(pieces), more: false };
}

/** A page that does not say what it is, is most often text. */
function isTextual(contentType: string): boolean {
	return contentType === "" || /^text\/|[/+](?:json|xml|javascript|yaml|x-www-form-urlencoded)\b/i.test(contentType);
}

function decoderFor(contentType: string): TextDecoder {
	const label = /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ?? "utf-8";
	try {
		return new TextDecoder(label);
	} catch {
		return new TextDecoder();
	}
}
