package dev.backoff;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

class AsyncOperationTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final IOException failure = new IOException("down");

	private CompletableFuture<String> call(RetryPolicy policy, Streaming operation) {
		CompletableFuture<String> result = Retry.builder(policy)
			.time(this.time)
			.executor(Runnable::run)
			.listener(this.listener)
			.recorder(this.recorder)
			.build()
			.callAsyncOn("context", operation, null);
		this.time.runAll();
		return result;
	}

	private static @Nullable Throwable thrown(CompletableFuture<String> result) {
		return result.<@Nullable Throwable>handle((value, thrown) -> thrown).join();
	}

	@Nested
	class AnAttemptThatCannotBeRepeated {

		@Test
		void endsTheCallWithItsFailureAndTheReason() {
			Streaming operation = new Streaming(AsyncOperationTests.this.failure, 2, "its caller has seen a part");
			assertThat(thrown(call(RetryPolicy.builder("orders").build(), operation)))
				.isSameAs(AsyncOperationTests.this.failure);
			assertThat(operation.attempts).isEqualTo(2);
			assertThat(AsyncOperationTests.this.listener.report().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
			assertThat(AsyncOperationTests.this.listener.report())
				.hasMessageContaining("NOT_RETRYABLE, its caller has seen a part (");
		}

		@Test
		void keepsItsKind() {
			assertThat(thrown(call(RetryPolicy.builder("orders").build(),
					new Streaming(AsyncOperationTests.this.failure, 1, "its caller has seen a part"))))
				.isSameAs(AsyncOperationTests.this.failure);
			assertThat(AsyncOperationTests.this.recorder.lines()).containsExactly("attempt 1 transient 0ms",
					"call not_retryable 0ms");
		}

		@Test
		void isNotAskedAboutWhatIsNeverRetried() {
			IllegalArgumentException hopeless = new IllegalArgumentException();
			assertThat(thrown(call(RetryPolicy.builder("orders").build(), new Streaming(hopeless, 1, "never said"))))
				.isSameAs(hopeless);
			assertThat(AsyncOperationTests.this.listener.report())
				.hasMessageContaining("IllegalArgumentException is a programming error");
		}

		@Test
		void endsTheCallWithItsResultIfThatIsNotGoodEnough() {
			RetryPolicy policy = RetryPolicy.builder("orders").retryWhen((result, context) -> true).build();
			assertThat(call(policy, new Streaming(null, 1, "its caller has seen a part")))
				.isCompletedWithValue("result");
			assertThat(AsyncOperationTests.this.listener.report().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
		}

		@Test
		void isAnyOneThatCannotTell() {
			assertThat(thrown(
					call(RetryPolicy.builder("orders").build(), new Streaming(AsyncOperationTests.this.failure, 1) {

						@Override
						public @Nullable String unrepeatable(String context) {
							throw new IllegalStateException("broken");
						}

					})))
				.isSameAs(AsyncOperationTests.this.failure);
			assertThat(AsyncOperationTests.this.listener.report())
				.hasMessageContaining("whether the attempt may be repeated failed with IllegalStateException");
			assertThat(AsyncOperationTests.this.listener.hookFailures()).hasSize(1);
		}

	}

	/** Work whose attempts have an effect, from the given one on. */
	private static class Streaming implements AsyncOperation.OnContext<String, String> {

		private final @Nullable Throwable failure;

		private final int from;

		private final @Nullable String why;

		private int attempts;

		Streaming(@Nullable Throwable failure, int from) {
			this(failure, from, null);
		}

		Streaming(@Nullable Throwable failure, int from, @Nullable String why) {
			this.failure = failure;
			this.from = from;
			this.why = why;
		}

		@Override
		public CompletionStage<String> run(String context, int number) {
			this.attempts = number;
			return (this.failure != null) ? CompletableFuture.failedFuture(this.failure)
					: CompletableFuture.completedFuture("result");
		}

		@Override
		public @Nullable String unrepeatable(String context) {
			return (this.attempts >= this.from) ? this.why : null;
		}

	}

}
