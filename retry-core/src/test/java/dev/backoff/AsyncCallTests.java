package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Idempotency;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What asynchronous calls do besides the {@linkplain DriverContractTests contract}. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
class AsyncCallTests extends AsyncCallFixture {

	@Nested
	class TheResult {

		@Test
		void wrapsTheFailureOnce() {
			CompletableFuture<String> result = retry(policy().maxAttempts(1)).callAsync(
					() -> CompletableFuture.failedFuture(new CompletionException(new CompletionException(failure()))));
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(failure());
			assertThatThrownBy(result::join).isExactlyInstanceOf(CompletionException.class).hasCause(failure());
		}

		@Test
		void keepsAWrapperOfNothing() {
			CompletionException wrapper = new CompletionException("nothing in it", null);
			CompletableFuture<String> result = retry(policy().maxAttempts(1))
				.callAsync(() -> CompletableFuture.failedFuture(wrapper));
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(wrapper);
		}

		@Test
		void failsClearlyWithoutAStage() {
			CompletableFuture<String> result = retry(policy()).callAsync(AsyncCallTests::noStage);
			assertThatThrownBy(result::join).hasRootCauseInstanceOf(NullPointerException.class)
				.hasRootCauseMessage("OrderService.place returned null instead of a CompletionStage");
			assertThat(reason()).isEqualTo(StopReason.NOT_RETRYABLE);
		}

		@Test
		void failsClearlyWithoutAStageOfTheRecovery() {
			CompletableFuture<String> result = retry(policy().maxAttempts(1))
				.callAsync(() -> CompletableFuture.failedFuture(failure()), (context, report) -> noStage());
			Throwable thrown = result.handle((value, ex) -> ex).join();
			assertThat(thrown).isInstanceOf(NullPointerException.class)
				.hasMessage("The recovery of OrderService.place returned null instead of a CompletionStage")
				.hasSuppressedException(failure());
		}

		@Test
		void comesFromAStageThatCannotBeAsked() {
			UnsupportedOperationException refusal = new UnsupportedOperationException("no callbacks");
			CompletableFuture<String> result = retry(policy()).callAsync(() -> new CompletableFuture<>() {

				@Override
				public CompletableFuture<String> whenComplete(
						java.util.function.BiConsumer<? super String, ? super Throwable> action) {
					throw refusal;
				}

			});
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(refusal);
		}

	}

	@SuppressWarnings("NullAway") // what careless code does
	private static CompletionStage<String> noStage() {
		return null;
	}

	@Test
	void aShutdownEndsWhatAnExecutorHasNotStarted() {
		List<Runnable> dropped = new ArrayList<>();
		CompletableFuture<String> result = builder(policy()).executor(dropped::add)
			.build()
			.callAsync(() -> CompletableFuture.failedFuture(failure()));
		time().runNext();
		assertThat(dropped).hasSize(1);
		waiting().shutDown();
		assertThat(result).isCompletedExceptionally();
		assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
	}

	@Nested
	class ANestedCall {

		@Test
		void insideABlockingAttemptIsNotRetriedAgain() {
			AtomicInteger leaves = new AtomicInteger();
			Retry retry = retry(policy());
			assertThatThrownBy(() -> retry.call(() -> {
				CompletableFuture<String> inner = retry.callAsync(() -> {
					leaves.incrementAndGet();
					return CompletableFuture.failedFuture(failure());
				});
				time().runAll();
				return inner.join();
			})).isInstanceOf(CompletionException.class).hasCause(failure());
			assertThat(leaves).hasValue(4);
		}

		@Test
		void insideAnAsynchronousAttemptIsNotRetriedAgain() {
			AtomicInteger leaves = new AtomicInteger();
			AtomicInteger middles = new AtomicInteger();
			Retry retry = retry(policy());
			CompletableFuture<String> result = retry.callAsync(() -> {
				middles.incrementAndGet();
				return retry.callAsync(() -> {
					leaves.incrementAndGet();
					return CompletableFuture.<String>failedFuture(failure());
				}).thenApply((value) -> value);
			});
			time().runAll();
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(failure());
			assertThat(middles).hasValue(1);
			assertThat(leaves).hasValue(4);
		}

		@Test
		void neverOutlivesTheDeadlineAround() {
			Retry outer = retry(policy().maxAttempts(1).deadline(Duration.ofMillis(250)));
			Retry inner = retry(policy());
			AtomicReference<@Nullable CompletableFuture<String>> pending = new AtomicReference<>();
			outer.call(() -> {
				pending.set(inner.callAsync(() -> CompletableFuture.failedFuture(failure())));
				return "out before it ends";
			});
			time().runAll();
			assertThat(pending.get()).isCompletedExceptionally();
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
			assertThat(time().delays()).containsExactly(Duration.ofMillis(100));
		}

		@Test
		void sendsKeysOfTheCallAround() {
			List<@Nullable String> keys = new ArrayList<>();
			Retry outer = retry(policy().idempotency(Idempotency.BY_KEY).maxAttempts(2).nestedMultiply(true));
			Retry inner = retry(policy().idempotency(Idempotency.BY_KEY).maxAttempts(2));
			CompletableFuture<String> result = outer.callAsync(() -> inner.callAsync(() -> {
				OutboundRequest request = OutboundRequest.begin("GET", null);
				keys.add((request != null) ? request.idempotencyKey() : "none");
				return CompletableFuture.failedFuture(failure());
			}));
			time().runAll();
			assertThat(result).isCompletedExceptionally();
			assertThat(keys).hasSize(4).doesNotContainNull().containsOnly(keys.get(0));
		}

		@Test
		void leavesTheFramesOfItsThreadAlone() {
			Retry retry = retry(policy());
			retry.call(() -> {
				Attempt around = Attempt.current();
				CompletableFuture<String> inner = retry.callAsync(() -> {
					assertThat(Attempt.current().idempotencyKey()).isNotEqualTo(around.idempotencyKey());
					RetryContext.ofDeadline(Duration.ZERO).open();
					throw failure();
				});
				assertThat(Attempt.current().idempotencyKey()).isEqualTo(around.idempotencyKey());
				assertThat(Attempt.current().timeLeft()).isNull();
				inner.cancel(true);
				return "done";
			});
		}

		@Test
		void isNotSeenByWhatFollowsIt() {
			List<Boolean> seen = new ArrayList<>();
			Retry retry = retry(policy().maxAttempts(1));
			AtomicReference<@Nullable CompletableFuture<String>> stage = new AtomicReference<>(
					new CompletableFuture<>());
			retry.<String, RuntimeException>call(() -> {
				CompletableFuture<String> result = retry.callAsync(stage::get, (context, report) -> {
					throw new IllegalStateException();
				});
				result.whenComplete((value, thrown) -> seen.add(Attempt.isRunning()));
				return "returned before it ends";
			});
			listener().clear();
			CompletableFuture<String> running = stage.get();
			assertThat(running).isNotNull();
			running.completeExceptionally(failure());
			assertThat(seen).containsExactly(false);
		}

		@Test
		void isOfTheAttemptThatIsJudged() {
			List<Integer> judged = new ArrayList<>();
			Retry retry = retry(policy().maxAttempts(2).until((result, context) -> {
				judged.add(Attempt.current().number());
				return false;
			}));
			CompletableFuture<String> result = retry.callAsync(AsyncCallTests.this::newStage);
			lastStage().complete("one");
			time().runAll();
			lastStage().complete("two");
			assertThat(result).isCompletedWithValue("two");
			assertThat(judged).containsExactly(1, 2);
		}

	}

	@Test
	void takesTheGuardBackOfAWaitThatEndsBeforeItIsScheduled() {
		AtomicInteger scheduled = new AtomicInteger();
		List<Runnable> due = new ArrayList<>();
		RetryTime early = new RetryTime() {

			@Override
			public long nanoTime() {
				return 7;
			}

			@Override
			public void sleep(long nanos) {
			}

			@Override
			public Cancellable schedule(Runnable task, long nanos) {
				scheduled.incrementAndGet();
				AtomicBoolean taken = new AtomicBoolean();
				if (nanos == Duration.ofMillis(100).toNanos()) {
					task.run();
				}
				return () -> {
					if (taken.compareAndSet(false, true)) {
						scheduled.decrementAndGet();
					}
				};
			}

		};
		CompletableFuture<String> result = Retry
			.builder(RetryPolicy.builder("orders")
				.jitter(Jitter.none())
				.base(Duration.ofMillis(100))
				.attemptTimeout(Duration.ofSeconds(1))
				.maxAttempts(2)
				.build())
			.time(early)
			.executor(due::add)
			.build()
			.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
		due.forEach(Runnable::run);
		assertThat(result).isCompletedExceptionally();
		assertThat(scheduled).hasValue(0);
	}

	@Test
	void keepsTheInterruptOfTheThreadThatStartedIt() {
		CompletableFuture<String> result = retry(policy()).callAsync(() -> {
			throw new InterruptedException();
		});
		assertThat(Thread.interrupted()).isTrue();
		assertThat(result).isCompletedExceptionally();
		assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
	}

	@Test
	void doesNotTakeOverTheInterruptOfOtherThreads() {
		CompletableFuture<String> result = call();
		lastStage().completeExceptionally(new InterruptedException());
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(result).isCompletedExceptionally();
	}

}
