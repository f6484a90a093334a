package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.Idempotency;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Calls within attempts of other calls. */
class NestedCallTests extends CallFixture {

	private final ScriptedOperation<String> leaf = ScriptedOperation.<String>script().fails(failure());

	private final Retry inner = untold(three());

	/* Its stops are not told. */
	private Retry untold(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build()).time(time()).build();
	}

	private ScriptedOperation<String> leaf() {
		return this.leaf;
	}

	private Retry inner() {
		return this.inner;
	}

	@Nested
	class ByIdentity {

		@Test
		void aFailureIsRetriedByTheInnermostOnly() {
			Retry outer = retry(three());
			Retry middle = untold(three());
			assertThatThrownBy(() -> outer.call(() -> middle.call(() -> inner().call(leaf())))).isSameAs(failure());
			assertThat(leaf().calls()).isEqualTo(3);
			assertThat(report()).hasMessageContaining(
					"Stopped after 1 of 3 attempts in 300 ms: NESTED, the inner policy orders has refused to retry it");
			assertThat(failure().getSuppressed()).hasSize(1);
		}

		@Test
		void aWrappedFailureIsFoundByItsCause() {
			assertThatThrownBy(() -> retry(three()).call(() -> {
				try {
					return inner().call(leaf());
				}
				catch (IOException ex) {
					throw new IllegalStateException("wrapped", new RuntimeException(ex));
				}
			})).isInstanceOf(IllegalStateException.class);
			assertThat(leaf().calls()).isEqualTo(3);
			assertThat(report()).hasMessageContaining("NESTED, the inner policy orders has already retried it");
		}

		@Test
		void anInterruptionInsideEndsTheOuterCallAsOne() {
			time().interruptSleep(1);
			try {
				assertThatThrownBy(() -> retry(three()).<String, Exception>call(() -> inner().call(leaf()),
						(context, stopped) -> "recovered"))
					.isSameAs(failure());
			}
			finally {
				assertThat(Thread.interrupted()).isTrue();
			}
			assertThat(leaf().calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void aFailureThatCarriesNoMarkIsFound() {
			ScriptedOperation<String> stackless = ScriptedOperation.<String>script()
				.fails(new BlockingDriverTests.StacklessException());
			assertThatThrownBy(() -> retry(three()).call(() -> inner().call(stackless)))
				.isInstanceOf(BlockingDriverTests.StacklessException.class);
			assertThat(stackless.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void whatARecoveryThrewIsFound() {
			BlockingDriverTests.StacklessException own = new BlockingDriverTests.StacklessException();
			assertThatThrownBy(
					() -> retry(three()).call(() -> inner().<String, Exception>call(leaf(), (context, stopped) -> {
						throw own;
					})))
				.isSameAs(own);
			assertThat(leaf().calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void aFailureOfTheOuterItselfIsRetried() {
			IOException own = new IOException("own");
			int[] calls = new int[1];
			assertThatThrownBy(() -> retry(three()).call(() -> {
				calls[0]++;
				assertThatThrownBy(() -> inner().call(leaf())).isSameAs(failure());
				throw own;
			})).isSameAs(own);
			assertThat(calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void aFailureOfAnEarlierAttemptIsRetried() {
			int[] calls = new int[1];
			BlockingDriverTests.StacklessException shared = new BlockingDriverTests.StacklessException();
			assertThatThrownBy(() -> retry(three().maxAttempts(5)).call(() -> {
				if (++calls[0] == 1) {
					assertThatThrownBy(() -> inner().call(() -> {
						throw shared;
					})).isSameAs(shared);
					throw new IOException();
				}
				throw shared;
			})).isSameAs(shared);
			assertThat(calls[0]).isEqualTo(5);
		}

		@Test
		void theFirstOfManyIsFoundByItsMark() {
			IOException first = new IOException("first");
			int[] calls = new int[1];
			assertThatThrownBy(() -> retry(three()).call(() -> {
				calls[0]++;
				time().advance(Duration.ofMillis(1));
				assertThatThrownBy(() -> inner().call(() -> {
					throw first;
				})).isSameAs(first);
				for (int i = 0; i < 100; i++) {
					assertThatThrownBy(() -> inner().call(() -> {
						throw new IOException();
					})).isInstanceOf(IOException.class);
				}
				throw first;
			})).isSameAs(first);
			assertThat(calls[0]).isEqualTo(1);
		}

	}

	@Nested
	class NotRetriedInside {

		@Test
		void aFailureThatTheInnerPolicyRefusedIsJudgedAnew() {
			Retry refusing = untold(three().abortOn(IOException.class));
			assertThatThrownBy(() -> retry(three()).call(() -> refusing.call(leaf()))).isSameAs(failure());
			assertThat(leaf().calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void theCallerGetsTheStoryOfTheCallThatRetried() {
			Retry refusing = untold(three().abortOn(IOException.class));
			assertThatThrownBy(() -> retry(three()).call(() -> refusing.call(() -> {
				throw new IOException("new");
			}))).satisfies((thrown) -> assertThat(RetriesStoppedException.of(thrown)).isSameAs(report())
				.hasMessageStartingWith("Stopped after 3 of 3 attempts"))
				.satisfies((thrown) -> assertThat(thrown.getSuppressed()).hasSize(2));
		}

		@Test
		void aFailureOfAnInnerPolicyThatIsSwitchedOffIsJudgedAnew() {
			Retry off = untold(three().enabled(false));
			assertThatThrownBy(() -> retry(three()).call(() -> off.call(leaf()))).isSameAs(failure());
			assertThat(leaf().calls()).isEqualTo(3);
		}

		@Test
		void anInnerPolicyThatRefusedTheSecondFailureHasRetried() {
			Retry once = untold(three().abortOn(IllegalStateException.class));
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(failure())
				.fails(new IllegalStateException());
			assertThatThrownBy(() -> retry(three()).call(() -> once.call(operation)))
				.isInstanceOf(IllegalStateException.class);
			assertThat(operation.calls()).isEqualTo(2);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void anEmptyBudgetInsideEndsTheOuterCallToo() {
			Retry spent = Retry.builder(three().build())
				.time(time())
				.budget(RetryBudget.of("gateway", new BudgetSettings(0, 0, 0)))
				.build();
			assertThatThrownBy(() -> retry(three()).call(() -> spent.call(leaf()))).isSameAs(failure());
			assertThat(leaf().calls()).isEqualTo(1);
			assertThat(report()).hasMessageContaining("NESTED, the inner policy orders has refused to retry it");
		}

		@Test
		void workThatMayHaveBeenAppliedIsNotRepeatedByAnOuterPolicy() throws InterruptedException {
			for (Retry charging : List.of(untold(three().idempotency(Idempotency.NO)),
					untold(three().idempotency(Idempotency.NO).abortOn(IOException.class)),
					untold(three().idempotency(Idempotency.NO).enabled(false)))) {
				for (boolean elsewhere : new boolean[] { false, true }) {
					listener().clear();
					ScriptedOperation<String> charge = ScriptedOperation.<String>script()
						.fails(1, () -> new IOException("no answer"));
					assertThatThrownBy(() -> retry(three()).call(() -> {
						time().advance(Duration.ofMillis(1));
						return elsewhere ? onAnotherThread(charging, charge) : charging.call(charge);
					})).hasMessage("no answer");
					assertThat(charge.calls()).isEqualTo(1);
					assertThat(reason()).isEqualTo(StopReason.NESTED);
				}
			}
		}

		@Test
		void workThatWasSurelyNotAppliedIsRepeated() {
			FailureClassification refused = FailureClassification.transientFailure(RetryCause.CONNECT).withoutEffect();
			Retry charging = untold(
					three().idempotency(Idempotency.NO).enabled(false).classifiers(List.of((failure) -> refused)));
			assertThatThrownBy(() -> retry(three()).call(() -> charging.call(leaf()))).isSameAs(failure());
			assertThat(leaf().calls()).isEqualTo(3);
		}

	}

	/** Calls that do not belong together and get the same failure. */
	@Nested
	class Independent {

		private final int[] calls = new int[1];

		@Test
		void anInstanceThatALaterCallWasGivenTooIsRetried() {
			Retry other = untold(three().maxAttempts(1));
			assertRetried(other, StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void anInstanceForWhichALaterCallsBudgetIsSpentIsRetried() {
			Retry other = Retry.builder(three().build())
				.time(time())
				.budget(RetryBudget.of("gateway", new BudgetSettings(0, 0, 0)))
				.build();
			assertRetried(other, StopReason.BUDGET);
		}

		@Test
		void futuresThatShareAFailureAreRetriedEach() {
			CompletableFuture<String> collapsed = new CompletableFuture<>();
			List<CompletableFuture<String>> results = new ArrayList<>();
			for (int maxAttempts : new int[] { 2, 1 }) {
				Retry retry = Retry.builder(three().maxAttempts(maxAttempts).build())
					.time(time())
					.executor(Runnable::run)
					.build();
				results.add(retry.callAsync(() -> (Attempt.current().number() == 1) ? collapsed
						: CompletableFuture.completedFuture("fine")));
				time().advance(Duration.ofMillis(1));
			}
			collapsed.completeExceptionally(failure());
			time().runNext();
			assertThat(results.get(0)).isCompletedWithValue("fine");
			assertThat(results.get(1)).isCompletedExceptionally();
		}

		private void assertRetried(Retry other, StopReason reasonOfOther) {
			assertThatThrownBy(() -> retry(three()).call(() -> {
				if (++this.calls[0] == 1) {
					time().advance(Duration.ofMillis(1));
					assertThatThrownBy(() -> onAnotherThread(other, leaf()))
						.satisfies((thrown) -> assertThat(RetriesStoppedException.of(thrown).reason())
							.isEqualTo(reasonOfOther));
				}
				throw failure();
			})).isSameAs(failure());
			assertThat(this.calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

	}

	@Nested
	class ByMark {

		@Test
		void aFailureFromAnotherThreadIsFound() {
			int[] calls = new int[1];
			assertThatThrownBy(() -> retry(three()).call(() -> {
				calls[0]++;
				time().advance(Duration.ofMillis(1));
				return onAnotherThread(inner(), leaf());
			})).isSameAs(failure());
			assertThat(calls[0]).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void anInstanceThatAnEarlierCallMarkedIsRetried() {
			Throwable marked = catchThrowable(() -> onAnotherThread(inner(), leaf()));
			time().advance(Duration.ofMillis(1));
			assertRetried(marked);
		}

		@Test
		void anInstanceMarkedAtTheSameTickIsRetried() {
			IOException shared = new IOException();
			for (int call = 0; call < 2; call++) {
				listener().clear();
				assertThatThrownBy(() -> retry(three().maxAttempts(1)).call(() -> {
					throw shared;
				})).isSameAs(shared);
				assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}
		}

		private void assertRetried(Throwable marked) {
			int[] calls = new int[1];
			assertThatThrownBy(() -> retry(three()).call(() -> {
				calls[0]++;
				throw marked;
			})).isSameAs(marked);
			assertThat(calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

	}

	@Test
	void multipliedLayersMakeTheProductOfTheirAttempts() {
		Operation<String, Exception> call = leaf();
		for (int layer = 0; layer < 5; layer++) {
			Operation<String, Exception> below = call;
			Retry retry = untold(three().nestedMultiply(true));
			call = () -> retry.call(below);
		}
		assertThatThrownBy(call::run).isSameAs(failure());
		assertThat(leaf().calls()).isEqualTo(243);
	}

	@Nested
	class Deadline {

		@Test
		void ofTheOuterBoundsTheWaitsOfTheInner() {
			Retry patient = Retry
				.builder(three().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).deadline(Duration.ofSeconds(10)).build())
				.time(time())
				.listener(listener())
				.build();
			Retry hurried = untold(three().deadline(Duration.ofSeconds(1)));
			assertThatThrownBy(() -> hurried.call(() -> patient.call(leaf()))).isSameAs(failure());
			assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(700));
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void isTheSoonerOfBoth() throws Exception {
			List<Duration> left = new ArrayList<>();
			untold(three().deadline(Duration.ofSeconds(1))).call(() -> {
				time().advance(Duration.ofMillis(300));
				for (long millis : new long[] { 10_000, 100 }) {
					untold(three().deadline(Duration.ofMillis(millis)))
						.call(() -> left.add(Attempt.current().timeLeft()));
				}
				return "done";
			});
			assertThat(left).containsExactly(Duration.ofMillis(700), Duration.ofMillis(100));
		}

		@Test
		void thatHasPassedLeavesTheInnerOneAttempt() {
			Retry hurried = untold(three().deadline(Duration.ofSeconds(1)));
			assertThatThrownBy(() -> hurried.call(() -> {
				time().advance(Duration.ofSeconds(2));
				return retry(three()).call(leaf());
			})).isSameAs(failure());
			assertThat(leaf().calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void isForgottenAfterTheOuter() throws Exception {
			untold(three().deadline(Duration.ofSeconds(1))).call(() -> "done");
			time().advance(Duration.ofHours(1));
			assertThatThrownBy(() -> retry(three()).call(leaf())).isSameAs(failure());
			assertThat(leaf().calls()).isEqualTo(3);
		}

	}

	private static String onAnotherThread(Retry retry, Operation<String, Exception> operation) throws Exception {
		CompletableFuture<String> result = new CompletableFuture<>();
		Thread other = new Thread(() -> {
			try {
				result.complete(retry.call(operation));
			}
			catch (Exception ex) {
				result.completeExceptionally(ex);
			}
		});
		other.start();
		other.join();
		try {
			return result.join();
		}
		catch (CompletionException ex) {
			throw (Exception) ex.getCause();
		}
	}

	private static RetryPolicyBuilder three() {
		return policy().maxAttempts(3);
	}

}
