package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RecoveryTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final IOException failure = new IOException("failed");

	@Nested
	class Accepted {

		@Test
		void returnsWhatItReturns() throws Exception {
			AtomicInteger recoveries = new AtomicInteger();
			ScriptedOperation<String> operation = failing();
			String result = retry(policy().build()).call(operation, (context, stopped) -> {
				recoveries.incrementAndGet();
				assertThat(context).isSameAs(operation);
				assertThat(stopped.failure()).isSameAs(RecoveryTests.this.failure);
				assertThat(stopped.reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
				assertThat(Attempt.isRunning()).isFalse();
				return "recovered";
			});
			assertThat(result).isEqualTo("recovered");
			assertThat(recoveries).hasValue(1);
			assertThat(operation.calls()).isEqualTo(4);
			assertThat(RecoveryTests.this.recorder.lines()).endsWith("call attempts_exhausted 700ms", "recovered done");
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.DONE);
			assertThat(stop().thrown()).isNull();
		}

		@Test
		void followsARefusalToo() throws Exception {
			assertThat(recovered(policy().build(), new IllegalArgumentException())).isEqualTo("recovered");
		}

		@Test
		void followsABadResult() throws Exception {
			String last = new String("bad");
			Retry retry = retry(policy().retryWhen((result, context) -> true).build());
			assertThat(retry.call(ScriptedOperation.<String>script().returns(last), (context, stopped) -> {
				assertThat(stopped.lastResult()).isSameAs(last);
				assertThat(stopped.failure()).isNull();
				return "recovered";
			})).isEqualTo("recovered");
		}

		@Test
		void mayReturnNull() throws Exception {
			assertThat(retry(policy().build()).<String, Exception>call(failing(), (context, stopped) -> null)).isNull();
		}

		@Test
		void takesAContext() {
			Integer length = retry(policy().build()).<String, Integer, RuntimeException>callOn("context",
					(context, number) -> {
						throw new IllegalStateException();
					}, (Object context, RetriesStoppedException stopped) -> context.toString().length());
			assertThat(length).isEqualTo(7);
		}

	}

	@Nested
	class NotAsked {

		@Test
		void afterASuccess() throws Exception {
			assertThat(retry(policy().build()).call(ScriptedOperation.<String>script().returns("done"), unwanted()))
				.isEqualTo("done");
			assertThat(retry(policy().build())
				.call(ScriptedOperation.<String>script().fails(new IOException()).returns("done"), unwanted()))
				.isEqualTo("done");
		}

		@Test
		void afterAnInterruption() {
			RecoveryTests.this.time.interruptSleep(1);
			assertThatThrownBy(() -> retry(policy().build()).call(failing(), unwanted()))
				.isSameAs(RecoveryTests.this.failure);
			assertThat(Thread.interrupted()).isTrue();
		}

		@Test
		void afterAnError() {
			for (Throwable thrown : List.of(new AssertionError(), new OutOfMemoryError())) {
				assertThatThrownBy(() -> retry(policy().build()).call(ScriptedOperation.<String>script().fails(thrown),
						unwanted()))
					.isSameAs(thrown);
			}
			assertThat(RecoveryTests.this.recorder.lines("recovered")).isEmpty();
		}

		@Test
		void ifItDoesNotAccept() {
			Recovery<Operation<String, Exception>, String, Exception> choosy = new Recovery<>() {

				@Override
				public boolean accepts(RetriesStoppedException stopped) {
					return stopped.failure() instanceof IllegalStateException;
				}

				@Override
				public String recover(Operation<String, Exception> context, RetriesStoppedException stopped) {
					return "recovered";
				}

			};
			assertThatThrownBy(() -> retry(policy().build()).call(failing(), choosy))
				.isSameAs(RecoveryTests.this.failure);
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.NONE);
			assertThat(stop().thrown()).isSameAs(RecoveryTests.this.failure);
		}

		@Test
		void ifItsOwnQuestionThrows() {
			Recovery<Operation<String, Exception>, String, Exception> broken = new Recovery<>() {

				@Override
				public boolean accepts(RetriesStoppedException stopped) {
					throw new AssertionError("bug");
				}

				@Override
				public String recover(Operation<String, Exception> context, RetriesStoppedException stopped) {
					return "recovered";
				}

			};
			assertThatThrownBy(() -> retry(policy().build()).call(failing(), broken))
				.isSameAs(RecoveryTests.this.failure);
			assertThat(RecoveryTests.this.listener.hookFailures()).extracting(RetryEvent.HookFailed::hook)
				.containsExactly("recovery");
		}

		private Recovery<Operation<String, Exception>, String, Exception> unwanted() {
			return (context, stopped) -> {
				throw new IllegalStateException("recovered from " + stopped);
			};
		}

	}

	@Nested
	class Failed {

		@Test
		void throwsWhatItThrowsWithTheOriginalSuppressed() {
			IllegalStateException own = new IllegalStateException("own");
			assertThatThrownBy(() -> recover(own)).isSameAs(own);
			assertThat(own.getSuppressed()).containsExactly(RecoveryTests.this.failure);
			assertThat(RecoveryTests.this.failure.getSuppressed()).containsExactly(stop().story());
			assertThat(RecoveryTests.this.recorder.lines("recovered")).containsExactly("recovered failed");
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.FAILED);
			assertThat(stop().thrown()).isSameAs(own);
		}

		@Test
		void mayThrowTheOriginalAgain() {
			assertThatThrownBy(() -> recover(RecoveryTests.this.failure)).isSameAs(RecoveryTests.this.failure);
			assertThat(RecoveryTests.this.failure.getSuppressed()).containsExactly(stop().story());
		}

		@Test
		void mayThrowTheStory() {
			assertThatThrownBy(() -> retry(policy().build()).<String, Exception>call(failing(), (context, stopped) -> {
				throw stopped;
			})).isSameAs(RecoveryTests.this.listener.story()).hasNoSuppressedExceptions();
		}

		@Test
		void carriesTheStoryAfterABadResult() {
			IllegalStateException own = new IllegalStateException("own");
			Retry retry = retry(policy().retryWhen((result, context) -> true).build());
			assertThatThrownBy(
					() -> retry.call(ScriptedOperation.<String>script().returns("bad"), (context, stopped) -> {
						throw own;
					}))
				.isSameAs(own);
			assertThat(own.getSuppressed()).containsExactly(stop().story());
		}

		@Test
		void doesNotAccumulateOnASharedInstance() {
			IllegalStateException shared = new IllegalStateException("shared");
			for (int call = 0; call < 100; call++) {
				Retry retry = retry(policy().maxAttempts(1).build());
				ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(1, IOException::new);
				assertThatThrownBy(() -> retry.call(operation, (context, stopped) -> {
					throw shared;
				})).isSameAs(shared);
			}
			assertThat(shared.getSuppressed()).hasSize(1);
		}

		@Test
		void doesNotAccumulateFailuresThatCarryNoStory() {
			IllegalStateException shared = new IllegalStateException("shared");
			for (int call = 0; call < 100; call++) {
				Retry retry = retry(policy().maxAttempts(1).build());
				ScriptedOperation<String> operation = ScriptedOperation.<String>script()
					.fails(1, BlockingDriverTests.StacklessException::new);
				assertThatThrownBy(() -> retry.call(operation, (context, stopped) -> {
					throw shared;
				})).isSameAs(shared);
			}
			assertThat(shared.getSuppressed()).hasSizeLessThan(10);
		}

		@Test
		void leavesAFatalErrorUntouched() {
			OutOfMemoryError fatal = new OutOfMemoryError();
			assertThatThrownBy(() -> retry(policy().build()).<String, Exception>call(failing(), (context, stopped) -> {
				throw fatal;
			})).isSameAs(fatal).hasNoSuppressedExceptions();
		}

		private void recover(Exception thrown) throws Exception {
			retry(policy().build()).<String, Exception>call(failing(), (context, stopped) -> {
				throw thrown;
			});
		}

	}

	private String recovered(RetryPolicy policy, Exception thrown) throws Exception {
		return retry(policy).<String, Exception>call(ScriptedOperation.<String>script().fails(thrown),
				(context, stopped) -> "recovered");
	}

	private ScriptedOperation<String> failing() {
		return ScriptedOperation.<String>script().fails(this.failure);
	}

	private RetryEvent.Stopped stop() {
		return this.listener.stopped().get(0);
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("p").jitter(Jitter.none()).deadline(Duration.ofMinutes(1));
	}

	private Retry retry(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).listener(this.listener).recorder(this.recorder).build();
	}

}
