package dev.backoff;

import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;

class ResumedCallTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final Exception failure = new IOException("down");

	private static ResumedCall kept(int attempts) {
		return new ResumedCall("key", 7, attempts, HOUR, null, Duration.ofSeconds(1), false, 0, null, null);
	}

	private static ResumedCall withTimeLeft(Duration timeLeft) {
		return new ResumedCall("key", 7, 2, HOUR, timeLeft, Duration.ofSeconds(1), false, 0, null, null);
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(4);
	}

	private RetryBuilder builder(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.random(() -> 0)
			.listener(this.listener)
			.recorder(this.recorder);
	}

	private static ResumedCall.Result attempt(Retry retry, ResumedCall call,
			Operation<@Nullable Object, Exception> operation) {
		return retry.<Object, @Nullable Object, Exception>attemptOn(call, "context",
				(context, number) -> operation.run(), null);
	}

	private ResumedCall.Result fail(Retry retry, ResumedCall call) {
		return attempt(retry, call, () -> {
			throw this.failure;
		});
	}

	@Test
	void anAttemptKnowsItsNumberKeyAndFence() {
		List<Attempt> seen = new ArrayList<>();
		Retry retry = builder(policy()).build();
		assertThat(attempt(retry, kept(2), () -> seen.add(Attempt.current()))).isEqualTo(new ResumedCall.Done(false));
		assertThat(seen.get(0).number()).isEqualTo(3);
		assertThat(seen.get(0).idempotencyKey()).isEqualTo("key");
		assertThat(seen.get(0).fence()).isEqualTo(7);
		assertThat(Attempt.current().fence()).isZero();
	}

	@Test
	void aCallWhoseFirstFailureWasElsewhereIsRescuedFromAnotherCause() {
		FailureClassifier classifier = (failure) -> FailureClassification.transientFailure(RetryCause.IO);
		Retry retry = builder(policy().classifiers(List.of(classifier))).build();
		assertThat(fail(retry, kept(1))).isInstanceOf(ResumedCall.Again.class);
		assertThat(attempt(retry, kept(0), () -> "fine")).isEqualTo(new ResumedCall.Done(false));
		assertThat(attempt(retry, kept(2), () -> "fine")).isEqualTo(new ResumedCall.Done(false));
		assertThat(fail(retry, kept(3))).isInstanceOf(ResumedCall.Stopped.class);
		assertThat(this.recorder.retried()).containsExactly("other 3 rescued", "other 4");
	}

	@Test
	void theTimeOfAFirstAttemptIsItsOwnAndNotTheAgeOfTheCall() {
		Object unused = attempt(builder(policy()).build(), kept(0), () -> {
			this.time.advance(Duration.ofMillis(20));
			return "fine";
		});
		assertThat(this.recorder.lines("attempt")).containsExactly("attempt 1 success 20ms");
	}

	@Test
	void theNextDelayIsThatOfTheNextRetryWhereverTheOthersWere() {
		Retry retry = builder(policy()).build();
		assertThat(fail(retry, kept(2))).isEqualTo(
				new ResumedCall.Again(3, Duration.ofMillis(400), Duration.ofMillis(400), false, 0, this.failure));
		assertThat(this.recorder.lines()).containsExactly("attempt 3 transient 0ms", "waiting policy 400ms", "waited",
				"retry other");
	}

	@Test
	void theStoryCountsTheAttemptsOfOtherProcesses() {
		assertThat(fail(builder(policy()).build(), kept(3))).isInstanceOfSatisfying(ResumedCall.Stopped.class,
				(stopped) -> {
					assertThat(stopped.thrown()).isSameAs(this.failure);
					assertThat(stopped.report())
						.hasMessage("Stopped after 4 of 4 attempts in 60 min: ATTEMPTS_EXHAUSTED "
								+ "(policy orders; attempts …, 0 ms)");
				});
		assertThat(this.listener.stopped()).hasSize(1);
	}

	@Test
	void aCallWhoseDeadlineIsOverMakesNoAttemptAndRecovers() {
		Retry retry = builder(policy().deadline(HOUR)).build();
		List<RetriesStoppedException> stories = new ArrayList<>();
		ResumedCall.Result next = retry.<Object, @Nullable Object, Exception>attemptOn(
				withTimeLeft(Duration.ofMinutes(-90)), "context", (context, number) -> {
					throw new AssertionError("no attempt");
				}, (context, report) -> stories.add(report));
		assertThat(next).isEqualTo(new ResumedCall.Done(true));
		assertThat(stories.get(0).reason()).isEqualTo(StopReason.DEADLINE);
		assertThat(stories.get(0).failure()).isNull();
		assertThat(stories.get(0).attempts()).isEqualTo(2);
	}

	@Test
	void aDeadlineThatIsKeptCountsAndNotThatOfThePolicy() {
		Retry retry = builder(policy().deadline(Duration.ofSeconds(1))).build();
		assertThat(fail(retry, withTimeLeft(Duration.ofMillis(411)))).isInstanceOf(ResumedCall.Again.class);
		assertThat(fail(retry, withTimeLeft(Duration.ofMillis(410)))).isInstanceOfSatisfying(ResumedCall.Stopped.class,
				(stopped) -> assertThat(stopped.report().reason()).isEqualTo(StopReason.DEADLINE));
	}

	@Test
	void aLossStopsWithoutAnotherAttemptAndCountsTheLostOne() {
		Retry retry = builder(policy()).build();
		ResumedCall lost = new ResumedCall("key", 7, 2, HOUR, null, Duration.ZERO, false, 0, "lost 6 times", null);
		assertThat(fail(retry, lost)).isInstanceOfSatisfying(ResumedCall.Stopped.class, (stopped) -> {
			assertThat(stopped.thrown()).isNull();
			assertThat(stopped.report())
				.hasMessage("Stopped after 3 of 4 attempts in 60 min: LOST, lost 6 times (policy orders)");
		});
		assertThat(this.recorder.lines("attempt")).isEmpty();
	}

	@Test
	void anOpenBreakerPostponesAnAttemptToItsProbe() {
		CircuitBreaker breaker = breaker();
		Retry retry = builder(policy()).breaker(breaker).build();
		breaker.open();
		ResumedCall.Result next = fail(retry, kept(1));
		assertThat(next).isInstanceOfSatisfying(ResumedCall.Again.class, (again) -> {
			assertThat(again.attempts()).isEqualTo(1);
			assertThat(again.delay()).isEqualTo(Duration.ofMillis(5_200));
			assertThat(again.previousDelay()).isEqualTo(Duration.ofSeconds(1));
			assertThat(again.failure()).isNull();
		});
		assertThat(this.recorder.lines("attempt")).isEmpty();
		assertThat(this.recorder.lines("retry")).isEmpty();
	}

	@Test
	void aBreakerThatOpensPostponesTheNextAttempt() {
		CircuitBreaker breaker = breaker();
		Retry retry = builder(policy()).breaker(breaker).build();
		ResumedCall.Result next = attempt(retry, kept(1), () -> {
			breaker.open();
			throw this.failure;
		});
		assertThat(next).isEqualTo(
				new ResumedCall.Again(2, Duration.ofMillis(5_200), Duration.ofMillis(200), false, 0, this.failure));
	}

	/* It opens for half of 10 s and permits one probe then. */
	private CircuitBreaker breaker() {
		return CircuitBreaker.builder("gateway")
			.settings(BreakerSettings.builder().openFor(Duration.ofSeconds(10)).probes(1).build())
			.random(() -> 0)
			.time(this.time)
			.build();
	}

	@Test
	void aRetryPaysWhenItIsDueAndWaitsWithoutAToken() {
		for (boolean postponed : List.of(true, false)) {
			RetryBudget budget = budget(1);
			Retry retry = builder(policy().postponedWhenEmpty(postponed)).budget(budget).build();
			assertThat(fail(retry, kept(0))).isInstanceOf(ResumedCall.Again.class);
			assertThat(budget.balance()).isOne();
			assertThat(fail(retry, kept(1))).isInstanceOfSatisfying(ResumedCall.Again.class,
					(again) -> assertThat(again.attempts()).isEqualTo(2));
			assertThat(budget.balance()).isZero();
			assertThat(fail(retry, kept(1)))
				.isEqualTo(new ResumedCall.Again(1, Duration.ofMillis(200), Duration.ofSeconds(1), false, 0, null));
			assertThat(this.recorder.lines().get(this.recorder.lines().size() - 2)).isEqualTo("waiting budget 200ms");
			assertThat(fail(retry, kept(0))).as("a first attempt")
				.isInstanceOfSatisfying(ResumedCall.Again.class, (again) -> assertThat(again.attempts()).isOne());
		}
	}

	@Test
	void aSuccessPutsBackWhatItsAttemptTookAndNothingOfEarlierOnes() {
		RetryBudget budget = budget(3);
		Retry retry = builder(policy().maxAttempts(5)).budget(budget).build();
		assertThat(fail(retry, kept(1))).isInstanceOf(ResumedCall.Again.class);
		assertThat(attempt(retry, kept(2), () -> "fine")).isEqualTo(new ResumedCall.Done(false));
		assertThat(budget.balance()).isEqualTo(2);
	}

	@Test
	void aRetryAfterATimeoutCostsItsTokenAndTheFirstThatTimesOutIsAStrike() {
		RetryBudget budget = budget(9);
		Retry retry = builder(policy().maxAttempts(9)).budget(budget).build();
		int timeouts = 0;
		for (int attempts = 0; attempts < 5; attempts++) {
			ResumedCall call = new ResumedCall("key", 7, attempts, HOUR, null, Duration.ZERO, false, timeouts, null,
					null);
			ResumedCall.Result next = attempt(retry, call, () -> {
				throw new HttpTimeoutException("read");
			});
			timeouts = ((ResumedCall.Again) next).timeouts();
			assertThat(timeouts).isEqualTo(attempts + 1);
			assertThat(budget.strikes()).isEqualTo((attempts < 1) ? 0 : 1);
		}
		assertThat(fail(retry, kept(5))).isInstanceOfSatisfying(ResumedCall.Again.class,
				(again) -> assertThat(again.timeouts()).isZero());
		assertThat(budget.balance()).isEqualTo(4);
		ResumedCall last = new ResumedCall("key", 7, 6, HOUR, null, Duration.ZERO, false, timeouts, null, null);
		assertThat(attempt(retry, last, () -> "fine")).isEqualTo(new ResumedCall.Done(false));
		assertThat(budget.balance()).isEqualTo(3);
	}

	@Test
	void aRetryAfterATimeoutIsNotBarred() {
		RetryBudget budget = budget(2);
		budget.newCall(0).timedOut(true);
		budget.newCall(0).timedOut(true);
		Retry retry = builder(policy()).budget(budget).build();
		ResumedCall call = new ResumedCall("key", 7, 1, HOUR, null, Duration.ZERO, false, 1, null, null);
		assertThat(attempt(retry, call, () -> "fine")).isEqualTo(new ResumedCall.Done(false));
		assertThat(budget.balance()).isOne();
	}

	/* Nothing but a success puts a token back. */
	private RetryBudget budget(int tokens) {
		return RetryBudget.of("gateway", new BudgetSettings(tokens, 0, 0), this.time, RetryBudget.Listener.NONE);
	}

	@Test
	void aRetryThatHasNotPaidGivesItsPermitBack() throws InterruptedException {
		CircuitBreaker breaker = breaker();
		RetryBudget budget = budget(1);
		assertThat(budget.tryWithdraw()).isTrue();
		Retry retry = builder(policy()).budget(budget).breaker(breaker).build();
		breaker.open();
		this.time.sleep(Duration.ofSeconds(10).toNanos());
		assertThat(fail(retry, kept(1))).isInstanceOf(ResumedCall.Again.class);
		assertThat(this.recorder.lines("attempt")).isEmpty();
		assertThat(breaker.isPermitting(this.time.nanoTime())).isTrue();
	}

	@Test
	void askingAgainForAResultThatIsNotFinalIsFreeAndARetryAfterAFailureIsNot() {
		RetryBudget budget = budget(1);
		Retry retry = builder(policy().until((result, context) -> "final".equals(result))).budget(budget).build();
		assertThat(attempt(retry, kept(1), () -> "pending")).isInstanceOf(ResumedCall.Again.class);
		assertThat(budget.balance()).isOne();
		ResumedCall failed = new ResumedCall("key", 7, 1, HOUR, null, Duration.ZERO, false, 0, null, "IOException");
		assertThat(attempt(retry, failed, () -> "pending")).isInstanceOf(ResumedCall.Again.class);
		assertThat(budget.balance()).isZero();
	}

	@Test
	void anAttemptWaitsWhileRetriesAreOff() {
		Retry retry = builder(policy()).enabledWhen(() -> false).build();
		assertThat(fail(retry, kept(0)))
			.isEqualTo(new ResumedCall.Again(0, Duration.ofMillis(100), Duration.ofSeconds(1), false, 0, null));
	}

	@Test
	void retriesThatAreSwitchedOffMeanwhileEndNoCall() {
		List<Boolean> on = new ArrayList<>(List.of(true));
		Retry retry = builder(policy()).enabledWhen(() -> !on.isEmpty()).build();
		ResumedCall.Result next = attempt(retry, kept(0), () -> {
			on.clear();
			throw this.failure;
		});
		assertThat(next).isInstanceOf(ResumedCall.Again.class);
	}

	@Test
	void aShutdownOfWaitingCallsEndsNoCall() {
		CallRegistry waiting = new CallRegistry();
		waiting.shutDown();
		assertThat(fail(builder(policy()).calls(waiting).build(), kept(0))).isInstanceOf(ResumedCall.Again.class);
	}

	@Test
	void anInterruptedAttemptIsRepeatedAtOnceAndNotCounted() {
		Retry retry = builder(policy()).build();
		List<Exception> failures = List.of(new InterruptedException(), new IOException(new InterruptedException()));
		for (Exception interrupted : failures) {
			assertThat(attempt(retry, kept(3), () -> {
				throw interrupted;
			})).isEqualTo(new ResumedCall.Again(3, Duration.ZERO, Duration.ofSeconds(1), false, 0, interrupted));
		}
		ResumedCall.Result next = attempt(retry, kept(3), () -> {
			Thread.currentThread().interrupt();
			throw this.failure;
		});
		assertThat(next).isInstanceOfSatisfying(ResumedCall.Again.class,
				(again) -> assertThat(again.attempts()).isEqualTo(3));
		assertThat(Thread.interrupted()).isFalse();
		assertThat(this.listener.stopped()).isEmpty();
	}

	@Test
	void anInterruptedAttemptIsToldToNeitherBreakerNorMetersNorListeners() {
		CircuitBreaker breaker = breaker();
		Retry retry = builder(policy()).breaker(breaker).build();
		ResumedCall.Result next = attempt(retry, kept(1), () -> {
			Thread.currentThread().interrupt();
			throw this.failure;
		});
		assertThat(next).isInstanceOf(ResumedCall.Again.class);
		assertThat(breaker.counts().failed()).isZero();
		assertThat(this.recorder.lines()).isEmpty();
		assertThat(this.listener.scheduled()).isEmpty();
	}

	@Test
	void anInterruptedRecoveryIsRepeatedWithTheLastAttempt() {
		Retry retry = builder(policy()).build();
		IllegalStateException interrupted = new IllegalStateException(new InterruptedException());
		ResumedCall.Result next = retry.<Object, @Nullable Object, Exception>attemptOn(kept(3), "context",
				(context, number) -> {
					throw this.failure;
				}, (context, report) -> {
					throw interrupted;
				});
		assertThat(next)
			.isEqualTo(new ResumedCall.Again(3, Duration.ZERO, Duration.ofSeconds(1), false, 0, interrupted));
		assertThat(this.listener.stopped()).isEmpty();
	}

	@Test
	void aCallThatStopsWithoutAnAttemptTellsWhatTheOneBeforeThrew() {
		Retry retry = builder(policy()).build();
		ResumedCall lost = new ResumedCall("key", 7, 2, HOUR, null, Duration.ZERO, false, 0, "lost 6 times",
				"IOException");
		ResumedCall late = new ResumedCall("key", 7, 2, HOUR, Duration.ZERO, Duration.ZERO, false, 0, null,
				"IOException");
		assertThat(fail(retry, lost)).isInstanceOfSatisfying(ResumedCall.Stopped.class,
				(stopped) -> assertThat(stopped.report())
					.hasMessageContaining("LOST, lost 6 times; the attempt before threw IOException (policy"));
		assertThat(fail(retry, late)).isInstanceOfSatisfying(ResumedCall.Stopped.class,
				(stopped) -> assertThat(stopped.report())
					.hasMessageContaining("than chosen; the attempt before threw IOException (policy"));
	}

	/**
	 * A call resumed after every attempt decides as one that was never stored: for random
	 * policies and scripts both make the same attempts, waits and ends.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5 })
	void aCallThatIsKeptDecidesAsOneThatNeverWas(int part) throws Throwable {
		for (int seed = part * 1_000; seed < part * 1_000 + 200; seed++) {
			List<String> inMemory = run(seed, false);
			assertThat(run(seed, true)).as("seed %s", seed).isEqualTo(inMemory);
		}
	}

	private static List<String> run(int seed, boolean kept) throws Throwable {
		Random random = new Random(seed);
		VirtualTime time = new VirtualTime();
		RecordingRecorder recorder = new RecordingRecorder();
		RecordingListener listener = new RecordingListener();
		Random draws = new Random(seed);
		Retry retry = Retry.builder(randomPolicy(random))
			.time(time)
			.random(draws::nextDouble)
			.recorder(recorder)
			.listener(listener)
			.build();
		ScriptedOperation<@Nullable Object> operation = randomScript(random)
			.taking(Duration.ofMillis(random.nextInt(40)), time);
		List<String> told = new ArrayList<>();
		try {
			told.add("returned " + (kept ? Keeper.of(retry, time).call(operation, null) : retry.call(operation)));
		}
		catch (Exception ex) {
			told.add("threw " + ex.getMessage());
		}
		told.addAll(recorder.lines());
		told.add(time.delays().toString());
		listener.stopped()
			.forEach((event) -> told
				.add(event.report().reason() + " " + event.report().attempts() + " " + event.report().elapsed()));
		return told;
	}

	private static RetryPolicy randomPolicy(Random random) {
		List<Jitter> jitters = List.of(Jitter.none(), Jitter.full(), Jitter.equal(), Jitter.decorrelated());
		RetryPolicyBuilder policy = RetryPolicy.builder("orders")
			.jitter(jitters.get(random.nextInt(jitters.size())))
			.cap(Duration.ofMillis(500 + random.nextInt(2_000)))
			.classifiers(List.of((failure) -> "busy".equals(failure.getMessage())
					? FailureClassification.throttled(RetryCause.HTTP_429).withHint(Duration.ofMillis(350)) : null))
			.until((result, context) -> !"pending".equals(result));
		if (random.nextBoolean()) {
			policy.deadline(Duration.ofMillis(300 + random.nextInt(3_000)));
		}
		if (random.nextBoolean()) {
			policy.attemptTimeout(Duration.ofSeconds(2));
		}
		return policy.maxAttempts(1 + random.nextInt(12)).build();
	}

	private static ScriptedOperation<@Nullable Object> randomScript(Random random) {
		ScriptedOperation<@Nullable Object> script = ScriptedOperation.<@Nullable Object>script();
		for (int step = 0; step < 12; step++) {
			switch (random.nextInt(8)) {
				case 0 -> script.returns("done");
				case 1, 2, 3 -> script.returns("pending");
				case 4 -> script.fails(1, () -> new IOException("busy"));
				default -> script.fails(1, () -> new IOException("down"));
			}
		}
		return script;
	}

	/** Keeps calls while they wait, as a database would, and makes their attempts. */
	record Keeper(Retry retry, VirtualTime time) {

		static Keeper of(Retry retry, VirtualTime time) {
			return new Keeper(retry, time);
		}

		@Nullable Object call(Operation<@Nullable Object, Exception> operation,
				@Nullable Recovery<Object, @Nullable Object, Exception> recovery) throws Throwable {
			long submitted = this.time.nanoTime();
			long deadline = this.retry.policy().deadlineNanos();
			List<@Nullable Object> results = new ArrayList<>();
			ResumedCall.Again state = new ResumedCall.Again(0, Duration.ZERO, Duration.ZERO, false, 0, null);
			for (int fence = 1; true; fence++) {
				Duration elapsed = Duration.ofNanos(this.time.nanoTime() - submitted);
				ResumedCall call = new ResumedCall("key", fence, state.attempts(), elapsed,
						(deadline != Nanos.UNLIMITED) ? Duration.ofNanos(deadline).minus(elapsed) : null,
						state.previousDelay(), state.finalPoll(), state.timeouts(), null, null);
				ResumedCall.Result next = this.retry.<Object, @Nullable Object, Exception>attemptOn(call, operation,
						(context, number) -> noted(results, operation.run()), (recovery != null)
								? (context, report) -> noted(results, recovery.recover(context, report)) : null);
				if (next instanceof ResumedCall.Again again) {
					state = again;
					this.time.sleep(again.delay().toNanos());
				}
				else if (next instanceof ResumedCall.Stopped stopped && stopped.thrown() != null) {
					throw stopped.thrown();
				}
				else {
					return results.get(results.size() - 1);
				}
			}
		}

		private static @Nullable Object noted(List<@Nullable Object> results, @Nullable Object result) {
			results.add(result);
			return result;
		}

	}

}
