package dev.backoff.test;

import java.io.IOException;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;

import dev.backoff.Attempt;
import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.delay.Jitter;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Calls in a virtual time whose clock moves by itself. Extend it to test the clock. */
abstract class ClockFixture {

	static final Duration LONG = Duration.ofSeconds(5);

	/* Where patience ends, longer than a thread waits for a processor. */
	static final Duration SHORT = Duration.ofMillis(500);

	/* Where nothing may cost patience. */
	static final Duration FOREVER = Duration.ofDays(1);

	private final VirtualTime time = new VirtualTime().patience(LONG);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<String> told = Collections.synchronizedList(new ArrayList<>());

	@AfterEach
	final void threadsEnd() {
		assertThat(this.threads.shutdownNow()).isEmpty();
	}

	/** With waits of 1 s, 2 s, 4 s. */
	final RetryPolicyBuilder policy(String name) {
		return RetryPolicy.builder(name)
			.base(Duration.ofSeconds(1))
			.cap(Duration.ofHours(10))
			.jitter(Jitter.none())
			.maxAttempts(4);
	}

	final Retry retry(RetryPolicy policy) {
		return retryBuilder(policy).build();
	}

	final RetryBuilder retryBuilder(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).observer(new BackoffCalls(this.time));
	}

	final Retry retry(String name, Duration base) {
		return retry(policy(name).base(base).build());
	}

	final void tell(String what) {
		this.told.add(this.time.elapsed().toMillis() + " " + what);
	}

	final Void fail(String what) throws IOException {
		tell(what);
		throw new IOException(what);
	}

	static void spin(int millis) {
		long end = System.nanoTime() + millis * 1_000_000L;
		until(() -> System.nanoTime() >= end);
	}

	/* A clock that another test has left behind may warn too. */
	static Logger warnings(String start, Consumer<String> warned) {
		Logger logger = Logger.getLogger(VirtualTime.class.getName());
		logger.setFilter((line) -> {
			String message = MessageFormat.format(line.getMessage(), line.getParameters());
			if (message.startsWith(start)) {
				warned.accept(message);
			}
			return false;
		});
		return logger;
	}

	static void await(CountDownLatch latch) throws InterruptedException {
		assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
	}

	static <T> T get(Future<T> future) throws Exception {
		return future.get(60, TimeUnit.SECONDS);
	}

	/* In two seconds. */
	static String join(Retry retry) {
		return retry.callAsync(() -> {
			if (Attempt.current().number() < 2) {
				throw new IOException("down");
			}
			return CompletableFuture.completedFuture("done");
		}).join();
	}

	static void assertEnds(Future<?> failing) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(failing))
			.withCauseInstanceOf(IOException.class);
	}

	/** Wait for something that another thread does. */
	static void until(BooleanSupplier condition) {
		while (!condition.getAsBoolean()) {
			Thread.onSpinWait();
		}
	}

	/* If not, each call that has begun has its place in the agenda. */
	final boolean isAnyAtWork() {
		boolean[] works = new boolean[1];
		this.time.locked(() -> works[0] = this.time.agenda.isCallAtWork());
		return works[0];
	}

	final VirtualTime time() {
		return this.time;
	}

	final ExecutorService threads() {
		return this.threads;
	}

	/** Return what was told, each with the milliseconds that had passed. */
	final List<String> told() {
		return this.told;
	}

}
