package dev.backoff.pace;

import java.io.Serial;
import java.time.Duration;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Thrown when a call gets no turn of its {@link Pace}, before the work is called. It is
 * never retried, and no breaker counts it as a failure.
 *
 * @since 0.1
 */
public class PacedException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/** The pace's name. */
	private final String pace;

	/** How many calls waited. */
	private final int waiting;

	/** The time to the next turn. */
	private final Duration untilTurn;

	/**
	 * Make an exception.
	 * @param pace the pace's name
	 * @param waiting how many calls waited for a turn
	 * @param untilTurn the time to the next turn, zero or more
	 */
	public PacedException(String pace, int waiting, Duration untilTurn) {
		super("Pace " + pace + " has no turn for another attempt: " + waiting
				+ ((waiting == 1) ? " call waits" : " calls wait") + ", and the next turn is due in "
				+ DurationText.rounded(Nanos.of(untilTurn)) + "; the call was not made.");
		this.pace = pace;
		this.waiting = waiting;
		this.untilTurn = untilTurn;
	}

	/**
	 * {@return the pace's name}
	 */
	public String pace() {
		return this.pace;
	}

	/**
	 * {@return how many calls waited for a turn when this call was refused}
	 */
	public int waiting() {
		return this.waiting;
	}

	/**
	 * {@return the time from the refusal to the next turn, for which others waited}
	 */
	public Duration untilTurn() {
		return this.untilTurn;
	}

}
