package dev.backoff.concurrency;

import dev.backoff.concurrency.Ticket.Standing;

/**
 * The tickets of the calls that wait, in the order of their turns. Used under the lock of
 * its owner.
 */
final class TicketQueue {

	/* The tickets form a ring with this one, which is none. */
	final Ticket head;

	int size;

	TicketQueue(ConcurrencyLimit owner) {
		this.head = new Ticket(owner, Standing.OVER);
	}

	void add(Ticket ticket, boolean first) {
		ticket.next = first ? this.head.next : this.head;
		ticket.previous = ticket.next.previous;
		ticket.previous.next = ticket;
		ticket.next.previous = ticket;
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
