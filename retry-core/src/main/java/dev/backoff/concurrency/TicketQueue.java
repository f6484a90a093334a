package dev.backoff.concurrency;

/**
 * The tickets of the calls that wait, in the order of their arrival. Used under the lock
 * of its owner.
 */
final class TicketQueue {

	/* The tickets form a ring with this one, which is none. */
	final Ticket head = new Ticket();

	int size;

	void add(Ticket ticket) {
		ticket.previous = this.head.previous;
		ticket.next = this.head;
		ticket.previous.next = ticket;
		this.head.previous = ticket;
		this.size++;
	}

	void remove(Ticket ticket) {
		ticket.previous.next = ticket.next;
		ticket.next.previous = ticket.previous;
		ticket.previous = ticket;
		ticket.next = ticket;
		this.size--;
	}

}
