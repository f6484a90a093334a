package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Function;

import dev.backoff.time.DurationText;

/**
 * The times of a call that did not succeed at once. Of a long story the first and the
 * last three are kept, so that an unlimited call does not grow.
 */
final class CallStory {

	private static final int KEPT = 3;

	private final List<RetriesStoppedException.Wait> waits = new ArrayList<>(2 * KEPT);

	private final List<Duration> attempts = new ArrayList<>(2 * KEPT);

	private long waitCount;

	private long attemptCount;

	void attempt(long nanos) {
		add(this.attempts, Duration.ofNanos(nanos));
		this.attemptCount++;
	}

	void wait(long nanos, DelaySource source) {
		add(this.waits, new RetriesStoppedException.Wait(Duration.ofNanos(nanos), source));
		this.waitCount++;
	}

	List<RetriesStoppedException.Wait> waits() {
		return List.copyOf(this.waits);
	}

	List<Duration> attempts() {
		return List.copyOf(this.attempts);
	}

	boolean isAbridged() {
		return this.attemptCount > 2 * KEPT;
	}

	/** Return the waits as text, empty if there were none. */
	String waitsText() {
		return text(this.waits, this.waitCount, RetriesStoppedException.Wait::toString);
	}

	/** Return how long the attempts took as text. */
	String attemptsText() {
		return text(this.attempts, this.attemptCount, (time) -> DurationText.story(time.toNanos()));
	}

	private static <T> String text(List<T> times, long count, Function<T, String> text) {
		StringJoiner joined = new StringJoiner(", ");
		for (int i = 0; i < times.size(); i++) {
			if (i == KEPT && count > 2 * KEPT) {
				joined.add("…");
			}
			joined.add(text.apply(times.get(i)));
		}
		return joined.toString();
	}

	private static <T> void add(List<T> times, T time) {
		if (times.size() == 2 * KEPT) {
			times.remove(KEPT);
		}
		times.add(time);
	}

}
