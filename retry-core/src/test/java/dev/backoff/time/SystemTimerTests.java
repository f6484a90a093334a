package dev.backoff.time;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class SystemTimerTests {

	private static final long HOUR = 3_600_000_000_000L;

	/* What users wrote before there was a timer. */
	private final RetryTime time = new RetryTime() {

		@Override
		public long nanoTime() {
			return 0;
		}

		@Override
		public void sleep(long nanos) {
		}

	};

	@Test
	void runsATaskNotBeforeItsTime() throws InterruptedException {
		CountDownLatch done = new CountDownLatch(1);
		AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
		long start = System.nanoTime();
		this.time.schedule(() -> {
			thread.set(Thread.currentThread());
			done.countDown();
		}, 5_000_000);
		done.await();
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(5_000_000);
		assertThat(thread.get()).isNotNull().satisfies((timer) -> {
			assertThat(timer.isDaemon()).isTrue();
			assertThat(timer.getName()).isEqualTo("backoff-timer");
			assertThat(timer.getContextClassLoader()).isNull();
		});
	}

	@Test
	void keepsNothingOfWhatIsCancelled() {
		int before = SystemTimer.pending();
		Cancellable scheduled = this.time.schedule(() -> {
		}, HOUR);
		assertThat(SystemTimer.pending()).isEqualTo(before + 1);
		scheduled.cancel();
		scheduled.cancel();
		assertThat(SystemTimer.pending()).isEqualTo(before);
	}

}
