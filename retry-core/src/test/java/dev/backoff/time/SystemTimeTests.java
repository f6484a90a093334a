package dev.backoff.time;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The one test that sleeps in real time, some milliseconds, because its subject is the
 * real sleeper. It asserts lower bounds only, so that a slow machine changes nothing.
 */
class SystemTimeTests {

	private final RetryTime time = RetryTime.system();

	@AfterEach
	void clearFlag() {
		Thread.interrupted();
	}

	@Test
	void readsTheMonotonicTicker() {
		long before = System.nanoTime();
		long reading = this.time.nanoTime();
		assertThat(reading - before).isNotNegative();
		assertThat(System.nanoTime() - reading).isNotNegative();
	}

	@Test
	void survivesAWakeUpWithoutReason() throws InterruptedException {
		LockSupport.unpark(Thread.currentThread());
		long before = System.nanoTime();
		this.time.sleep(5_000_000);
		assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(5_000_000);
	}

	@Test
	void returnsAtOnceFromNothingToSleep() throws InterruptedException {
		this.time.sleep(0);
		this.time.sleep(-1);
		this.time.sleep(Long.MIN_VALUE);
	}

	@Test
	void throwsIfInterruptedBefore() {
		for (long nanos : new long[] { 0, 1_000, Long.MAX_VALUE }) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.time.sleep(nanos));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}
	}

	@Test
	void throwsIfInterruptedDuringTheLongestSleep() throws InterruptedException {
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		AtomicBoolean flag = new AtomicBoolean(true);
		Thread sleeper = new Thread(() -> {
			try {
				this.time.sleep(Long.MAX_VALUE);
			}
			catch (InterruptedException ex) {
				thrown.set(ex);
				flag.set(Thread.currentThread().isInterrupted());
			}
		});
		sleeper.start();
		while (sleeper.getState() != Thread.State.TIMED_WAITING) {
			Thread.onSpinWait();
		}
		sleeper.interrupt();
		sleeper.join();
		assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
		assertThat(flag).isFalse();
	}

}
