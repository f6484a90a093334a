package dev.backoff;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a shutdown does to calls besides the {@linkplain DriverContractTests contract}.
 * The tests with real time wait for their threads to sleep and for nothing else.
 */
class ShutdownTests {

	private final VirtualTime time = new VirtualTime();

	private final CallRegistry waiting = new CallRegistry();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final IOException failure = new IOException("down");

	private RetryBuilder retry() {
		return Retry.builder(
				RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build())
			.time(this.time)
			.listener(this.listener)
			.recorder(this.recorder)
			.calls(this.waiting);
	}

	private String fail() throws IOException {
		throw this.failure;
	}

	@Test
	void wakesSleepersBeforeAnyCallRecovers() throws InterruptedException {
		Thread sleeper = new Thread(
				() -> assertThat(catchThrowable(() -> retry().time(RetryTime.system()).build().call(() -> fail())))
					.isSameAs(ShutdownTests.this.failure));
		sleeper.start();
		while (ShutdownTests.this.waiting.waiting() < 1) {
			Thread.onSpinWait();
		}
		CompletableFuture<Integer> result = retry().build()
			.callAsync(() -> CompletableFuture.<Integer>failedFuture(ShutdownTests.this.failure), (context, report) -> {
				sleeper.join();
				return CompletableFuture.completedFuture(1);
			});
		ShutdownTests.this.waiting.shutDown();
		assertThat(result).isCompletedWithValue(1);
		assertThat(sleeper.isAlive()).isFalse();
	}

}
