// Lifelines
//
// Shows a test which processes live. Each holds one end of a connection, which the system closes with the process,
// however it ends; so a test waits for an event and looks at no clock.
//
// Owns:      the server's end, and a program that starts a chain of processes with a lifeline each.
// Does not:  start or end a process.

import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scratchFolder } from "./scratch-folder.js";

/**
 * The program: `node chain.mjs SOCKET NAME...` takes the first name for its own and starts itself with the others. A
 * name that begins with `apart` leads a process group of its own, `stubborn` does not end when it is asked to, and
 * `leaves` exits once the one it started is there.
 */
const CHAIN = `
import { spawn } from "node:child_process";
import { connect } from "node:net";
const [socket, name, ...others] = process.argv.slice(2);
if (name.startsWith("stubborn")) process.on("SIGTERM", () => undefined);
const line = connect(socket, () => {
	line.write(name + "\\n");
	if (others.length === 0) return;
	const detached = others[0].startsWith("apart");
	spawn(process.execPath, [process.argv[1], socket, ...others], { detached, stdio: "inherit" });
});
line.on("data", () => process.exit(0));
line.on("error", () => undefined);
`;

export class Lifelines {
	/** The arguments that start a chain. */
	readonly chain: (...names: string[]) => string[];
	readonly #alive = new Map<string, Socket>();
	#onChange = (): void => undefined;

	constructor(folder: string, server: Server, path: string) {
		this.chain = (...names) => [join(folder, "chain.mjs"), path, ...names];
		server.on("connection", (socket) => {
			let name: string | undefined;
			socket.on("data", (bytes) => {
				name = bytes.toString().trim();
				this.#alive.set(name, socket);
				this.#onChange();
			});
			socket.on("error", () => undefined);
			socket.on("close", () => {
				if (name !== undefined) this.#alive.delete(name);
				this.#onChange();
			});
		});
	}

	get alive(): string[] {
		return [...this.#alive.keys()].sort();
	}

	/** Resolves once exactly these live. */
	until(...names: string[]): Promise<void> {
		const wanted = names.sort().join();
		return new Promise((resolve) => {
			this.#onChange = () => {
				if (this.alive.join() === wanted) resolve();
			};
			this.#onChange();
		});
	}

	/** Asks one to exit by itself. */
	exit(name: string): void {
		this.#alive.get(name)?.write("exit");
	}
}

export async function lifelines(): Promise<Lifelines> {
	const folder = scratchFolder({ "chain.mjs": CHAIN });
	const server = createServer();
	const path = join(folder, "s");
	const lines = new Lifelines(folder, server, path);
	await new Promise<void>((resolve) => void server.listen(path, resolve));
	onTestFinished(() => void server.close());
	return lines;
}
