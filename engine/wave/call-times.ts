// Call times
//
// The numbers that are noted of a wave's calls, in one list for the whole wave. A number with a fraction is an object of
// its own wherever an object keeps it: in a long wave there would be several of them a call, and the garbage collector
// moves every one for as long as the wave lasts.
//
// Owns:      the list, and which number of a call stands where in it.
// Does not:  read a clock, or work out where a call's time went (call-timing.ts).

const AT = 0;
const TURN = 1;
const BEGAN = 2;
const RAN = 3;
const LOCK = 4;
const GATE = 5;
const WRAP = 6;
const AWAY = 7;
const COLUMNS = 8;

/** The numbers of as many calls; none of the calls has begun, and all other numbers are 0. */
export class CallTimes {
	readonly #count: number;
	// Column after column and not call after call: most waves leave the last columns untouched.
	readonly #numbers: Float64Array;

	constructor(count: number) {
		this.#count = count;
		this.#numbers = new Float64Array(count * COLUMNS);
		this.#numbers.fill(Number.NaN, BEGAN * count, (BEGAN + 1) * count);
	}

	read(column: number, index: number): number {
		return this.#numbers[column * this.#count + index] ?? 0;
	}

	write(column: number, index: number, value: number): void {
		this.#numbers[column * this.#count + index] = value;
	}
}

/** A call with its numbers. */
export class TimedCall {
	readonly index: number;
	readonly #times: CallTimes;

	constructor(index: number, times: CallTimes) {
		this.index = index;
		this.#times = times;
	}

	/** The stamp of its admission. */
	get at(): number {
		return this.#times.read(AT, this.index);
	}

	set at(stamp: number) {
		this.#times.write(AT, this.index, stamp);
	}

	/** When its turn came, by the clock's monotonic reading. */
	get turnMs(): number {
		return this.#times.read(TURN, this.index);
	}

	set turnMs(readingMs: number) {
		this.#times.write(TURN, this.index, readingMs);
	}

	/** When its work began, by the same reading; `undefined` before. */
	get beganMs(): number | undefined {
		const readingMs = this.#times.read(BEGAN, this.index);
		return Number.isNaN(readingMs) ? undefined : readingMs;
	}

	set beganMs(readingMs: number | undefined) {
		this.#times.write(BEGAN, this.index, readingMs ?? Number.NaN);
	}

	get ranMs(): number {
		return this.#times.read(RAN, this.index);
	}

	set ranMs(tookMs: number) {
		this.#times.write(RAN, this.index, tookMs);
	}

	/** Waited for its keys before it began. */
	get lockMs(): number {
		return this.#times.read(LOCK, this.index);
	}

	set lockMs(tookMs: number) {
		this.#times.write(LOCK, this.index, tookMs);
	}

	/** Waited for its step's gate after its turn had come. */
	get gateMs(): number {
		return this.#times.read(GATE, this.index);
	}

	set gateMs(tookMs: number) {
		this.#times.write(GATE, this.index, tookMs);
	}

	/** From its turn to the first time it asked for its keys or its slot; middleware took it. */
	get wrapMs(): number {
		return this.#times.read(WRAP, this.index);
	}

	set wrapMs(tookMs: number) {
		this.#times.write(WRAP, this.index, tookMs);
	}

	/** Waited for keys, and for a slot again, after it had begun. */
	get awayMs(): number {
		return this.#times.read(AWAY, this.index);
	}

	set awayMs(tookMs: number) {
		this.#times.write(AWAY, this.index, tookMs);
	}
}
