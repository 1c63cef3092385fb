// Growing text, against plain concatenation.

import fc from "fast-check";
import { expect, test } from "vitest";
import { GrowingText } from "../../engine/streams/growing-text.js";

test("GT1: the text is that of all pieces in their order, whenever it is asked for and however many there are", () => {
	const piece = fc.record({
		text: fc.string({ maxLength: 4 }),
		times: fc.constantFrom(1, 2, 511, 512, 513),
		ask: fc.boolean(),
	});
	fc.assert(
		fc.property(fc.string({ maxLength: 4 }), fc.array(piece, { maxLength: 8 }), (beginning, pieces) => {
			const growing = new GrowingText(beginning);
			let expected = beginning;
			for (const { text, times, ask } of pieces) {
				for (let time = 0; time < times; time += 1) growing.append(text);
				expected += text.repeat(times);
				expect(growing.length).toBe(expected.length);
				if (ask) expect(growing.text()).toBe(expected);
			}
			expect(growing.text()).toBe(expected);
		}),
	);
});
