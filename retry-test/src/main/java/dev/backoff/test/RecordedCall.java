package dev.backoff.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * A retried call, as far as it has come. Immutable.
 *
 * @param policy the policy's name
 * @param method the method, or the label of a programmatic call
 * @param attempts the attempts in order
 * @param waits the waits in order
 * @param key its idempotency key, or null if its work has not asked for it
 * @param stop why it ended, or null while it runs
 * @param recovery what the recovery did
 * @param thrown what the caller got thrown, or null if it got a result
 * @param elapsed the time from its beginning to its end, or until now
 * @since 0.1
 */
public record RecordedCall(String policy, String method, List<RecordedAttempt> attempts, List<Wait> waits,
		@Nullable String key, @Nullable StopReason stop, RecoveryOutcome recovery, @Nullable Throwable thrown,
		Duration elapsed) {

	/** Copy the lists. */
	public RecordedCall {
		attempts = List.copyOf(attempts);
		waits = List.copyOf(waits);
	}

	/** Return the call as text, with a line for each attempt and each wait. */
	public String story() {
		List<Event> events = new ArrayList<>();
		for (int number = 0; number <= this.attempts.size(); number++) {
			int last = number;
			if (number > 0) {
				events.add(event(number, this.attempts.get(number - 1)));
			}
			this.waits.stream().filter((wait) -> wait.attempt() == last).forEach((wait) -> events.add(event(wait)));
		}
		String end = (this.stop == null) ? "still running"
				: "stopped: " + this.stop + ", recovered: " + this.recovery.name().toLowerCase(Locale.ROOT);
		events.add(new Event(text(this.elapsed), end));
		int width = events.stream().mapToInt((event) -> event.time().length()).max().orElse(0);
		return events.stream()
			.map((event) -> " ".repeat(width - event.time().length() + 1) + event.time() + "   " + event.what())
			.collect(Collectors.joining("\n"));
	}

	private static Event event(int number, RecordedAttempt attempt) {
		String outcome = (attempt.outcome() != null) ? attempt.outcome().tag() : "running";
		String failure = (attempt.failure() != null) ? attempt.failure().getClass().getName() : "";
		return new Event(text(attempt.started()),
				String.format("attempt %d   %-9s   %s", number, outcome, failure).stripTrailing());
	}

	private static Event event(Wait wait) {
		return new Event(text(wait.began()), "wait " + text(wait.delay()) + " (" + wait.source().tag() + ")");
	}

	private static String text(Duration time) {
		return DurationText.story(Nanos.of(time));
	}

	private record Event(String time, String what) {
	}

	/**
	 * A wait. Immutable.
	 *
	 * @param attempt the attempt before it, 0 if it is before the first
	 * @param began the time from the beginning of the call
	 * @param delay how long it was to be
	 * @param source where that comes from
	 */
	public record Wait(int attempt, Duration began, Duration delay, DelaySource source) {
	}

}
