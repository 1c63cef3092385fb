// Exact edit
//
// Replaces a text in a file's bytes. The file is never made into a text and back: what is not replaced keeps its line
// ends, its byte order mark and every other byte. In UTF-8 the bytes of one character never begin inside another, so a
// text found by its bytes is the text.
//
// Owns:      finding, counting, and the bytes of the edited file.
// Does not:  read or write files (edit-file.ts).

import { EDIT_PLACES_MAX } from "../core/tool-limits.js";

export interface Edit {
	readonly oldText: string;
	/** Taken as it is: `$&` and the like mean nothing. */
	readonly newText: string;
	/** Every place; otherwise the text must occur exactly once. */
	readonly replaceAll: boolean;
}

export interface Edited {
	readonly bytes: Buffer;
	readonly replacements: number;
}

/** @throws An Error that says how often the text occurs, as the end of a sentence about the file. */
export function editExactly(before: Buffer, { oldText, newText, replaceAll }: Edit): Edited {
	const wanted = Buffer.from(oldText);
	const places = placesOf(before, wanted, replaceAll);
	if (places.length === 0) throw new Error(`does not hold the old text${lineEndHint(before, oldText)}`);
	if (places.length > 1 && !replaceAll) {
		throw new Error("holds the old text more than once; give more of what is around it, or set replaceAll");
	}
	if (places.length > EDIT_PLACES_MAX) throw new Error(`holds the old text in more than ${EDIT_PLACES_MAX} places`);
	const written = Buffer.from(newText);
	const pieces: Buffer[] = [];
	let from = 0;
	for (const place of places) {
		pieces.push(before.subarray(from, place), written);
		from = place + wanted.length;
	}
	return { bytes: Buffer.concat([...pieces, before.subarray(from)]), replacements: places.length };
}

// Two are enough to tell that one place is not meant; there `aa` is found twice in `aaa`, because either could be.
function placesOf(bytes: Buffer, wanted: Buffer, all: boolean): number[] {
	const most = all ? EDIT_PLACES_MAX + 1 : 2;
	const places: number[] = [];
	let place = bytes.indexOf(wanted);
	while (place !== -1 && places.length < most) {
		places.push(place);
		place = bytes.indexOf(wanted, place + (all ? wanted.length : 1));
	}
	return places;
}

function lineEndHint(before: Buffer, oldText: string): string {
	if (!oldText.includes("\n") || !before.includes("\r\n")) return "";
	const other = oldText.includes("\r\n") ? oldText.replaceAll("\r\n", "\n") : oldText.replaceAll("\n", "\r\n");
	const found = before.includes(other);
	return found ? `; it does with the line ends ${JSON.stringify(oldText.includes("\r\n") ? "\n" : "\r\n")}` : "";
}
