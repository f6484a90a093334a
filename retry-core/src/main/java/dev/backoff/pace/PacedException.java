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

	/** The time to the next turn. */
	private final Duration untilTurn;

	/**
	 * Make an exception.
	 * @param pace the pace's name
	 * @param now what the pace does
	 */
	public PacedException(String pace, Pace.Status now) {
		super("Pace " + pace + " has no turn for another attempt: " + now.waiting()
				+ ((now.waiting() == 1) ? " call waits" : " calls wait") + ", and the next turn is due in "
				+ DurationText.rounded(Nanos.of(now.untilTurn())) + "; the call was not made.");
		this.untilTurn = now.untilTurn();
	}

	/**
	 * {@return the time from the refusal to the next turn of the waiting calls}
	 */
	public Duration untilTurn() {
		return this.untilTurn;
	}

}
