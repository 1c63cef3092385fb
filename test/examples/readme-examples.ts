// README examples
//
// The TypeScript blocks of a README, and what each prints. A block that is followed by words ending in "prints:" and a
// block of text is run; one marked with a file's name (`ts tools.ts`) is written under it, for others to import; one
// marked `ts fragment` shows a shape and is only compiled. Any other is refused: nothing goes unexecuted by accident.
//
// Owns:      finding the blocks.
// Does not:  run them (readme.test.ts).

export interface Example {
	/** The name the block's file gets. */
	readonly fileName: string;
	readonly code: string;
	/** What running it prints; left out for a file that others import. */
	readonly prints?: string;
}

interface Fence {
	readonly info: readonly string[];
	readonly text: string;
	/** The words between the block before and this one. */
	readonly before: string;
}

export function examplesOf(markdown: string): Example[] {
	const fences = fencesOf(markdown);
	return fences.flatMap(({ info, text }, at) => {
		const [language, mark] = info;
		const next = fences[at + 1];
		if (language !== "ts" || mark === "fragment") return [];
		const prints = next?.info[0] === "text" && /\bprints:\s*$/.test(next.before) ? next.text : undefined;
		if (mark === undefined && prints === undefined) {
			throw new Error(`A block is not run, and is not marked as a fragment:\n${text}`);
		}
		return [{ fileName: mark ?? `example-${at}.ts`, code: text, ...(prints !== undefined && { prints }) }];
	});
}

/** The fragments, each as a module that begins with a declaration of what the words around it take for granted. */
export function fragmentsOf(markdown: string, takenForGranted: string): string[] {
	const fragments = fencesOf(markdown).filter(({ info }) => info[0] === "ts" && info[1] === "fragment");
	return fragments.map(({ text }) => `${takenForGranted}\nexport async function shown() {\n${text}}\n`);
}

function fencesOf(markdown: string): Fence[] {
	const found = markdown.matchAll(/(.*?)^```(\w[^\n]*)\n(.*?)^```$/gms);
	return [...found].map(([, before = "", info = "", text = ""]) => ({ before, info: info.trim().split(/\s+/), text }));
}
