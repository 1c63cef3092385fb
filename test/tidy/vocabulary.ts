// Vocabulary
//
// One word a concept. A synonym in a file name or an exported name makes readers look for a difference that is not
// there.
//
// Owns:      the words, what they displace, and where a displaced word means something else.
// Does not:  search (rules.ts).

/** Each word and the words it displaces. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
	run: ["session"],
	step: ["round"],
	wave: ["batch", "group"],
	call: ["task", "job"],
	effect: ["capability"],
	safe: ["parallel"],
	segment: ["chunk"],
	face: ["handler"],
	ticket: ["token"],
	policy: ["hook"],
	settle: ["finish"],
	outcome: ["response"],
	"reorder buffer": ["queue", "sorter"],
	ledger: ["log", "journal"],
	barrier: ["flush"],
	ahead: ["prefetch"],
	lock: ["mutex"],
	door: ["guard"],
	taint: ["dirty"],
	question: ["prompt"],
	checkpoint: ["snapshot"],
};

/** Names that hold a displaced word and mean something else by it. */
export const OTHER_MEANINGS: Readonly<Record<string, string>> = {
	DEFAULT_MAX_PARALLEL_TOOL_CALLS: "the public name of the bound, known from the library this one is compatible with",
	"openai-responses": "the provider's name of its API, and of the format that users name",
	OpenaiResponsesReader: "reads the format of that API",
	"finish-reason": "the providers' word for why a reply ended",
	FinishReason: "the providers' word for why a reply ended",
	"key-queue": "who waits for one key, first come first served; it restores no order",
	KeyQueue: "who waits for one key, first come first served; it restores no order",
	Job: "what an executor is given: code, arguments and context, of a call or of an early start that may become none",
	BeginHooks: "what an executor calls back; not a rule about calls",
};
