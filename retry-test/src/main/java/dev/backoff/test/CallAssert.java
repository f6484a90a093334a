package dev.backoff.test;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.time.DurationText;

/**
 * Assertions on all calls of a name, or on its only or chosen call. A failure prints the
 * story of the calls. Calls, attempts and waits are counted from 1. Durations are
 * compared exactly and written as in {@code application.yml}, such as {@code 500ms},
 * {@code 2s} or {@code 5m}.
 *
 * @since 0.1
 */
public final class CallAssert extends AbstractAssert<CallAssert, List<RecordedCall>> {

	private static final int MOST_STORIES = 5;

	private static final Map<String, ChronoUnit> UNITS = Map.of("ns", ChronoUnit.NANOS, "us", ChronoUnit.MICROS, "ms",
			ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d",
			ChronoUnit.DAYS);

	private final String name;

	CallAssert(String name, List<RecordedCall> calls) {
		super(calls, CallAssert.class);
		this.name = name;
	}

	/** Verify the number of calls. */
	public CallAssert calls(int expected) {
		int made = this.actual.size();
		return verify(made == expected, "be called " + expected + " times", "was called " + made + " times");
	}

	/** Verify the number of retries of all calls together. */
	public CallAssert retries(int expected) {
		int made = this.actual.stream().mapToInt((call) -> Math.max(0, call.attempts().size() - 1)).sum();
		return verify(made == expected, "make " + expected + " retries", "made " + made);
	}

	/** Verify that there were calls and each succeeded. */
	public CallAssert allSucceeded() {
		long succeeded = this.actual.stream().filter((call) -> call.stop() == StopReason.SUCCEEDED).count();
		return verify(succeeded > 0 && succeeded == this.actual.size(), "succeed each time",
				"did in " + succeeded + " of " + this.actual.size() + " calls");
	}

	/** Choose a call by its number. */
	public CallAssert call(int number) {
		int made = this.actual.size();
		verify(number >= 1 && number <= made, "have call " + number + ", counted from 1",
				"was called " + made + " times");
		return new CallAssert(this.name, List.of(this.actual.get(number - 1)));
	}

	/** Verify the number of attempts, the first included. */
	public CallAssert attempts(int expected) {
		int made = call().attempts().size();
		return verify(made == expected, "make " + expected + " attempts", "made " + made);
	}

	/** Verify that the first attempt succeeded. */
	public CallAssert succeededOnFirstAttempt() {
		return verify(call().stop() == StopReason.SUCCEEDED && call().attempts().size() == 1, "succeed at once", end());
	}

	/** Verify that an attempt succeeded. */
	public CallAssert succeeded() {
		return verify(call().stop() == StopReason.SUCCEEDED, "succeed", end());
	}

	/** Verify why the call ended. */
	public CallAssert stopped(StopReason expected) {
		return verify(call().stop() == expected, "stop as " + expected, end());
	}

	/** Verify all waits, by their text, or that there was none. */
	public CallAssert waited(String... expected) {
		List<Duration> delays = Stream.of(expected).map(CallAssert::duration).toList();
		return verify(waits().equals(delays), "wait " + text(delays), "waited " + text(waits()));
	}

	/** Verify that there are waits and each is within a range, bounds included. */
	public CallAssert waitedBetween(String least, String greatest) {
		boolean within = waits().stream().allMatch((wait) -> isWithin(wait, least, greatest));
		return verify(within && !waits().isEmpty(), "wait from " + least + " to " + greatest + " each time",
				"waited " + text(waits()));
	}

	/** Verify that the sum of all waits is within a range, bounds included. */
	public CallAssert waitedInAll(String least, String greatest) {
		Duration sum = waits().stream().reduce(Duration.ZERO, Duration::plus);
		return verify(isWithin(sum, least, greatest), "wait from " + least + " to " + greatest + " in all",
				"waited " + text(List.of(sum)));
	}

	/** Verify where the delay of a wait comes from. */
	public CallAssert waitSource(int wait, DelaySource expected) {
		return verifyOne("wait", wait, call().waits(), RecordedCall.Wait::source, expected);
	}

	/** Verify how an attempt ended. */
	public CallAssert outcome(int attempt, AttemptOutcome expected) {
		return verifyOne("attempt", attempt, call().attempts(), RecordedCall.Attempt::outcome, expected);
	}

	/** Verify the failure of the last attempt, even if the call recovered from it. */
	public CallAssert failedWith(Class<? extends Throwable> expected) {
		List<RecordedCall.Attempt> attempts = call().attempts();
		Throwable failure = attempts.isEmpty() ? call().thrown() : attempts.get(attempts.size() - 1).failure();
		return verify(expected.isInstance(failure), "fail with " + expected.getName(),
				(failure != null) ? "failed with " + failure : "did not fail");
	}

	/** Verify that the recovery returned. */
	public CallAssert recovered() {
		return verify(call().recovery() == RecoveryOutcome.DONE, "recover",
				end() + " with recovery " + call().recovery());
	}

	/** Verify the time from the beginning of the call to its end. */
	public CallAssert took(Duration expected) {
		return verify(call().stop() != null && call().elapsed().equals(expected), "take " + text(List.of(expected)),
				"took " + text(List.of(call().elapsed())));
	}

	/**
	 * Verify that the work ran in two attempts or more, and asked in each of them for its
	 * idempotency key, which is the same at each attempt.
	 */
	public CallAssert sameKeyAtEachAttempt() {
		long ran = call().attempts().stream().filter((attempt) -> !attempt.replaced()).count();
		long asked = call().attempts().stream().filter((attempt) -> attempt.key() != null).count();
		return verify(asked == ran && ran > 1,
				"ask for its idempotency key in each attempt of its work, and in two or more",
				"did in " + asked + " of " + ran);
	}

	private <T> CallAssert verifyOne(String what, int number, List<T> all, Function<T, @Nullable Object> value,
			Object expected) {
		Object found = (number >= 1 && number <= all.size()) ? value.apply(all.get(number - 1)) : "missing";
		return verify(expected.equals(found), "have " + what + " " + number + " as " + expected, "is " + found);
	}

	private String end() {
		return (call().stop() != null) ? "ended as " + call().stop() : "is still running";
	}

	private List<Duration> waits() {
		return call().waits().stream().map(RecordedCall.Wait::delay).toList();
	}

	private static boolean isWithin(Duration delay, String least, String greatest) {
		return delay.compareTo(duration(least)) >= 0 && delay.compareTo(duration(greatest)) <= 0;
	}

	private static Duration duration(String text) {
		String number = text.replaceFirst("\\D.*", "");
		ChronoUnit unit = UNITS.get(text.substring(number.length()));
		if (number.isEmpty() || unit == null) {
			throw new IllegalArgumentException(
					"Invalid duration (" + text + "): must be a number and a unit, such as 500ms, 2s, 5m, 3h or 1d.");
		}
		return Duration.of(Long.parseLong(number), unit);
	}

	private static String text(List<Duration> delays) {
		return delays.isEmpty() ? "nothing"
				: delays.stream().map(DurationText::exact).collect(Collectors.joining(", "));
	}

	private RecordedCall call() {
		int size = this.actual.size();
		verify(size == 1, "be called once",
				"was called " + size + " times" + ((size > 1) ? "; write call(k) for one" : ""));
		return this.actual.get(0);
	}

	private CallAssert verify(boolean holds, String expected, String but) {
		if (!holds) {
			failWithMessage("%s", "Expecting " + this.name + " to " + expected + ", but it " + but
					+ (this.actual.isEmpty() ? "." : ":\n" + stories()));
		}
		return this;
	}

	/* Those that did not succeed come first. */
	private String stories() {
		if (this.actual.size() == 1) {
			return this.actual.get(0).story();
		}
		return IntStream.range(0, this.actual.size())
			.boxed()
			.sorted(Comparator.comparing((i) -> this.actual.get(i).stop() == StopReason.SUCCEEDED))
			.limit(MOST_STORIES)
			.map((i) -> "call " + (i + 1) + ", " + this.actual.get(i).method() + "\n" + this.actual.get(i).story())
			.collect(Collectors.joining("\n\n"));
	}

}
