package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;
import dev.backoff.time.RetryTime.WakeSignal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Asynchronous calls that end in every way at once: their stages, timeouts, callers,
 * operators, executors and tickers against each other, in real time. Whatever happens,
 * each call ends once and every account is even.
 */
class AsyncCallRaceTests {

	private static final int CALLS = 2_000;

	private static final Duration SOON = Duration.ofNanos(50_000);

	private static final Duration TIMEOUT = Duration.ofMillis(1);

	private final ExecutorService pool = Executors.newFixedThreadPool(3);

	private final CallRegistry waiting = new CallRegistry();

	private final RecordingObserver observer = new RecordingObserver();

	private final AtomicInteger begun = new AtomicInteger();

	private final Accounts accounts = new Accounts();

	private final OutstandingPermits permits = new OutstandingPermits();

	@AfterEach
	void close() {
		this.pool.shutdownNow();
	}

	@ParameterizedTest
	@ValueSource(strings = { "pool", "same thread", "any", "refusing" })
	void leaveNothingBehind(String executor) throws Exception {
		run(retry(executor, RetryTime.system()));
	}

	@Test
	void leaveNothingBehindThoughTheTimerFailsAndTheTickerStepsBack() throws Exception {
		run(retry("any", new BrokenTime()));
	}

	@Test
	void leaveNothingBehindAtTheShutdown() throws Exception {
		Retry retry = retry("any", RetryTime.system());
		List<CompletableFuture<String>> results = start(retry, CALLS / 2);
		Crowd.of(3, (number) -> {
			if (number == 0) {
				this.waiting.shutDown();
				return;
			}
			this.waiting.wake("orders");
		});
		results.addAll(start(retry, CALLS / 2));
		assertAllEven(results);
	}

	private Retry retry(String executor, RetryTime time) {
		return Retry
			.builder(RetryPolicy.builder("orders")
				.jitter(Jitter.none())
				.shape(Shape.fixed(SOON))
				.attemptTimeout(TIMEOUT)
				.shortestAttempt(Duration.ofNanos(1))
				.deadline(Duration.ofMillis(20))
				.maxAttempts(4)
				.build())
			.time(time)
			.executor(executor(executor))
			.breaker(this.permits)
			.calls(this.waiting)
			.recorder(this.accounts)
			.observer(this.observer)
			.build();
	}

	private Executor executor(String name) {
		return switch (name) {
			case "pool" -> this.pool;
			case "same thread" -> Runnable::run;
			case "refusing" -> (task) -> {
				if (chance(4)) {
					throw new RejectedExecutionException("full");
				}
				this.pool.execute(task);
			};
			default -> (task) -> (chance(2) ? this.pool : (Executor) Runnable::run).execute(task);
		};
	}

	private static boolean chance(int oneIn) {
		return ThreadLocalRandom.current().nextInt(oneIn) == 0;
	}

	private void run(Retry retry) throws InterruptedException {
		AtomicBoolean started = new AtomicBoolean();
		List<CompletableFuture<String>> results = new ArrayList<>();
		Crowd.of(3, (number) -> {
			if (number == 0) {
				results.addAll(start(retry, CALLS));
				started.set(true);
				return;
			}
			while (!started.get()) {
				this.waiting.wake("orders");
				Thread.onSpinWait();
			}
		});
		assertAllEven(results);
	}

	private List<CompletableFuture<String>> start(Retry retry, int calls) {
		Random random = new Random(7);
		List<CompletableFuture<String>> results = new ArrayList<>();
		for (int i = 0; i < calls; i++) {
			CompletableFuture<String> result = retry.callAsync(() -> attempt(retry, true));
			results.add(result);
			int end = random.nextInt(6);
			if (end == 0) {
				this.pool.execute(() -> result.cancel(true));
			}
			else if (end == 1) {
				this.pool.execute(() -> result.complete("given"));
			}
			else if (end == 2) {
				result.cancel(false);
			}
		}
		return results;
	}

	private CompletableFuture<String> attempt(Retry retry, boolean mayNest) {
		this.begun.incrementAndGet();
		CompletableFuture<String> stage = new CompletableFuture<>();
		switch (ThreadLocalRandom.current().nextInt(mayNest ? 8 : 7)) {
			case 0 -> stage.complete("done");
			case 1 -> stage.completeExceptionally(new IllegalStateException("down"));
			case 2 -> throw new IllegalStateException("not even started");
			case 3 -> this.pool.execute(() -> stage.complete("done"));
			case 4 -> this.pool.execute(() -> stage.completeExceptionally(new IllegalStateException("down")));
			case 5 -> this.pool.execute(() -> stage.cancel(false));
			case 6 -> RetryTime.system().schedule(() -> stage.complete("late"), 2 * TIMEOUT.toNanos());
			default -> {
				this.accounts.nested.incrementAndGet();
				return retry.callAsync(() -> attempt(retry, false));
			}
		}
		return stage;
	}

	private void assertAllEven(List<CompletableFuture<String>> results) throws InterruptedException {
		for (CompletableFuture<String> result : results) {
			Throwable failure = catchThrowable(result::join);
			assertThat(failure == null || !(failure.getCause() instanceof Error)).as("%s", failure).isTrue();
		}
		awaitEnds(results.size());
		// what has been cancelled before it began may begin yet
		this.pool.shutdown();
		assertThat(this.pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
		awaitEnds(results.size());
		assertThat(this.accounts.calls()).isEqualTo(results.size() + this.accounts.nested.get());
		// besides those begun, those whose timeout passed while the executor had them
		assertThat(this.accounts.attempts.get()).isBetween(this.begun.get(), this.permits.taken.get());
		assertThat(this.accounts.waiting).hasValue(0);
		assertThat(this.permits.mistakes).isEmpty();
		assertThat(this.waiting.waiting()).isZero();
		assertThat(this.observer.mistakes()).isEmpty();
	}

	private void awaitEnds(int calls) {
		while (this.accounts.calls() < calls + this.accounts.nested.get() || this.observer.running() > 0
				|| this.permits.outstanding.get() > 0 || this.accounts.waiting.get() > 0) {
			Thread.onSpinWait();
		}
	}

	/** What is recorded. */
	private static final class Accounts implements CallRecorder {

		private final AtomicInteger attempts = new AtomicInteger();

		private final AtomicInteger waiting = new AtomicInteger();

		private final AtomicInteger nested = new AtomicInteger();

		private final Map<StopReason, AtomicInteger> ends = new EnumMap<>(StopReason.class);

		Accounts() {
			for (StopReason reason : StopReason.values()) {
				this.ends.put(reason, new AtomicInteger());
			}
		}

		int calls() {
			return this.ends.values().stream().mapToInt(AtomicInteger::get).sum();
		}

		@Override
		public void attempt(int number, AttemptOutcome outcome, long nanos) {
			this.attempts.incrementAndGet();
		}

		@Override
		public void call(StopReason reason, long nanos) {
			this.ends.get(reason).incrementAndGet();
		}

		@Override
		public void waiting(DelaySource source, long nanos) {
			this.waiting.incrementAndGet();
		}

		@Override
		public void waited() {
			this.waiting.decrementAndGet();
		}

		@Override
		public void retry(RetryCause cause) {
		}

		@Override
		public void recovered(RecoveryOutcome outcome) {
		}

	}

	/** A breaker that refuses some, has them wait, and counts its permits. */
	private static final class OutstandingPermits implements CallPermits {

		private final AtomicInteger outstanding = new AtomicInteger();

		private final AtomicInteger taken = new AtomicInteger();

		private final ConcurrentLinkedQueue<String> mistakes = new ConcurrentLinkedQueue<>();

		@Override
		public String name() {
			return "orders";
		}

		@Override
		public @Nullable Permit tryAcquire(long now) {
			if (chance(8)) {
				return null;
			}
			this.outstanding.incrementAndGet();
			this.taken.incrementAndGet();
			return new Given();
		}

		@Override
		public boolean isPermitting(long now) {
			return !chance(8);
		}

		@Override
		public long nanosToPermit(long now) {
			return SOON.toNanos();
		}

		@Override
		public boolean isAwaited() {
			return true;
		}

		@Override
		public CircuitOpenException rejection(long now) {
			return new CircuitOpenException(name(), "open", null, null);
		}

		/** One permit. */
		private final class Given implements Permit {

			private final AtomicBoolean back = new AtomicBoolean();

			private void back() {
				if (!this.back.compareAndSet(false, true)) {
					OutstandingPermits.this.mistakes.add("given back twice");
				}
				OutstandingPermits.this.outstanding.decrementAndGet();
			}

			@Override
			public void succeeded(long nanos, long now) {
				back();
			}

			@Override
			public void failed(long nanos, long now, @Nullable Throwable failure) {
				back();
			}

			@Override
			public void released() {
				back();
			}

		}

	}

	/** The system's time, of which nothing can be relied on. */
	private static final class BrokenTime implements RetryTime {

		private final RetryTime time = RetryTime.system();

		@Override
		public long nanoTime() {
			return this.time.nanoTime() - (chance(10) ? Duration.ofMinutes(1).toNanos() : 0);
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			this.time.sleep(nanos);
		}

		@Override
		public void sleep(long nanos, WakeSignal signal) throws InterruptedException {
			this.time.sleep(nanos, signal);
		}

		@Override
		public Cancellable schedule(Runnable task, long nanos) {
			if (chance(20)) {
				throw new IllegalStateException("timer");
			}
			return this.time.schedule(task, nanos);
		}

	}

}
