// Outside client
//
// Another process that queries a ledger's database and closes it, as a person with a command line does. The last client of
// all to close takes the log away; whether it is the last, it asks of the system's locks.
//
// Owns:      that process, and one that holds a lock until it is told to let go.
// Does not:  use this package.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** The database is closed as the process ends. */
const COUNT = `
const Database = require("libsql");
const [path] = process.argv.slice(1);
console.log(new Database(path).prepare("SELECT count(*) FROM records").raw().get()[0]);
`;

const HOLD = `
const Database = require("libsql");
const [path] = process.argv.slice(1);
const database = new Database(path);
database.exec("BEGIN IMMEDIATE");
console.log("holds");
process.stdin.on("data", () => {
	database.exec("COMMIT");
	process.exit();
});
`;

/** How many records another process counts, which has closed the database when this returns. */
export function recordsOutside(path: string): number {
	return Number(execFileSync(process.execPath, ["-e", COUNT, path], { cwd: ROOT, encoding: "utf8" }));
}

/** Another process that has begun to write; resolves, once it has, to what lets it go and waits for its end. */
export async function writingOutside(path: string): Promise<() => Promise<void>> {
	const child = spawn(process.execPath, ["-e", HOLD, path], { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
	await once(child.stdout, "data");
	return async () => {
		const ended = once(child, "exit");
		child.stdin.write("now\n");
		await ended;
	};
}
