// Which names are one name is asked of the folder, here of folders that answer differently.

import { describe, expect, it } from "vitest";
import { NameFolding, type NameLookup } from "../../engine/locks/name-folding.js";

interface FolderKind {
	readonly fold: (name: string) => string;
	readonly names: readonly string[];
}

const exact = (name: string): string => name;
const noCase = (name: string): string => name.normalize("NFC").toLowerCase();
const noForm = (name: string): string => name.normalize("NFC");

/** Folders by their real path; each takes two names for one as its `fold` says. Counts what it is asked. */
class FakeNames implements NameLookup {
	asked = 0;
	readonly #folders: Record<string, FolderKind>;

	constructor(folders: Record<string, FolderKind>) {
		this.#folders = folders;
	}

	async identify(path: string): Promise<string | undefined> {
		this.asked += 1;
		const cut = path.lastIndexOf("/");
		const [folder, name] = [path.slice(0, cut) || "/", path.slice(cut + 1)];
		const kind = this.#folders[folder];
		const stored =
			kind?.names.find((one) => one === name) ?? kind?.names.find((one) => kind.fold(one) === kind.fold(name));
		return stored === undefined ? undefined : `${folder}/${stored.replace(/^twin-/i, "")}`;
	}

	async *names(folder: string): AsyncGenerator<string> {
		this.asked += 1;
		yield* this.#folders[folder]?.names ?? [];
	}
}

const E_ACUTE = "\u00e9";
const E_THEN_ACUTE = "e\u0301";

function folding(folders: Record<string, FolderKind>): {
	readonly fold: (path: string) => Promise<string>;
	names: FakeNames;
} {
	const names = new FakeNames(folders);
	const fold = new NameFolding(names);
	return { fold: (path) => fold.fold(path), names };
}

describe("NameFolding", () => {
	it("leaves names alone where the folder tells cases and forms apart", async () => {
		const { fold } = folding({
			"/": { fold: exact, names: ["Notes", E_THEN_ACUTE] },
			"/Notes": { fold: exact, names: ["A.md"] },
		});
		for (const path of ["/Notes/A.md", "/Notes/a.md", `/Notes/${E_THEN_ACUTE}`, `/${E_THEN_ACUTE}`, "/"]) {
			expect(await fold(path)).toBe(path);
		}
	});

	it("folds case and form together where the folder folds case, also of a file that is missing", async () => {
		const { fold } = folding({ "/": { fold: noCase, names: ["Notes"] }, "/Notes": { fold: noCase, names: ["A.md"] } });
		expect(await fold("/Notes/A.md")).toBe(await fold("/notes/a.MD"));
		expect(await fold(`/Notes/NEW${E_ACUTE}`)).toBe(await fold(`/NOTES/new${E_THEN_ACUTE}`));
		expect(await fold("/Notes/stra\u00dfe")).toBe(await fold("/Notes/STRASSE"));
	});

	it("folds only the form where the folder folds only that", async () => {
		const { fold } = folding({ "/": { fold: noForm, names: [E_ACUTE, "Notes"] } });
		expect(await fold(`/${E_ACUTE}`)).toBe(await fold(`/${E_THEN_ACUTE}`));
		expect(await fold("/Notes")).not.toBe(await fold("/notes"));
	});

	it("asks each folder for itself: one that folds inside one that does not", async () => {
		const { fold } = folding({ "/": { fold: exact, names: ["Mixed"] }, "/Mixed": { fold: noCase, names: ["A.md"] } });
		expect(await fold("/Mixed/A.md")).toBe("/Mixed/a.md");
		expect(await fold("/mixed/A.md")).toBe("/mixed/A.md");
	});

	it("takes an empty or missing folder to fold as the folder around it does", async () => {
		const { fold } = folding({ "/": { fold: noCase, names: ["empty", "07"] }, "/empty": { fold: noCase, names: [] } });
		expect(await fold("/empty/New.md")).toBe("/empty/new.md");
		expect(await fold("/Absent/New.md")).toBe("/absent/new.md");
		expect(await fold("/07/New.md")).toBe("/07/new.md");
	});

	it("folds also where the first name it is asked for is the other spelling of a stored one", async () => {
		for (const [stored, asked] of [
			["README", "readme"],
			["ReadMe.md", "rEADmE.MD"],
			["README", "Readme"],
		] as const) {
			const { fold } = folding({ "/": { fold: noCase, names: [stored] } });
			expect(await fold(`/${asked}`)).toBe(await fold(`/${stored}`));
		}
		const { fold } = folding({ "/": { fold: noForm, names: [E_ACUTE] } });
		expect(await fold(`/${E_THEN_ACUTE}`)).toBe(await fold(`/${E_ACUTE}`));
	});

	it("remembers nothing that it saw while the file was replaced, taken away or renamed", async () => {
		const kind = { fold: noCase, names: ["Note.md"] };
		for (const at of [1, 2, 3, 4, 5]) {
			for (const becomes of ["another file", undefined]) {
				const names = new FakeNames({ "/": kind });
				const fold = new NameFolding(names);
				const identify = names.identify.bind(names);
				let looks = 0;
				names.identify = async (path) => {
					looks += 1;
					return looks < at ? identify(path) : becomes;
				};
				await fold.fold("/Note.md");
				names.identify = identify;
				expect(await fold.fold("/Note.md"), `${becomes} from look ${at} on`).toBe("/note.md");
			}
		}
		const renamed = new FakeNames({ "/": kind });
		renamed.names = async function* () {
			yield "nOTE.MD";
		};
		expect(await new NameFolding(renamed).fold("/Note.md")).toBe("/note.md");
	});

	it("takes hard links that differ in case for two names", async () => {
		const { fold } = folding({ "/": { fold: exact, names: ["twin-", "TWIN-"] } });
		expect(await fold("/twin-")).toBe("/twin-");
		expect(await fold("/TWIN-")).toBe("/TWIN-");
	});

	it("asks a folder once", async () => {
		const { fold, names } = folding({
			"/": { fold: noCase, names: ["Notes"] },
			"/Notes": { fold: noCase, names: ["A.md"] },
		});
		await fold("/Notes/A.md");
		const { asked } = names;
		for (const path of ["/Notes/A.md", "/Notes/b.md", "/Notes/C"]) await fold(path);
		expect(names.asked).toBe(asked);
	});
});
