// JSON line
//
// A value as one line of JSON, for programs that read the command. Binary is written as the ledger writes it, as
// `{"$binary": base64}`: a list of numbers would be four times as long.
//
// Owns:      how a value is written for a program.
// Does not:  print it (output.ts).

export function jsonLine(value: unknown): string {
	return JSON.stringify(value, (_key, inner: unknown) =>
		inner instanceof Uint8Array ? { $binary: Buffer.from(inner).toString("base64") } : inner,
	);
}
