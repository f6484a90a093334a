package dev.backoff;

import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.RandomSource;
import dev.backoff.delay.Shape;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryCondition;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;

class RetryDeciderTests {

	private static final long MILLI = 1_000_000;

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private BooleanSupplier enabled = () -> true;

	private RandomSource random = RandomSources.middle();

	@Nested
	class Results {

		@Test
		void areGoodWithoutConditions() {
			RetryDecider decider = decider(builder().build());
			assertThat(decider.judge("any", null)).isEqualTo(AttemptOutcome.SUCCESS);
			assertThat(decider.judge((Object) null, null)).isEqualTo(AttemptOutcome.SUCCESS);
		}

		@Test
		void areFailuresIfRetryWhenSaysSo() {
			RetryDecider decider = decider(builder().retryWhen((result, context) -> result == null).build());
			assertThat(decider.judge((Object) null, "context")).isEqualTo(AttemptOutcome.RESULT);
			assertThat(decider.judge("any", "context")).isEqualTo(AttemptOutcome.SUCCESS);
		}

		@Test
		void arePendingUntilUntilSaysOtherwise() {
			RetryDecider decider = decider(builder().until((result, context) -> "done".equals(result)).build());
			assertThat(decider.judge("running", null)).isEqualTo(AttemptOutcome.PENDING);
			assertThat(decider.judge("done", null)).isEqualTo(AttemptOutcome.SUCCESS);
		}

		@Test
		void areFailuresFirstAndPendingThen() {
			RetryDecider decider = decider(builder().retryWhen((result, context) -> "bad".equals(result))
				.until((result, context) -> "done".equals(result))
				.build());
			assertThat(decider.judge("bad", null)).isEqualTo(AttemptOutcome.RESULT);
			assertThat(decider.judge("running", null)).isEqualTo(AttemptOutcome.PENDING);
			assertThat(decider.judge("done", null)).isEqualTo(AttemptOutcome.SUCCESS);
		}

		@Test
		void areJudgedWithTheirContext() {
			RetryDecider decider = decider(builder().retryWhen((result, context) -> context == result).build());
			assertThat(decider.judge("same", "same")).isEqualTo(AttemptOutcome.RESULT);
			assertThat(decider.judge("same", "other")).isEqualTo(AttemptOutcome.SUCCESS);
		}

		@Test
		void areGoodIfAConditionThrows() {
			RetryCondition failing = (result, context) -> {
				throw new AssertionError("bug");
			};
			assertThat(decider(builder().retryWhen(failing).build()).judge("any", null))
				.isEqualTo(AttemptOutcome.SUCCESS);
			assertThat(decider(builder().until(failing).build()).judge("any", null)).isEqualTo(AttemptOutcome.SUCCESS);
			assertThat(RetryDeciderTests.this.listener.hookFailures()).extracting(RetryEvent.HookFailed::hook)
				.containsExactly("retryWhen condition", "until condition");
		}

	}

	@Nested
	class Order {

		/*
		 * Each situation meets its own step and all later ones, so that a step taken too
		 * early or too late shows.
		 */
		private final RetryPolicy strict = builder().maxAttempts(1)
			.enabled(false)
			.deadline(Duration.ofMillis(1))
			.classifiers(List.of((failure) -> FailureClassification.throttled(RetryCause.HTTP_429).withPushback()))
			.build();

		private final Outcome failed = Outcome.ofRetryable(new IOException(),
				FailureClassification.throttled(RetryCause.HTTP_429).withPushback());

		@Test
		void beginsWithAGoodResult() {
			assertThat(stop(this.strict, Outcome.ofValue(AttemptOutcome.SUCCESS, "any")))
				.isEqualTo(new Decision.Stop(StopReason.SUCCEEDED));
		}

		@Test
		void thenAsksWhetherTheFailureIsWorthIt() {
			Decision.Stop refusal = new Decision.Stop(StopReason.NOT_RETRYABLE, "why");
			assertThat(stop(this.strict, Outcome.ofRefused(AttemptOutcome.PERMANENT, new IOException(), refusal)))
				.isSameAs(refusal);
		}

		@Test
		void thenWhetherRetriesAreSwitchedOn() {
			assertThat(stop(this.strict, this.failed)).isEqualTo(new Decision.Stop(StopReason.DISABLED));
			RetryDeciderTests.this.enabled = () -> false;
			assertThat(stop(builder().maxAttempts(1).deadline(Duration.ofMillis(1)).build(), this.failed))
				.isEqualTo(new Decision.Stop(StopReason.DISABLED));
		}

		@Test
		void thenWhetherAttemptsAreLeft() {
			assertThat(stop(builder().maxAttempts(1).deadline(Duration.ofMillis(1)).build(), this.failed))
				.isEqualTo(new Decision.Stop(StopReason.ATTEMPTS_EXHAUSTED));
		}

		@Test
		void thenWhatTheServerSaid() {
			assertThat(stop(builder().deadline(Duration.ofMillis(1)).build(), this.failed))
				.isEqualTo(new Decision.Stop(StopReason.HINT, "the server asked not to be called again"));
		}

		@Test
		void endsWithTheDeadline() {
			assertThat(stop(builder().deadline(Duration.ofMillis(1)).build(),
					Outcome.ofRetryable(new IOException(), null)))
				.isEqualTo(new Decision.Stop(StopReason.DEADLINE,
						"the next wait of 100 ms does not fit into the 1 ms left"));
		}

		@Test
		void letsTheRestBeRetried() {
			assertThat(decide(builder().build(), Outcome.ofRetryable(new IOException(), null)))
				.isEqualTo(new Decision.RetryAfter(100 * MILLI, 100 * MILLI, DelaySource.POLICY));
		}

	}

	@Nested
	class Switch {

		private final Outcome failed = Outcome.ofRetryable(new IOException(), null);

		@Test
		void leavesPollingOn() {
			RetryDeciderTests.this.enabled = () -> false;
			Outcome pending = Outcome.ofValue(AttemptOutcome.PENDING, "running");
			assertThat(decide(builder().build(), pending)).isInstanceOf(Decision.RetryAfter.class);
			assertThat(afterWait(builder().build(), pending)).isNull();
		}

		@Test
		void endsResultRetries() {
			RetryDeciderTests.this.enabled = () -> false;
			assertThat(stop(builder().build(), Outcome.ofValue(AttemptOutcome.RESULT, "bad")).reason())
				.isEqualTo(StopReason.DISABLED);
		}

		@Test
		void isReadAgainAfterTheWait() {
			RetryDeciderTests.this.enabled = () -> false;
			assertThat(afterWait(builder().build(), this.failed)).isEqualTo(new Decision.Stop(StopReason.DISABLED));
		}

		@Test
		void thatThrowsIsOff() {
			IllegalStateException bug = new IllegalStateException("bug");
			RetryDeciderTests.this.enabled = () -> {
				throw bug;
			};
			assertThat(stop(builder().build(), this.failed))
				.isEqualTo(new Decision.Stop(StopReason.DISABLED, "the switch failed with IllegalStateException", bug));
			assertThat(RetryDeciderTests.this.listener.hookFailures()).singleElement()
				.satisfies((event) -> assertThat(event.hook()).isEqualTo("switch"))
				.satisfies((event) -> assertThat(event.failure()).isSameAs(bug));
		}

	}

	@Nested
	class Attempts {

		private final Outcome failed = Outcome.ofRetryable(new IOException(), null);

		@Test
		void endWithTheLast() {
			RetryPolicy policy = builder().maxAttempts(3).build();
			RetryCall call = call(policy);
			assertThat(decider(policy).decide(this.failed, call, now())).isInstanceOf(Decision.RetryAfter.class);
			call.beginNext(now());
			assertThat(decider(policy).decide(this.failed, call, now())).isInstanceOf(Decision.RetryAfter.class);
			call.beginNext(now());
			assertThat(decider(policy).decide(this.failed, call, now()))
				.isEqualTo(new Decision.Stop(StopReason.ATTEMPTS_EXHAUSTED));
		}

		@Test
		void neverEndWithoutALimit() throws ReflectiveOperationException {
			RetryPolicy policy = builder().unlimitedAttempts().cap(Duration.ofSeconds(10)).build();
			RetryCall call = call(policy);
			// two billion attempts would take too long
			Field attempt = RetryCall.class.getDeclaredField("attempt");
			attempt.setAccessible(true);
			attempt.setInt(call, Integer.MAX_VALUE - 1);
			for (int i = 0; i < 3; i++) {
				assertThat(decider(policy).decide(this.failed, call, now()))
					.isEqualTo(new Decision.RetryAfter(10_000 * MILLI, 10_000 * MILLI, DelaySource.POLICY));
				call.beginNext(now());
				assertThat(call.attempt()).isEqualTo(Integer.MAX_VALUE);
			}
		}

	}

	@Nested
	class Deadline {

		private final Outcome failed = Outcome.ofRetryable(new IOException(), null);

		@ParameterizedTest
		@CsvSource({ "111000000, true", "110000001, true", "110000000, false", "100000000, false", "1, false" })
		void needsRoomForTheDelayAndAnAttempt(long deadline, boolean fits) {
			RetryPolicy policy = builder().deadline(Duration.ofNanos(deadline)).build();
			assertThat(decide(policy, this.failed) instanceof Decision.RetryAfter).isEqualTo(fits);
		}

		@Test
		void countsTheTimeOfTheAttempt() {
			RetryPolicy policy = builder().deadline(Duration.ofSeconds(1)).build();
			RetryCall call = call(policy);
			RetryDeciderTests.this.time.advance(Duration.ofMillis(889));
			assertThat(decider(policy).decide(this.failed, call, now())).isInstanceOf(Decision.RetryAfter.class);
			RetryDeciderTests.this.time.advance(Duration.ofMillis(1));
			assertThat(decider(policy).decide(this.failed, call, now())).isEqualTo(new Decision.Stop(
					StopReason.DEADLINE, "the next wait of 100 ms does not fit into the 110 ms left"));
		}

		@Test
		void thatHasPassedLeavesNothing() {
			RetryPolicy policy = builder().deadline(Duration.ofSeconds(1)).build();
			RetryCall call = call(policy);
			RetryDeciderTests.this.time.advance(Duration.ofSeconds(5));
			assertThat(decider(policy).decide(this.failed, call, now())).isEqualTo(
					new Decision.Stop(StopReason.DEADLINE, "the next wait of 100 ms does not fit into the 0 ms left"));
		}

		@Test
		void isCheckedAgainAfterTheWait() {
			RetryPolicy policy = builder().deadline(Duration.ofSeconds(1)).build();
			RetryCall call = call(policy);
			RetryDeciderTests.this.time.advance(Duration.ofMillis(999));
			assertThat(decider(policy).decideAfterWait(this.failed, call, now())).isNull();
			RetryDeciderTests.this.time.advance(Duration.ofMillis(1));
			assertThat(decider(policy).decideAfterWait(this.failed, call, now()))
				.isEqualTo(new Decision.Stop(StopReason.DEADLINE, "the wait took longer than chosen"));
		}

		@Test
		void survivesAClockThatStepsBack() {
			RetryPolicy policy = builder().deadline(Duration.ofSeconds(1)).build();
			RetryCall call = call(policy);
			RetryDeciderTests.this.time.stepBack(Duration.ofHours(1));
			assertThat(decider(policy).decide(this.failed, call, now())).isInstanceOf(Decision.RetryAfter.class);
			assertThat(call.timeLeft(now())).isEqualTo(1000 * MILLI);
		}

		@Test
		void isMeasuredAcrossTheWrapOfTheTicker() {
			VirtualTime wrapping = VirtualTime.wrappingAfter(Duration.ofMillis(500));
			RetryPolicy policy = builder().deadline(Duration.ofSeconds(1)).build();
			RetryCall call = new RetryCall(null);
			call.begin(new CallTerms(policy, wrapping), wrapping.nanoTime());
			wrapping.advance(Duration.ofMillis(800));
			assertThat(wrapping.nanoTime()).isNegative();
			assertThat(call.timeLeft(wrapping.nanoTime())).isEqualTo(200 * MILLI);
			assertThat(decider(policy).decide(this.failed, call, wrapping.nanoTime()))
				.isInstanceOf(Decision.RetryAfter.class);
			wrapping.advance(Duration.ofMillis(200));
			assertThat(decider(policy).decideAfterWait(this.failed, call, wrapping.nanoTime())).isNotNull();
		}

	}

	@Nested
	class Hints {

		/* base 100 ms without jitter, draw 0.5 for the spread */

		@ParameterizedTest
		@CsvSource({ "0, 100, POLICY", "50, 100, POLICY", "60, 110, HINT", "100, 150, HINT", "5000, 5250, HINT",
				"60000, 63000, HINT" })
		void raiseTheDelayAndSpread(long hint, long delay, DelaySource source) {
			assertThat(decide(builder().build(), hinted(Duration.ofMillis(hint))))
				.isEqualTo(new Decision.RetryAfter(delay * MILLI, 100 * MILLI, source));
		}

		@Test
		void areSpreadFromTheHintToATenthAboveIt() {
			RetryDeciderTests.this.random = RandomSources.least();
			assertThat(delay(decide(builder().build(), hinted(Duration.ofSeconds(5))))).isEqualTo(5000 * MILLI);
			RetryDeciderTests.this.random = RandomSources.greatest();
			assertThat(delay(decide(builder().build(), hinted(Duration.ofSeconds(5))))).isEqualTo(5500 * MILLI - 1);
		}

		@Test
		void areSpreadByTheBaseAtLeast() {
			RetryDeciderTests.this.random = RandomSources.greatest();
			assertThat(delay(decide(builder().build(), hinted(Duration.ofMillis(500))))).isEqualTo(600 * MILLI - 1);
		}

		@Test
		void areNotBoundByTheCap() {
			assertThat(delay(decide(builder().cap(Duration.ofMillis(200)).build(), hinted(Duration.ofSeconds(30)))))
				.isEqualTo(31_500 * MILLI);
		}

		@Test
		void ofThrottlingStandAboveTheHigherBase() {
			Outcome throttled = Outcome.ofRetryable(new IOException(),
					FailureClassification.throttled(RetryCause.HTTP_429).withHint(Duration.ofSeconds(2)));
			assertThat(decide(builder().build(), throttled))
				.isEqualTo(new Decision.RetryAfter(2500 * MILLI, 1000 * MILLI, DelaySource.HINT));
		}

		@Test
		void aboveTheMaximumStop() {
			RetryPolicy policy = builder().retryAfterMax(Duration.ofSeconds(3)).build();
			assertThat(decide(policy, hinted(Duration.ofSeconds(3)))).isInstanceOf(Decision.RetryAfter.class);
			assertThat(stop(policy, hinted(Duration.ofSeconds(3).plusNanos(1))).reason()).isEqualTo(StopReason.HINT);
			assertThat(stop(policy, hinted(Duration.ofHours(1)))).isEqualTo(new Decision.Stop(StopReason.HINT,
					"the server asked to wait 60 min, more than the 3 s of retry-after.max"));
		}

		@Test
		void ofAnyLengthNeverOverflow() {
			Duration largest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
			assertThat(stop(builder().build(), hinted(largest))).isEqualTo(new Decision.Stop(StopReason.HINT,
					"the server asked to wait unlimited, more than the 60 s of retry-after.max"));
			assertThat(delay(decide(builder().retryAfterMax(largest).build(), hinted(largest))))
				.isEqualTo(Long.MAX_VALUE);
		}

		@Test
		void beyondTheDeadlineStop() {
			assertThat(stop(builder().deadline(Duration.ofSeconds(5)).build(), hinted(Duration.ofSeconds(6))))
				.isEqualTo(new Decision.Stop(StopReason.DEADLINE,
						"the next wait of 6.3 s does not fit into the 5 s left"));
		}

		@Test
		void areIgnoredIfSwitchedOff() {
			RetryPolicy policy = builder().retryAfterEnabled(false).build();
			assertThat(delay(decide(policy, hinted(Duration.ofDays(1))))).isEqualTo(100 * MILLI);
		}

		@Test
		void donotCarryOverToTheNextDelay() {
			RetryPolicy policy = builder().shape(Shape.exponential(Duration.ofMillis(100), 2))
				.jitter(Jitter.decorrelated())
				.build();
			RetryCall call = call(policy);
			Decision.RetryAfter first = (Decision.RetryAfter) decider(policy).decide(hinted(Duration.ofSeconds(30)),
					call, now());
			assertThat(first.ownDelay()).isEqualTo(200 * MILLI);
			call.addWait(first);
			call.beginNext(now());
			assertThat(delay(decider(policy).decide(Outcome.ofRetryable(new IOException(), null), call, now())))
				.isEqualTo(350 * MILLI);
		}

		private Outcome hinted(Duration hint) {
			return Outcome.ofRetryable(new IOException(),
					FailureClassification.transientFailure(RetryCause.HTTP_503).withHint(hint));
		}

	}

	@Nested
	class Throttling {

		@Test
		void waitsFromAHigherBase() {
			Outcome throttled = Outcome.ofRetryable(new IOException(),
					FailureClassification.throttled(RetryCause.HTTP_429));
			assertThat(delay(decide(builder().build(), throttled))).isEqualTo(1000 * MILLI);
			assertThat(delay(decide(builder().throttledBase(Duration.ZERO).build(), throttled))).isEqualTo(100 * MILLI);
		}

	}

	@Nested
	class Chance {

		private final RetryPolicy full = builder().jitter(Jitter.full()).build();

		private final Outcome failed = Outcome.ofRetryable(new IOException(), null);

		@ParameterizedTest
		@CsvSource({ "-0.1", "1", "1.5", "NaN", "Infinity", "-Infinity" })
		void outsideItsRangeIsDrawnAgain(double draw) {
			RetryDeciderTests.this.random = RandomSources.always(draw);
			assertThat(delay(decide(this.full, this.failed))).isBetween(0L, 100 * MILLI - 1);
			assertThat(RetryDeciderTests.this.listener.hookFailures()).singleElement()
				.satisfies((event) -> assertThat(event.hook()).isEqualTo("random source"))
				.satisfies((event) -> assertThat(event.failure()).hasMessage("draw " + draw + " is outside [0, 1)"));
		}

		@Test
		void thatThrowsIsDrawnAgain() {
			RetryDeciderTests.this.random = RandomSources.throwing(() -> new IllegalStateException("empty"));
			assertThat(delay(decide(this.full, this.failed))).isBetween(0L, 100 * MILLI - 1);
			assertThat(RetryDeciderTests.this.listener.hookFailures()).singleElement()
				.satisfies((event) -> assertThat(event.failure()).hasMessage("empty"));
		}

		@Test
		void isNotAskedWithoutJitter() {
			RetryDeciderTests.this.random = RandomSources.scripted();
			assertThat(delay(decide(builder().build(), this.failed))).isEqualTo(100 * MILLI);
			assertThat(RetryDeciderTests.this.listener.hookFailures()).isEmpty();
		}

	}

	@Test
	void tellsListenersOfAClassifierThatThrows() {
		IllegalStateException bug = new IllegalStateException("bug");
		RetryPolicy policy = builder().classifiers(List.of((failure) -> {
			throw bug;
		})).build();
		decider(policy).judge(new IOException(), call(policy));
		assertThat(this.listener.hookFailures())
			.containsExactly(new RetryEvent.HookFailed("orders", "OrderService.place", "classifier", bug));
	}

	private static RetryPolicyBuilder builder() {
		return RetryPolicy.builder("orders").jitter(Jitter.none());
	}

	private RetryDecider decider(RetryPolicy policy) {
		ListenerChain listeners = new ListenerChain("orders", "OrderService.place", new RecordingRecorder(),
				List.of(this.listener));
		return new RetryDecider(policy, () -> this.enabled.getAsBoolean(), () -> this.random.next(), listeners,
				new Safeguards(new BreakerGate(null, listeners), null, null, new WaitingCalls()));
	}

	private RetryCall call(RetryPolicy policy) {
		RetryCall call = new RetryCall(null);
		call.begin(new CallTerms(policy, this.time), now());
		return call;
	}

	private long now() {
		return this.time.nanoTime();
	}

	private Decision decide(RetryPolicy policy, Outcome outcome) {
		return decider(policy).decide(outcome, call(policy), now());
	}

	private Decision.Stop stop(RetryPolicy policy, Outcome outcome) {
		return (Decision.Stop) decide(policy, outcome);
	}

	private Decision.Stop afterWait(RetryPolicy policy, Outcome outcome) {
		return decider(policy).decideAfterWait(outcome, call(policy), now());
	}

	private static long delay(Decision decision) {
		return ((Decision.RetryAfter) decision).delay();
	}

}
