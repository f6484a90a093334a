package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.failure.Idempotency;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@SuppressWarnings("try") // a scope is opened for its effect, and has no other use
class RetryContextTests {

	private final VirtualTime time = new VirtualTime();

	private final ExecutorService executor = Executors.newSingleThreadExecutor();

	@AfterEach
	void shutDown() {
		this.executor.shutdownNow();
	}

	@Nested
	class OnAnotherThread {

		@Test
		void theAttemptIsSeenWhileTheContextIsOpenAndNotAfterwards() throws Exception {
			String seen = retry(policy().build()).call(() -> {
				RetryContext context = RetryContext.capture();
				assertThat(elsewhere(Attempt::isRunning)).isFalse();
				String there = elsewhere(context.wrap(() -> Attempt.current().toString()));
				assertThat(elsewhere(Attempt::isRunning)).isFalse();
				return there;
			});
			assertThat(seen).isEqualTo("attempt 1 of 3");
		}

		@Test
		void anInnerCallEndsByTheOuterDeadline() throws Exception {
			Duration left = retry(policy().deadline(Duration.ofSeconds(2)).build()).call(() -> {
				RetryContext context = RetryContext.capture();
				RetryContextTests.this.time.advance(Duration.ofMillis(500));
				return elsewhere(context.wrap(() -> retry(policy().deadline(Duration.ofSeconds(60)).build())
					.call(() -> Attempt.current().timeLeft())));
			});
			assertThat(left).isEqualTo(Duration.ofMillis(1500));
		}

		@Test
		void aDeadlineThatHoldsThereAlreadyStaysIfItIsSooner() throws Exception {
			Duration left = retry(policy().deadline(Duration.ofSeconds(60)).build()).call(() -> {
				RetryContext context = RetryContext.capture();
				return elsewhere(() -> retry(policy().deadline(Duration.ofSeconds(3)).build())
					.call(context.wrap(() -> Attempt.current().timeLeft())::call));
			});
			assertThat(left).isEqualTo(Duration.ofSeconds(3));
		}

		@Test
		void aFailureThatWasRetriedThereIsNotRetriedHere() {
			AtomicInteger leaf = new AtomicInteger();
			assertThatThrownBy(() -> retry(policy().build()).call(() -> elsewhere(
					RetryContext.capture().wrap(() -> retry(policy().build()).<String, IOException>call(() -> {
						leaf.incrementAndGet();
						throw new IOException("leaf");
					})))))
				.isInstanceOf(ExecutionException.class)
				.hasRootCauseMessage("leaf");
			assertThat(leaf).hasValue(3);
		}

		@Test
		void aFailureThatCarriesNoMarkIsFoundToo() {
			AtomicInteger leaf = new AtomicInteger();
			assertThatThrownBy(() -> retry(policy().build()).call(() -> elsewhere(
					RetryContext.capture().wrap(() -> elsewhereRetrying(leaf, RetryContext.capture())))))
				.isInstanceOf(ExecutionException.class);
			assertThat(leaf).hasValue(3);
		}

		private String elsewhereRetrying(AtomicInteger leaf, RetryContext carriedOn) throws Exception {
			return carriedOn.wrap(() -> retry(policy().build()).<String, Exception>call(() -> {
				leaf.incrementAndGet();
				throw new BlockingDriverTests.StacklessException();
			})).call();
		}

		@Test
		void aContextMayBeCarriedOn() throws Exception {
			Duration left = retry(policy().deadline(Duration.ofSeconds(2)).build()).call(() -> {
				RetryContext there = elsewhere(RetryContext.capture().wrap(RetryContext::capture));
				return elsewhere(there.wrap(() -> Attempt.current().timeLeft()));
			});
			assertThat(left).isEqualTo(Duration.ofSeconds(2));
		}

	}

	@Nested
	class OfADeadline {

		@Test
		void itBoundsCalls() throws Exception {
			try (RetryContext.Scope scope = deadline(Duration.ofSeconds(2)).open()) {
				assertThat(Attempt.isRunning()).isFalse();
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(2));
				assertThat(retry(policy().build()).call(() -> Attempt.current().timeLeft()))
					.isEqualTo(Duration.ofSeconds(2));
			}
			assertThat(Attempt.current().timeLeft()).isNull();
		}

		@Test
		void itCountsFromWhenItWasMade() {
			RetryContext context = deadline(Duration.ofSeconds(2));
			RetryContextTests.this.time.advance(Duration.ofSeconds(3));
			try (RetryContext.Scope scope = context.open()) {
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ZERO);
			}
		}

		@Test
		void aNegativeOneIsZero() {
			try (RetryContext.Scope scope = deadline(Duration.ofSeconds(-2)).open()) {
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ZERO);
			}
		}

		@Test
		void itDoesNotLoosenTheOneAroundIt() {
			try (RetryContext.Scope outer = deadline(Duration.ofSeconds(2)).open();
					RetryContext.Scope inner = deadline(Duration.ofSeconds(60)).open()) {
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(2));
			}
		}

		@Test
		void anAttemptAroundItIsStillSeen() throws Exception {
			retry(policy().deadline(Duration.ofSeconds(60)).idempotency(Idempotency.BY_KEY).build()).call(() -> {
				String key = Attempt.current().idempotencyKey();
				try (RetryContext.Scope scope = deadline(Duration.ofSeconds(2)).open()) {
					assertThat(Attempt.current()).hasToString("attempt 1 of 3");
					assertThat(Attempt.current().idempotencyKey()).isEqualTo(key);
					assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(2));
				}
				return null;
			});
		}

		@Test
		void aFailureThatWasRetriedInsideIsNotRetriedOutside() {
			AtomicInteger leaf = new AtomicInteger();
			BlockingDriverTests.StacklessException failure = new BlockingDriverTests.StacklessException();
			assertThatThrownBy(() -> retry(policy().build()).call(() -> {
				try (RetryContext.Scope scope = deadline(Duration.ofSeconds(60)).open()) {
					return retry(policy().build()).<String, Exception>call(() -> {
						leaf.incrementAndGet();
						throw failure;
					});
				}
			})).isSameAs(failure);
			assertThat(leaf).hasValue(3);
		}

	}

	@Nested
	class OfNothing {

		@Test
		void whatIsCapturedOutsideACallIsEmptyAndChangesNothing() {
			RetryContext context = RetryContext.capture();
			assertThat(context.isEmpty()).isTrue();
			try (RetryContext.Scope outer = deadline(Duration.ofSeconds(2)).open();
					RetryContext.Scope scope = context.open()) {
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(2));
			}
		}

		@Test
		void noneHidesTheAttemptAndItsDeadline() throws Exception {
			retry(policy().deadline(Duration.ofSeconds(2)).build()).call(() -> {
				try (RetryContext.Scope scope = RetryContext.none().open()) {
					assertThat(Attempt.isRunning()).isFalse();
					assertThat(retry(policy().build()).call(() -> Attempt.current().timeLeft())).isNull();
				}
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(2));
				return null;
			});
			assertThat(Attempt.isRunning()).isFalse();
		}

		@Test
		void noneThatIsNeverClosedEndsWithTheCallAroundIt() throws Exception {
			retry(policy().build()).call(() -> RetryContext.none().open());
			assertThat(retry(policy().build()).call(() -> Attempt.current().number())).isOne();
			assertThat(Attempt.isRunning()).isFalse();
		}

	}

	@Nested
	class Scopes {

		@Test
		void mayBeClosedTwice() throws Exception {
			retry(policy().build()).call(() -> {
				RetryContext.Scope scope = deadline(Duration.ofSeconds(2)).open();
				scope.close();
				RetryContext.Scope other = deadline(Duration.ofSeconds(3)).open();
				scope.close();
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(3));
				other.close();
				assertThat(Attempt.current().timeLeft()).isNull();
				assertThat(Attempt.isRunning()).isTrue();
				return null;
			});
		}

		@Test
		void mayBeClosedOnAnotherThread() throws Exception {
			retry(policy().build()).call(() -> {
				RetryContext.Scope scope = deadline(Duration.ofSeconds(2)).open();
				elsewhere(() -> {
					scope.close();
					return null;
				});
				assertThat(retry(policy().build()).call(() -> Attempt.current().timeLeft())).isNull();
				assertThat(Attempt.isRunning()).isTrue();
				return null;
			});
			assertThat(Attempt.isRunning()).isFalse();
		}

		@Test
		void mayBeClosedOutOfOrder() {
			RetryContext.Scope outer = deadline(Duration.ofSeconds(2)).open();
			RetryContext.Scope inner = deadline(Duration.ofSeconds(1)).open();
			outer.close();
			assertThat(Attempt.current().timeLeft()).isNull();
			inner.close();
			assertThat(Attempt.current().timeLeft()).isNull();
		}

		@Test
		void mayBeClosedByACallInside() throws Exception {
			retry(policy().deadline(Duration.ofSeconds(9)).build()).call(() -> {
				RetryContext.Scope scope = deadline(Duration.ofSeconds(2)).open();
				retry(policy().build()).call(() -> {
					scope.close();
					return null;
				});
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(9));
				return null;
			});
		}

		@Test
		void keepWhatTheyOpenedThroughACollection() {
			try (RetryContext.Scope scope = deadline(Duration.ofSeconds(2)).open()) {
				System.gc();
				assertThat(Attempt.current().timeLeft()).isEqualTo(Duration.ofSeconds(2));
			}
		}

		@Test
		void ofTheRunningAttemptItselfChangeNothing() throws Exception {
			retry(policy().build()).call(() -> {
				RetryContext.Scope scope = RetryContext.capture().open();
				scope.close();
				assertThat(Attempt.isRunning()).isTrue();
				return null;
			});
		}

		@Test
		void ofAnEarlierCallAreNotMistakenForTheRunningOne() throws Exception {
			RetryContext earlier = retry(policy().maxAttempts(7).build()).call(RetryContext::capture);
			retry(policy().build()).call(() -> {
				try (RetryContext.Scope scope = earlier.open()) {
					assertThat(Attempt.current()).hasToString("attempt 1 of 7");
				}
				assertThat(Attempt.current()).hasToString("attempt 1 of 3");
				return null;
			});
		}

	}

	private RetryContext deadline(Duration left) {
		return RetryContext.ofDeadline(left, this.time);
	}

	private <T> T elsewhere(Callable<T> task) throws Exception {
		return this.executor.submit(task).get();
	}

	private Retry retry(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).build();
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("nested").base(Duration.ofMillis(100)).jitter(Jitter.none()).maxAttempts(3);
	}

}
