// Delta text
//
// How much a model wrote in one line of a recording: the texts below a field named `delta`, which is what the formats
// that stream in pieces share. Labels that repeat in every event (ids, types) are not the model's writing.
//
// Owns:      that measure, for the pace of a replay.
// Does not:  read the stream; the engine's own reader does.

const LABELS: ReadonlySet<string> = new Set(["id", "type", "role", "stop_reason", "signature", "name"]);

/** How many characters the model wrote in one line of a recording; 0 for a line that carries none. */
export function writtenChars(line: string): number {
	const json = line.startsWith("data:") ? line.slice(5).trim() : line.trim();
	if (!json.startsWith("{")) return 0;
	try {
		return deltaChars(JSON.parse(json));
	} catch {
		return 0;
	}
}

function deltaChars(value: unknown): number {
	if (typeof value !== "object" || value === null) return 0;
	return Object.entries(value).reduce(
		(sum, [key, inner]) => sum + (key === "delta" ? textChars(inner) : deltaChars(inner)),
		0,
	);
}

function textChars(value: unknown): number {
	if (typeof value === "string") return value.length;
	if (typeof value !== "object" || value === null) return 0;
	return Object.entries(value).reduce((sum, [key, inner]) => (LABELS.has(key) ? sum : sum + textChars(inner)), 0);
}
