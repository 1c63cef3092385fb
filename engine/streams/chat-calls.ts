// Chat calls
//
// Which call a fragment of a Chat Completions stream belongs to. OpenAI's own stream gives every fragment an index and
// the first one an id and a name; its dialects leave out or repeat each of the three. Whatever the fragments say, a call
// whose fragments are not told apart by an index of its own is in doubt: it starts nothing early, and its closed form
// decides.
//
// Owns:      the identity of the calls of one reply, by index, id and name, in that order.
// Does not:  know when a call is closed (openai-chat.ts).

import type { Reply } from "./reply.js";
import type { StreamedCall } from "./streamed-call.js";
import { wholeArguments } from "./whole-arguments.js";
import { asFields, asPlace, asText, type Fields, isFields } from "./wire-event.js";

interface Fragment {
	readonly place: number | undefined;
	readonly id: string;
	readonly name: string;
	readonly argsText: string;
}

export class ChatCalls {
	readonly #reply: Reply;
	/** The latest call at each index that the provider gave. */
	readonly #byPlace = new Map<number, StreamedCall>();
	readonly #byId = new Map<string, StreamedCall>();
	#latest: StreamedCall | undefined;
	#highestPlace = -1;
	#guessed = false;

	constructor(reply: Reply) {
		this.#reply = reply;
	}

	/**
	 * Takes the fragments of one event. Complete calls are reported after the last of them, since a later fragment of the
	 * same event may cast doubt on an earlier one.
	 */
	take(fragments: readonly unknown[]): void {
		const touched: StreamedCall[] = [];
		for (const fragment of fragments) {
			const call = this.#takeFragment(readFragment(asFields(fragment)));
			if (call === undefined || this.#reply.ended) return;
			touched.push(call);
		}
		for (const call of touched) this.#reply.reportComplete(call);
	}

	/** A fragment without index and id was given to the latest of several calls, and some call does not read well. */
	get misplacedFragments(): boolean {
		return this.#guessed && this.#reply.calls.some((call) => !call.argumentsHaveClosed);
	}

	#takeFragment(fragment: Fragment): StreamedCall | undefined {
		const known = this.#find(fragment);
		const call = known === undefined ? this.#begin(fragment) : this.#recognise(known, fragment);
		this.#latest = call;
		if (fragment.place !== undefined) this.#byPlace.set(fragment.place, call);
		if (call.id !== "") this.#byId.set(call.id, call);
		if (fragment.argsText === "") return call;
		if (call.isClosed) {
			this.#reply.fail({ problem: `arguments came for call ${call.index} after the reply's finish reason` });
			return undefined;
		}
		this.#reply.append(call, fragment.argsText);
		return call;
	}

	#find(fragment: Fragment): StreamedCall | undefined {
		const { place, id, name } = fragment;
		const here = place === undefined ? undefined : this.#byPlace.get(place);
		if (here !== undefined) return isAnother(here, fragment) ? undefined : here;
		const known = id === "" ? undefined : this.#byId.get(id);
		// A piece at an index of its own that repeats an id begins a call if it has a name, since providers repeat ids.
		if (place !== undefined) return name === "" ? known : undefined;
		if (known !== undefined) return isNamedLike(known, name) ? known : undefined;
		const latest = this.#latest;
		if (id !== "" || latest === undefined) return undefined;
		if (!isNamedLike(latest, name) || isAnother(latest, fragment)) return undefined;
		this.#guessed ||= this.#reply.calls.length > 1;
		return latest;
	}

	#begin({ place, id, name }: Fragment): StreamedCall {
		const call = this.#reply.begin({ id, name, kind: "json" });
		const shared = place === undefined ? undefined : this.#byPlace.get(place);
		shared?.doubt();
		if (place === undefined || place <= this.#highestPlace) call.doubt();
		this.#highestPlace = Math.max(this.#highestPlace, place ?? -1);
		return call;
	}

	#recognise(call: StreamedCall, { place, id, name }: Fragment): StreamedCall {
		if (place === undefined || this.#byPlace.get(place) !== call) call.doubt();
		if (call.id === "" && id !== "") call.identify({ id });
		if (call.name === "") {
			call.identify({ name });
		} else if (name !== "" && name !== call.name) {
			// A name in pieces; whether it goes on is not known before the call is closed.
			call.identify({ name: call.name + name });
			call.doubt();
		}
		return call;
	}
}

function isNamedLike(call: StreamedCall, name: string): boolean {
	return name === "" || call.name === "" || call.name === name;
}

/** Whether a fragment at the place of a call begins another call. */
function isAnother(here: StreamedCall, { id, name, argsText }: Fragment): boolean {
	if (id !== "" && here.id !== "") return id !== here.id;
	if (name === "" || !here.hasArguments) return false;
	return !isNamedLike(here, name) || (here.name !== "" && here.argumentsHaveClosed && argsText.trim() !== "");
}

function readFragment(fields: Fields): Fragment {
	const of = asFields(fields.function);
	const args = of.arguments;
	return {
		place: asPlace(fields.index),
		id: asText(fields.id),
		name: asText(of.name),
		argsText: isFields(args) ? wholeArguments(args).text : asText(args),
	};
}
