package dev.backoff.test;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import dev.backoff.event.StopReason;
import dev.backoff.time.DurationText;

/**
 * Assertions on all calls of a name. Those of {@link CallAssert} hold for the only call,
 * and fail with all stories if there are several.
 *
 * @since 0.1
 */
public final class CallsAssert extends CallAssert {

	CallsAssert(String name, List<RecordedCall> calls, Function<String, AssertionError> unrecorded) {
		super(name, calls, unrecorded);
	}

	@Override
	public CallsAssert as(String description, Object... arguments) {
		super.as(description, arguments);
		return this;
	}

	/** Verify the number of calls. */
	public CallsAssert calls(int expected) {
		return all(this.actual.size() == expected, "be called " + expected + " times",
				"was called " + this.actual.size() + " times");
	}

	/** Verify the number of calls. */
	public CallsAssert hasSize(int expected) {
		return calls(expected);
	}

	/** Verify that there was no call. */
	public CallsAssert none() {
		return calls(0);
	}

	/** Verify the number of all attempts after the first. */
	public CallsAssert retries(int expected) {
		int made = this.actual.stream().mapToInt((call) -> Math.max(0, call.attempts().size() - 1)).sum();
		return all(made == expected, "make " + expected + " retries", "made " + made);
	}

	/** Verify that there were calls and each succeeded. */
	public CallsAssert allSucceeded() {
		long succeeded = this.actual.stream().filter((call) -> call.stop() == StopReason.SUCCEEDED).count();
		return all(succeeded > 0 && succeeded == this.actual.size(), "succeed each time",
				"did in " + succeeded + " of " + this.actual.size() + " calls");
	}

	/**
	 * Verify that there were calls and each retry began the given time after the attempt
	 * before, or later.
	 */
	public CallsAssert noRetryWithin(Duration least) {
		boolean kept = !this.actual.isEmpty() && this.actual.stream()
			.map(RecordedCall::attempts)
			.allMatch((attempts) -> IntStream.range(1, attempts.size())
				.allMatch((i) -> pause(attempts.get(i - 1), attempts.get(i)).compareTo(least) >= 0));
		return all(kept, "retry nothing within " + DurationText.exact(least),
				this.actual.isEmpty() ? "was not called" : "did");
	}

	private static Duration pause(RecordedAttempt attempt, RecordedAttempt next) {
		return next.started().minus(attempt.started()).minus(attempt.took());
	}

	/** Choose a call, counted from 1. */
	public CallAssert call(int number) {
		return all(number >= 1 && number <= this.actual.size(), "have call " + number + ", counted from 1",
				"was called " + this.actual.size() + " times")
			.only(number);
	}

	private CallsAssert all(boolean holds, String expected, String but) {
		verify(holds, expected, but);
		return this;
	}

}
