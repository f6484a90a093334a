package dev.backoff.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.time.DurationText;

/**
 * The record of a call, ended or under way. Immutable.
 *
 * @param policy the policy's name
 * @param method the method, or the label of a programmatic call
 * @param attempts the attempts in order
 * @param waits the waits in order
 * @param stop why it ended, or null while it runs
 * @param recovery what the recovery did
 * @param thrown the exception that the caller got, or null if there is none
 * @param elapsed the time from its beginning to its end, or until now
 * @since 0.1
 */
public record RecordedCall(String policy, String method, List<Attempt> attempts, List<Wait> waits,
		@Nullable StopReason stop, RecoveryOutcome recovery, @Nullable Throwable thrown, Duration elapsed) {

	/** Copy the lists. */
	public RecordedCall {
		attempts = List.copyOf(attempts);
		waits = List.copyOf(waits);
	}

	/** Return the call as text, with a line for each attempt and each wait. */
	public String story() {
		List<String> lines = new ArrayList<>();
		for (int number = 0; number <= this.attempts.size(); number++) {
			if (number > 0) {
				Attempt attempt = this.attempts.get(number - 1);
				lines.add(line(attempt.started(), String.format("attempt %d   %-9s   %s", number,
						(attempt.outcome() != null) ? attempt.outcome().tag() : "running", (attempt.failure() != null)
								? String.valueOf(attempt.failure()).lines().findFirst().orElse("") : "")));
			}
			for (Wait wait : this.waits) {
				if (wait.attempt() == number) {
					lines.add(line(wait.began(),
							"wait " + DurationText.exact(wait.delay()) + " (" + wait.source().tag() + ")"));
				}
			}
		}
		lines.add(line(this.elapsed, (this.stop == null) ? "still running"
				: "stopped: " + this.stop + ", recovered: " + this.recovery.name().toLowerCase(Locale.ROOT)));
		return String.join("\n", lines);
	}

	private static String line(Duration time, String what) {
		return String.format("%9s   %s", DurationText.exact(time), what).stripTrailing();
	}

	/**
	 * One attempt. Immutable.
	 *
	 * @param outcome how it ended, or null while it runs
	 * @param failure what it failed with, or null
	 * @param started the start of the attempt, as time since the call began
	 * @param ended the end of the attempt, as time since the call began; its start while
	 * it runs
	 * @param key the idempotency key, if its work has asked for it, or null
	 * @param replaced whether a fault took the place of its work
	 */
	public record Attempt(@Nullable AttemptOutcome outcome, @Nullable Throwable failure, Duration started,
			Duration ended, @Nullable String key, boolean replaced) {
	}

	/**
	 * A wait. Immutable.
	 *
	 * @param attempt the attempt before it, 0 if it is before the first
	 * @param began the start of the wait, as time since the call began
	 * @param delay its planned length; for a permit or a turn its actual length, zero
	 * until its end
	 * @param source where the delay comes from
	 */
	public record Wait(int attempt, Duration began, Duration delay, DelaySource source) {
	}

}
