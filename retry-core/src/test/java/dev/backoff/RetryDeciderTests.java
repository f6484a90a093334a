package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
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
import dev.backoff.policy.RetryCondition;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;

class RetryDeciderTests {

	private static final long MILLI = 1_000_000;

	private static final Outcome FAILED = Outcome.ofRetryable(new IOException(), null);

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
		void areFailuresIfRetryWhenSaysSoOfThemAndTheirContext() {
			RetryDecider decider = decider(builder().retryWhen((result, context) -> result == context).build());
			assertThat(decider.judge((Object) null, null)).isEqualTo(AttemptOutcome.RESULT);
			assertThat(decider.judge("same", "same")).isEqualTo(AttemptOutcome.RESULT);
			assertThat(decider.judge("same", "other")).isEqualTo(AttemptOutcome.SUCCESS);
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
		void areGoodIfAConditionThrows() {
			RetryCondition failing = (result, context) -> {
				throw new AssertionError("bug");
			};
			assertThat(decider(builder().retryWhen(failing).build()).judge("any", null))
				.isEqualTo(AttemptOutcome.SUCCESS);
			assertThat(decider(builder().until(failing).build()).judge("any", null)).isEqualTo(AttemptOutcome.SUCCESS);
			assertThat(hookFailures()).extracting(RetryEvent.HookFailed::hook)
				.containsExactly("retryWhen condition", "until condition");
		}

	}

	@Nested
	class Order {

		/*
		 * Everything speaks against a retry at first. Each row takes one objection away,
		 * so that a step taken too early or too late shows.
		 */

		private final FailureClassification pushback = FailureClassification.throttled(RetryCause.HTTP_429)
			.withPushback();

		private final Decision.Stop refusal = Decision.notRetryable("why");

		private final RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(1, 0, 0));

		private boolean on;

		private final RetryDecider decider = decider(builder().maxAttempts(2).build());

		private final Given given = new Given(Outcome.ofValue(AttemptOutcome.SUCCESS, "fine")).attempt(2)
			.shutDown()
			.refusedBy(new DecisionInput.Breaker("gateway", false, false, 0))
			.timeLeft(Duration.ofMillis(100))
			.budget(this.budget);

		@Test
		void isThatOfTheSteps() {
			switchedBy(() -> this.on);
			this.budget.tryWithdraw();
			assertStep(this.given, Decision.SUCCEEDED);
			this.given.outcome = Outcome.ofRefused(AttemptOutcome.PERMANENT, new IOException(), this.refusal);
			assertStep(this.given, this.refusal);
			this.given.outcome = Outcome.ofRetryable(new IOException(), this.pushback);
			assertStep(this.given, Decision.DISABLED);
			this.on = true;
			assertStep(this.given, Decision.ATTEMPTS_EXHAUSTED);
			this.given.attempt = 1;
			assertStep(this.given, Decision.SHUTDOWN);
			this.given.shutDown = false;
			assertStep(this.given, new Decision.Stop(StopReason.BREAKER_OPEN, "the breaker gateway is open"));
			this.given.breaker = DecisionInput.Breaker.PERMITTING;
			assertStep(this.given, new Decision.Stop(StopReason.HINT, "the server asked not to be called again"));
			this.given.outcome = FAILED;
			assertStep(this.given, deadline("the next wait of 100 ms does not fit into the 100 ms left"));
			this.given.timeLeft = Nanos.UNLIMITED;
			assertStep(this.given, new Decision.Stop(StopReason.BUDGET, "the budget gateway is spent"));
			this.given.budget = null;
			assertStep(this.given, retryAfter(100, 100, DelaySource.POLICY));
		}

		@Test
		void endsWithTheTokenThatOnlyARetryTakes() {
			switchedBy(() -> this.on);
			assertThat(this.decider.decide(this.given.build())).isEqualTo(Decision.SUCCEEDED);
			assertThat(this.budget.balance()).isEqualTo(1);
			this.on = true;
			Given paid = new Given(FAILED).budget(this.budget);
			assertStep(paid, retryAfter(100, 100, DelaySource.POLICY));
			assertThat(this.budget.balance()).isZero();
		}

		private void assertStep(Given given, Decision expected) {
			assertThat(this.decider.decide(given.build())).isEqualTo(expected);
		}

	}

	@Nested
	class ABreakerThatLetsCallsWait {

		private final DecisionInput.Breaker awaited = new DecisionInput.Breaker("gateway", false, true, 1000 * MILLI);

		@Test
		void raisesTheDelayOfFirstAttemptsAndRetriesToItsProbeAndThePolicysDelay() {
			for (Outcome outcome : Arrays.asList(null, FAILED)) {
				assertThat(decider(builder().build()).decide(new Given(outcome).refusedBy(this.awaited).build()))
					.isEqualTo(retryAfter(1100, 100, DelaySource.BREAKER));
			}
		}

		@Test
		void holdsAFirstAttemptNoLongerThanTheDeadline() {
			RetryPolicy policy = builder().deadline(Duration.ofSeconds(1)).build();
			Given given = new Given(null).refusedBy(this.awaited).timeLeft(Duration.ofSeconds(1));
			assertThat(decider(policy).decide(given.build()))
				.isEqualTo(deadline("the next wait of 1.1 s does not fit into the 1 s left"));
		}

		@Test
		void letsNoFirstAttemptWaitInAShutdown() {
			assertThat(decider(builder().build()).decide(new Given(null).refusedBy(this.awaited).shutDown().build()))
				.isEqualTo(Decision.SHUTDOWN);
		}

		@Test
		void isNotPaidTwice() {
			RetryBudget empty = RetryBudget.of("gateway", new BudgetSettings(0, 0, 0));
			Given given = new Given(FAILED).refusedBy(this.awaited).budget(empty);
			given.paid = true;
			assertThat(decider(builder().build()).decide(given.build())).isInstanceOf(Decision.RetryAfter.class);
		}

	}

	@Nested
	class ABudgetThatPostponesRetries {

		private final RetryPolicy policy = builder().postponedWhenEmpty(true).build();

		private final RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(1, 1, 0));

		private final Given given = new Given(FAILED).budget(this.budget);

		@Test
		void letsThemWaitAnotherDelay() {
			this.budget.tryWithdraw();
			assertThat(decider(this.policy).decide(this.given.build()))
				.isEqualTo(retryAfter(100, 100, DelaySource.BUDGET));
		}

		@Test
		void letsThemStartAtOnceWhenItPaysAfterAWait() {
			this.given.waitedForBudget = true;
			this.given.postponed = 1;
			this.given.timeLeft(Duration.ofMillis(50));
			assertThat(decider(this.policy).decide(this.given.build()))
				.isEqualTo(new Decision.RetryAfter(0, 200 * MILLI, DelaySource.POLICY));
		}

		@Test
		void stopsThemAtTheDeadline() {
			this.budget.tryWithdraw();
			this.given.waitedForBudget = true;
			this.given.timeLeft(Duration.ofMillis(50));
			assertThat(decider(this.policy).decide(this.given.build()))
				.isEqualTo(deadline("the next wait of 100 ms does not fit into the 50 ms left"));
		}

		@Test
		void chargesNothingForAResultThatIsNotFinal() {
			this.given.outcome = Outcome.ofValue(AttemptOutcome.PENDING, "running");
			decider(this.policy).decide(this.given.build());
			assertThat(this.budget.balance()).isEqualTo(1);
		}

	}

	@Nested
	class Switch {

		@Test
		void leavesPollingOn() {
			switchedBy(() -> false);
			Outcome pending = Outcome.ofValue(AttemptOutcome.PENDING, "running");
			assertThat(decide(builder().build(), pending)).isInstanceOf(Decision.RetryAfter.class);
			assertThat(afterWait(builder().build(), pending)).isNull();
		}

		@Test
		void endsResultRetries() {
			switchedBy(() -> false);
			assertThat(stop(builder().build(), Outcome.ofValue(AttemptOutcome.RESULT, "bad")).reason())
				.isEqualTo(StopReason.DISABLED);
		}

		@Test
		void thatThrowsIsOff() {
			IllegalStateException bug = new IllegalStateException("bug");
			switchedBy(() -> {
				throw bug;
			});
			assertThat(stop(builder().build(), FAILED)).isEqualTo(
					new Decision.Stop(StopReason.DISABLED, "the switch failed with IllegalStateException", bug, false));
			assertThat(hookFailures()).singleElement()
				.satisfies((event) -> assertThat(event.hook()).isEqualTo("switch"))
				.satisfies((event) -> assertThat(event.failure()).isSameAs(bug));
		}

	}

	@Nested
	class Attempts {

		private final Given given = new Given(FAILED);

		@Test
		void neverEndWithoutALimit() {
			RetryPolicy policy = builder().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS)
				.cap(Duration.ofSeconds(10))
				.build();
			for (int attempt : new int[] { Integer.MAX_VALUE - 1, Integer.MAX_VALUE }) {
				this.given.postponed = 1;
				assertThat(decider(policy).decide(this.given.attempt(attempt).build()))
					.isEqualTo(new Decision.RetryAfter(10_000 * MILLI, 10_000 * MILLI, DelaySource.POLICY));
			}
		}

	}

	@Nested
	class Deadline {

		private final RetryPolicy policy = builder().deadline(Duration.ofSeconds(1)).build();

		@ParameterizedTest
		@CsvSource({ "111000000, true", "110000001, true", "110000000, false", "100000000, false", "1, false" })
		void needsRoomForTheDelayAndAnAttempt(long timeLeft, boolean fits) {
			Given given = new Given(FAILED).timeLeft(Duration.ofNanos(timeLeft));
			assertThat(decider(this.policy).decide(given.build()) instanceof Decision.RetryAfter).isEqualTo(fits);
		}

		@Test
		void thatHasPassedLeavesNothing() {
			Given given = new Given(FAILED).timeLeft(Duration.ofSeconds(-4));
			assertThat(decider(this.policy).decide(given.build()))
				.isEqualTo(deadline("the next wait of 100 ms does not fit into the 0 ms left"));
		}

		@Test
		void isCheckedAgainAfterTheWait() {
			assertThat(decider(this.policy).decideAfterWait(FAILED, MILLI, false)).isNull();
			assertThat(decider(this.policy).decideAfterWait(FAILED, 0, false))
				.isEqualTo(deadline("the wait took longer than chosen"));
			assertThat(decider(this.policy).decideAfterWait(null, 0, false)).isEqualTo(Decision.OVERSLEPT);
		}

		@Test
		void isCheckedAfterTheWaitOnceTheApplicationGoesOn() {
			assertThat(decider(this.policy).decideAfterWait(FAILED, 0, true)).isEqualTo(Decision.SHUTDOWN);
			assertThat(decider(this.policy).decideAfterWait(null, 1, true)).isNull();
		}

	}

	@Nested
	class TheFinalPoll {

		/* draws of 0, 0.5 and just below 1, with a delay of 30 s */

		private final RetryPolicy policy = builder().base(Duration.ofSeconds(30)).build();

		private final Given given = new Given(Outcome.ofValue(AttemptOutcome.PENDING, "running"))
			.timeLeft(Duration.ofMillis(20_010));

		@ParameterizedTest
		@CsvSource({ "0, 0, 10000", "0, 0.5, 15000", "10, 0.5, 15000", "4010, 0, 8000", "4010, 0.5, 12000" })
		void leavesRoomForAnAttemptLikeTheOneBefore(long attempt, double draw, long delay) {
			draw(RandomSources.always(draw));
			this.given.attemptNanos = attempt * MILLI;
			assertThat(decide()).isEqualTo(new Decision.RetryAfter(delay * MILLI, 30_000 * MILLI, DelaySource.POLICY));
		}

		@Test
		void alwaysLeavesThatRoom() {
			draw(RandomSources.greatest());
			assertThat(delay(decide())).isBetween(19_999 * MILLI, 20_000 * MILLI - 1);
		}

		@Test
		void isOnlyAskedWhereNoDelayFits() {
			this.given.timeLeft(Duration.ofSeconds(31));
			assertThat(delay(decide())).isEqualTo(30_000 * MILLI);
		}

		@Test
		void isAskedOnce() {
			this.given.finalPoll = true;
			assertThat(decide()).isEqualTo(deadline("the answer to the final poll was not final"));
			this.given.timeLeft(Duration.ofHours(1));
			assertThat(decide()).isEqualTo(Decision.STILL_PENDING);
		}

		@Test
		void doesNotEndTheRetriesOfAFailureAfterIt() {
			this.given.finalPoll = true;
			this.given.outcome = FAILED;
			this.given.timeLeft(Duration.ofHours(1));
			assertThat(delay(decide())).isEqualTo(30_000 * MILLI);
		}

		@Test
		void isAskedAfterAPendingResultOnly() {
			for (Outcome other : List.of(FAILED, Outcome.ofValue(AttemptOutcome.RESULT, "bad"))) {
				this.given.outcome = other;
				assertStops();
			}
		}

		@Test
		void isNotAskedWhereTheAttemptBeforeTookAsLongAsIsLeft() {
			this.given.attemptNanos = 20_010 * MILLI;
			assertStops();
		}

		@Test
		void isNotAskedBeforeTheBreakerPermits() {
			this.given.refusedBy(new DecisionInput.Breaker("gateway", false, true, 14_999 * MILLI));
			assertThat(delay(decide())).isEqualTo(15_000 * MILLI);
			this.given.refusedBy(new DecisionInput.Breaker("gateway", false, true, 15_000 * MILLI));
			assertThat(decide()).isEqualTo(deadline("the next wait of 45 s does not fit into the 20 s left"));
		}

		@Test
		void canBeSwitchedOff() {
			RetryPolicy policy = builder().base(Duration.ofSeconds(30)).finalPoll(false).build();
			assertThat(decider(policy).decide(this.given.build())).isInstanceOf(Decision.Stop.class);
		}

		private void assertStops() {
			assertThat(decide()).isEqualTo(deadline("the next wait of 30 s does not fit into the 20 s left"));
		}

		private Decision decide() {
			return decider(this.policy).decide(this.given.build());
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

		@ParameterizedTest
		@CsvSource({ "5000, 5000, 5500", "500, 500, 600" })
		void areSpreadToATenthAboveThemAndByTheBaseAtLeast(long hint, long least, long most) {
			draw(RandomSources.least());
			assertThat(delay(decide(builder().build(), hinted(Duration.ofMillis(hint))))).isEqualTo(least * MILLI);
			draw(RandomSources.greatest());
			assertThat(delay(decide(builder().build(), hinted(Duration.ofMillis(hint))))).isEqualTo(most * MILLI - 1);
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
			assertThat(decide(builder().build(), throttled)).isEqualTo(retryAfter(2500, 1000, DelaySource.HINT));
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
				.isEqualTo(deadline("the next wait of 6.3 s does not fit into the 5 s left"));
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
			Decision.RetryAfter first = (Decision.RetryAfter) decide(policy, hinted(Duration.ofSeconds(30)));
			assertThat(first.ownDelay()).isEqualTo(200 * MILLI);
			Given next = new Given(FAILED).attempt(2);
			next.previousDelay = first.ownDelay();
			assertThat(delay(decider(policy).decide(next.build()))).isEqualTo(350 * MILLI);
		}

		private Outcome hinted(Duration hint) {
			return Outcome.ofRetryable(new IOException(),
					FailureClassification.transientFailure(RetryCause.HTTP_503).withHint(hint));
		}

	}

	@Nested
	class Chance {

		private final RetryPolicy full = builder().jitter(Jitter.full()).build();

		@ParameterizedTest
		@CsvSource({ "-0.1", "1", "1.5", "NaN", "Infinity", "-Infinity" })
		void outsideItsRangeIsDrawnAgain(double draw) {
			draw(RandomSources.always(draw));
			assertDrawnAgain("draw " + draw + " is outside [0, 1)");
		}

		@Test
		void thatThrowsIsDrawnAgain() {
			draw(RandomSources.throwing(() -> new IllegalStateException("empty")));
			assertDrawnAgain("empty");
		}

		private void assertDrawnAgain(String problem) {
			assertThat(delay(decide(this.full, FAILED))).isBetween(0L, 100 * MILLI - 1);
			assertThat(hookFailures()).singleElement()
				.satisfies((event) -> assertThat(event.hook()).isEqualTo("random source"))
				.satisfies((event) -> assertThat(event.failure()).hasMessage(problem));
		}

		@Test
		void isNotAskedWithoutJitter() {
			draw(RandomSources.scripted());
			assertThat(delay(decide(builder().build(), FAILED))).isEqualTo(100 * MILLI);
			assertThat(hookFailures()).isEmpty();
		}

	}

	@Test
	void waitsFromAHigherBaseWhereTheServerThrottles() {
		Outcome throttled = Outcome.ofRetryable(new IOException(),
				FailureClassification.throttled(RetryCause.HTTP_429));
		assertThat(delay(decide(builder().build(), throttled))).isEqualTo(1000 * MILLI);
		assertThat(delay(decide(builder().throttledBase(Duration.ZERO).build(), throttled))).isEqualTo(100 * MILLI);
	}

	@Test
	void tellsListenersOfAClassifierThatThrows() {
		IllegalStateException bug = new IllegalStateException("bug");
		RetryPolicy policy = builder().classifiers(List.of((failure) -> {
			throw bug;
		})).build();
		decider(policy).judge(new IOException(), new CallState(null));
		assertThat(this.listener.hookFailures())
			.containsExactly(new RetryEvent.HookFailed("orders", "OrderService.place", "classifier", bug));
	}

	private void draw(RandomSource random) {
		this.random = random;
	}

	private void switchedBy(BooleanSupplier enabled) {
		this.enabled = enabled;
	}

	private List<RetryEvent.HookFailed> hookFailures() {
		return this.listener.hookFailures();
	}

	private static Decision retryAfter(long delay, long ownDelay, DelaySource source) {
		return new Decision.RetryAfter(delay * MILLI, ownDelay * MILLI, source);
	}

	private static Decision deadline(String why) {
		return new Decision.Stop(StopReason.DEADLINE, why);
	}

	private static RetryPolicyBuilder builder() {
		return RetryPolicy.builder("orders").jitter(Jitter.none());
	}

	private RetryDecider decider(RetryPolicy policy) {
		CallEvents events = new CallEvents("orders", "OrderService.place", new RecordingRecorder(),
				List.of(this.listener), List.of());
		return new RetryDecider(policy,
				CallSettings.Switch.safe(policy, () -> this.enabled.getAsBoolean(),
						(ex) -> events.hookFailed("switch", ex)),
				RandomSource.safe(() -> this.random.next(), (ex) -> events.hookFailed("random source", ex)), events);
	}

	private Decision decide(RetryPolicy policy, Outcome outcome) {
		Given given = new Given(outcome);
		given.timeLeft = policy.deadlineNanos();
		return decider(policy).decide(given.build());
	}

	private Decision.Stop stop(RetryPolicy policy, Outcome outcome) {
		return (Decision.Stop) decide(policy, outcome);
	}

	private Decision.Stop afterWait(RetryPolicy policy, Outcome outcome) {
		return decider(policy).decideAfterWait(outcome, policy.deadlineNanos(), false);
	}

	private static long delay(Decision decision) {
		return ((Decision.RetryAfter) decision).delay();
	}

	/** What is to be decided: by default after a first attempt that nothing limits. */
	private static final class Given {

		private Outcome outcome;

		private int attempt = 1;

		private int postponed;

		private long previousDelay;

		private boolean paid;

		private boolean waitedForBudget;

		private long attemptNanos;

		private boolean finalPoll;

		private long timeLeft = Nanos.UNLIMITED;

		private boolean shutDown;

		private DecisionInput.Breaker breaker = DecisionInput.Breaker.PERMITTING;

		private RetryBudget budget;

		Given(Outcome outcome) {
			this.outcome = outcome;
		}

		Given attempt(int attempt) {
			this.attempt = attempt;
			return this;
		}

		Given timeLeft(Duration timeLeft) {
			this.timeLeft = timeLeft.toNanos();
			return this;
		}

		Given shutDown() {
			this.shutDown = true;
			return this;
		}

		Given refusedBy(DecisionInput.Breaker breaker) {
			this.breaker = breaker;
			return this;
		}

		Given budget(RetryBudget budget) {
			this.budget = budget;
			return this;
		}

		DecisionInput build() {
			return new DecisionInput(this.outcome, this.attempt, this.postponed, this.previousDelay, this.paid,
					this.waitedForBudget, this.attemptNanos, this.finalPoll, this.timeLeft, this.shutDown, this.breaker,
					false, (this.budget != null) ? this.budget.newCall(0) : null);
		}

	}

}
