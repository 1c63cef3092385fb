// Linked list
//
// A queue from whose middle anything can leave at the same cost: an aborted wait gives up its place among thousands. An
// array with a head index would keep the place of the aborted one, a `Set` slows down as a long queue.
//
// Owns:      the order of its nodes.
// Does not:  hold them: the links live in the nodes themselves, so a node stands in one list at a time.

export interface Linked<Node> {
	previous: Node | undefined;
	next: Node | undefined;
}

export class LinkedList<Node extends Linked<Node>> {
	first: Node | undefined = undefined;
	last: Node | undefined = undefined;

	/** Adds the node before another of the list, or at the end. */
	add(node: Node, before?: Node): void {
		const previous = before === undefined ? this.last : before.previous;
		node.previous = previous;
		node.next = before;
		if (previous === undefined) this.first = node;
		else previous.next = node;
		if (before === undefined) this.last = node;
		else before.previous = node;
	}

	remove(node: Node): void {
		const { previous, next } = node;
		if (previous === undefined) this.first = next;
		else previous.next = next;
		if (next === undefined) this.last = previous;
		else next.previous = previous;
		node.previous = undefined;
		node.next = undefined;
	}
}
