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
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.Idempotency;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Calls within attempts of other calls. */
class NestedCallTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final IOException failure = new IOException("leaf");

	private final ScriptedOperation<String> leaf = ScriptedOperation.<String>script().fails(this.failure);

	private final Retry inner = Retry.builder(policy().build()).time(this.time).build();

	@Nested
	class ByIdentity {

		@Test
		void aFailureIsRetriedByTheInnermostOnly() {
			Retry outer = outer(policy().build());
			Retry middle = Retry.builder(policy().build()).time(NestedCallTests.this.time).build();
			assertThatThrownBy(() -> outer
				.call(() -> middle.call(() -> NestedCallTests.this.inner.call(NestedCallTests.this.leaf))))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
			assertThat(NestedCallTests.this.listener.story()).hasMessageContaining(
					"Stopped after 1 of 3 attempts in 300 ms: NESTED, the inner policy p has refused to retry it");
			assertThat(NestedCallTests.this.failure.getSuppressed()).hasSize(1);
		}

		@Test
		void aWrappedFailureIsFoundByItsCause() {
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				try {
					return NestedCallTests.this.inner.call(NestedCallTests.this.leaf);
				}
				catch (IOException ex) {
					throw new IllegalStateException("wrapped", new RuntimeException(ex));
				}
			})).isInstanceOf(IllegalStateException.class);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
			assertThat(NestedCallTests.this.listener.story())
				.hasMessageContaining("NESTED, the inner policy p has already retried it");
		}

		@Test
		void anInterruptionInsideEndsTheOuterCallAsOne() {
			NestedCallTests.this.time.interruptSleep(1);
			try {
				assertThatThrownBy(() -> outer(policy().build()).<String, Exception>call(
						() -> NestedCallTests.this.inner.call(NestedCallTests.this.leaf),
						(context, stopped) -> "recovered"))
					.isSameAs(NestedCallTests.this.failure);
			}
			finally {
				assertThat(Thread.interrupted()).isTrue();
			}
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void aFailureThatCarriesNoMarkIsFound() {
			ScriptedOperation<String> stackless = ScriptedOperation.<String>script()
				.fails(new BlockingDriverTests.StacklessException());
			assertThatThrownBy(() -> outer(policy().build()).call(() -> NestedCallTests.this.inner.call(stackless)))
				.isInstanceOf(BlockingDriverTests.StacklessException.class);
			assertThat(stackless.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void whatARecoveryThrewIsFound() {
			BlockingDriverTests.StacklessException own = new BlockingDriverTests.StacklessException();
			assertThatThrownBy(() -> outer(policy().build()).call(() -> NestedCallTests.this.inner
				.<String, Exception>call(NestedCallTests.this.leaf, (context, stopped) -> {
					throw own;
				}))).isSameAs(own);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void aFailureOfTheOuterItselfIsRetried() {
			IOException own = new IOException("own");
			int[] calls = new int[1];
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				assertThatThrownBy(() -> NestedCallTests.this.inner.call(NestedCallTests.this.leaf))
					.isSameAs(NestedCallTests.this.failure);
				throw own;
			})).isSameAs(own);
			assertThat(calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void aFailureOfAnEarlierAttemptIsRetried() {
			int[] calls = new int[1];
			BlockingDriverTests.StacklessException shared = new BlockingDriverTests.StacklessException();
			assertThatThrownBy(() -> outer(policy().maxAttempts(5).build()).call(() -> {
				if (++calls[0] == 1) {
					assertThatThrownBy(() -> NestedCallTests.this.inner.call(() -> {
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
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				NestedCallTests.this.time.advance(Duration.ofMillis(1));
				assertThatThrownBy(() -> NestedCallTests.this.inner.call(() -> {
					throw first;
				})).isSameAs(first);
				for (int i = 0; i < 100; i++) {
					assertThatThrownBy(() -> NestedCallTests.this.inner.call(() -> {
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
			Retry refusing = inner(policy().abortOn(IOException.class));
			assertThatThrownBy(() -> outer(policy().build()).call(() -> refusing.call(NestedCallTests.this.leaf)))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void theCallerGetsTheStoryOfTheCallThatRetried() {
			Retry refusing = inner(policy().abortOn(IOException.class));
			assertThatThrownBy(() -> outer(policy().build()).call(() -> refusing.call(() -> {
				throw new IOException("new");
			}))).satisfies((thrown) -> assertThat(RetriesStoppedException.of(thrown))
				.isSameAs(NestedCallTests.this.listener.story())
				.hasMessageStartingWith("Stopped after 3 of 3 attempts"))
				.satisfies((thrown) -> assertThat(thrown.getSuppressed()).hasSize(2));
		}

		@Test
		void aFailureOfAnInnerPolicyThatIsSwitchedOffIsJudgedAnew() {
			Retry off = inner(policy().enabled(false));
			assertThatThrownBy(() -> outer(policy().build()).call(() -> off.call(NestedCallTests.this.leaf)))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
		}

		@Test
		void anInnerPolicyThatRefusedTheSecondFailureHasRetried() {
			Retry once = inner(policy().abortOn(IllegalStateException.class));
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(NestedCallTests.this.failure)
				.fails(new IllegalStateException());
			assertThatThrownBy(() -> outer(policy().build()).call(() -> once.call(operation)))
				.isInstanceOf(IllegalStateException.class);
			assertThat(operation.calls()).isEqualTo(2);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void anEmptyBudgetInsideEndsTheOuterCallToo() {
			Retry spent = Retry.builder(policy().build())
				.time(NestedCallTests.this.time)
				.budget(RetryBudget.of("gateway", new BudgetSettings(0, 0, 0)))
				.build();
			assertThatThrownBy(() -> outer(policy().build()).call(() -> spent.call(NestedCallTests.this.leaf)))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(1);
			assertThat(NestedCallTests.this.listener.story())
				.hasMessageContaining("NESTED, the inner policy p has refused to retry it");
		}

		@Test
		void workThatMayHaveBeenAppliedIsNotRepeatedByAnOuterPolicy() throws InterruptedException {
			for (Retry charging : List.of(inner(policy().idempotency(Idempotency.NO)),
					inner(policy().idempotency(Idempotency.NO).abortOn(IOException.class)),
					inner(policy().idempotency(Idempotency.NO).enabled(false)))) {
				for (boolean elsewhere : new boolean[] { false, true }) {
					NestedCallTests.this.listener.clear();
					ScriptedOperation<String> charge = ScriptedOperation.<String>script()
						.fails(1, () -> new IOException("no answer"));
					assertThatThrownBy(() -> outer(policy().build()).call(() -> {
						NestedCallTests.this.time.advance(Duration.ofMillis(1));
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
			Retry charging = inner(
					policy().idempotency(Idempotency.NO).enabled(false).classifiers(List.of((failure) -> refused)));
			assertThatThrownBy(() -> outer(policy().build()).call(() -> charging.call(NestedCallTests.this.leaf)))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
		}

		private Retry inner(RetryPolicyBuilder policy) {
			return Retry.builder(policy.build()).time(NestedCallTests.this.time).build();
		}

	}

	/** Calls that do not belong together and get the same failure. */
	@Nested
	class Independent {

		private final int[] calls = new int[1];

		@Test
		void anInstanceThatALaterCallWasGivenTooIsRetried() {
			Retry other = Retry.builder(policy().maxAttempts(1).build()).time(NestedCallTests.this.time).build();
			assertRetried(other, StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void anInstanceForWhichALaterCallsBudgetIsSpentIsRetried() {
			Retry other = Retry.builder(policy().build())
				.time(NestedCallTests.this.time)
				.budget(RetryBudget.of("gateway", new BudgetSettings(0, 0, 0)))
				.build();
			assertRetried(other, StopReason.BUDGET);
		}

		@Test
		void futuresThatShareAFailureAreRetriedEach() {
			CompletableFuture<String> collapsed = new CompletableFuture<>();
			List<CompletableFuture<String>> results = new ArrayList<>();
			for (int maxAttempts : new int[] { 2, 1 }) {
				Retry retry = Retry.builder(policy().maxAttempts(maxAttempts).build())
					.time(NestedCallTests.this.time)
					.executor(Runnable::run)
					.build();
				results.add(retry.callAsync(() -> (Attempt.current().number() == 1) ? collapsed
						: CompletableFuture.completedFuture("fine")));
				NestedCallTests.this.time.advance(Duration.ofMillis(1));
			}
			collapsed.completeExceptionally(NestedCallTests.this.failure);
			NestedCallTests.this.time.runNext();
			assertThat(results.get(0)).isCompletedWithValue("fine");
			assertThat(results.get(1)).isCompletedExceptionally();
		}

		private void assertRetried(Retry other, StopReason reasonOfOther) {
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				if (++this.calls[0] == 1) {
					NestedCallTests.this.time.advance(Duration.ofMillis(1));
					assertThatThrownBy(() -> onAnotherThread(other, NestedCallTests.this.leaf))
						.satisfies((thrown) -> assertThat(RetriesStoppedException.of(thrown).reason())
							.isEqualTo(reasonOfOther));
				}
				throw NestedCallTests.this.failure;
			})).isSameAs(NestedCallTests.this.failure);
			assertThat(this.calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

	}

	@Nested
	class ByMark {

		@Test
		void aFailureFromAnotherThreadIsFound() {
			int[] calls = new int[1];
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				NestedCallTests.this.time.advance(Duration.ofMillis(1));
				return onAnotherThread(NestedCallTests.this.inner, NestedCallTests.this.leaf);
			})).isSameAs(NestedCallTests.this.failure);
			assertThat(calls[0]).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void anInstanceThatAnEarlierCallMarkedIsRetried() {
			Throwable marked = catchThrowable(
					() -> onAnotherThread(NestedCallTests.this.inner, NestedCallTests.this.leaf));
			NestedCallTests.this.time.advance(Duration.ofMillis(1));
			assertRetried(marked);
		}

		@Test
		void anInstanceMarkedAtTheSameTickIsRetried() {
			IOException shared = new IOException();
			for (int call = 0; call < 2; call++) {
				NestedCallTests.this.listener.clear();
				assertThatThrownBy(() -> outer(policy().maxAttempts(1).build()).call(() -> {
					throw shared;
				})).isSameAs(shared);
				assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}
		}

		private void assertRetried(Throwable marked) {
			int[] calls = new int[1];
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				throw marked;
			})).isSameAs(marked);
			assertThat(calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

	}

	@Nested
	class Multiplied {

		@Test
		void layersMakeTheProductOfTheirAttempts() {
			Operation<String, Exception> call = NestedCallTests.this.leaf;
			for (int layer = 0; layer < 5; layer++) {
				Operation<String, Exception> below = call;
				Retry retry = Retry.builder(policy().nestedMultiply(true).build())
					.time(NestedCallTests.this.time)
					.build();
				call = () -> retry.call(below);
			}
			assertThatThrownBy(call::run).isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(243);
		}

		@Test
		void onlyWhereItIsAllowed() {
			Operation<String, Exception> call = NestedCallTests.this.leaf;
			for (int layer = 0; layer < 5; layer++) {
				Operation<String, Exception> below = call;
				Retry retry = Retry.builder(policy().build()).time(NestedCallTests.this.time).build();
				call = () -> retry.call(below);
			}
			assertThatThrownBy(call::run).isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
		}

	}

	@Nested
	class Deadline {

		@Test
		void ofTheOuterBoundsTheWaitsOfTheInner() {
			Retry patient = Retry
				.builder(policy().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).deadline(Duration.ofSeconds(10)).build())
				.time(NestedCallTests.this.time)
				.listener(NestedCallTests.this.listener)
				.build();
			Retry hurried = Retry.builder(policy().deadline(Duration.ofSeconds(1)).build())
				.time(NestedCallTests.this.time)
				.build();
			assertThatThrownBy(() -> hurried.call(() -> patient.call(NestedCallTests.this.leaf)))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(700));
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void thatHasPassedLeavesTheInnerOneAttempt() {
			Retry hurried = Retry.builder(policy().deadline(Duration.ofSeconds(1)).build())
				.time(NestedCallTests.this.time)
				.build();
			assertThatThrownBy(() -> hurried.call(() -> {
				NestedCallTests.this.time.advance(Duration.ofSeconds(2));
				return outer(policy().build()).call(NestedCallTests.this.leaf);
			})).isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void isForgottenAfterTheOuter() throws Exception {
			Retry.builder(policy().deadline(Duration.ofSeconds(1)).build())
				.time(NestedCallTests.this.time)
				.build()
				.call(() -> "done");
			NestedCallTests.this.time.advance(Duration.ofHours(1));
			assertThatThrownBy(() -> outer(policy().build()).call(NestedCallTests.this.leaf))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
		}

	}

	@Test
	void anInterruptInsideStopsBoth() {
		this.time.interruptSleep(1);
		assertThatThrownBy(() -> outer(policy().nestedMultiply(true).build()).call(() -> this.inner.call(this.leaf)))
			.isSameAs(this.failure);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.leaf.calls()).isEqualTo(1);
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

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("p").jitter(Jitter.none()).maxAttempts(3);
	}

	private Retry outer(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).listener(this.listener).build();
	}

	private StopReason reason() {
		return this.listener.story().reason();
	}

}
